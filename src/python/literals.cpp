#include "python/literals.h"

#include "python/character_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unicode/uchar.h>
#include <unicode/uversion.h>
#include <vector>

namespace deepperf::python {

namespace {

constexpr std::size_t kMostDigits = 5000;
constexpr u32 kLastCodePoint = 0x10FFFF;

// ---- Strings --------------------------------------------------------------------------------------------------------

void append_code_point(u32 code, std::string &out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Reads one code point at `at` and moves past it; a byte that starts none stands for itself.
u32 next_code_point(std::string_view text, std::size_t &at) {
  auto byte = [&](std::size_t index) { return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U; };
  u32 first = byte(at);
  u32 length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  u32 code = length == 1 ? first : first & (0x7FU >> length);
  for (u32 i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) {
      ++at;
      return first;
    }
    code = (code << 6) | (byte(at + i) & 0x3F);
  }
  at += length;
  return code;
}

i32 digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'Z') {
    return c - 'A' + 10;
  }
  return 99;
}

// Exactly `count` hexadecimal digits at the front of `text`.
std::optional<u32> hex_prefix(std::string_view text, std::size_t count) {
  if (text.size() < count) {
    return std::nullopt;
  }
  u32 value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    i32 digit = digit_value(text[i]);
    if (digit >= 16) {
      return std::nullopt;
    }
    value = value * 16 + static_cast<u32>(digit);
  }
  return value;
}

// Appends what the escape at the front of `text` (which starts with the backslash) stands for and returns how long it
// is. What is no escape gives the backslash alone, so that the rest is read as ordinary text.
std::size_t append_escape(std::string_view text, bool bytes, std::string &out) {
  auto keep = [&out] {
    out += '\\';
    return std::size_t{1};
  };
  auto append = [&](u32 code) {
    if (bytes) {
      out += static_cast<char>(code & 0xFF);
    } else {
      append_code_point(code, out);
    }
  };
  auto simple = [&](char c) {
    out += c;
    return std::size_t{2};
  };
  auto hex = [&](std::size_t digits) {
    std::optional<u32> code = hex_prefix(text.substr(2), digits);
    if (!code || *code > kLastCodePoint) {
      return keep();
    }
    append(*code);
    return 2 + digits;
  };
  if (text.size() < 2) {
    return keep();
  }
  switch (text[1]) {
  case '\n':
    return 2;
  case '\r':
    return text.size() > 2 && text[2] == '\n' ? 3 : 2;
  case '\\':
  case '\'':
  case '"':
    return simple(text[1]);
  case 'a':
    return simple('\a');
  case 'b':
    return simple('\b');
  case 'f':
    return simple('\f');
  case 'n':
    return simple('\n');
  case 'r':
    return simple('\r');
  case 't':
    return simple('\t');
  case 'v':
    return simple('\v');
  case 'x':
    return hex(2);
  case 'u':
    return bytes ? keep() : hex(4);
  case 'U':
    return bytes ? keep() : hex(8);
  case 'N': {
    std::size_t close = text.find('}');
    if (bytes || text.size() < 3 || text[2] != '{' || close == std::string_view::npos) {
      return keep();
    }
    std::optional<u32> code = code_point_named(text.substr(3, close - 3));
    if (!code) {
      return keep();
    }
    append(*code);
    return close + 1;
  }
  default:
    break;
  }
  u32 octal = 0;
  std::size_t length = 1;
  while (length < text.size() && length < 4 && text[length] >= '0' && text[length] <= '7') {
    octal = octal * 8 + static_cast<u32>(text[length] - '0');
    ++length;
  }
  if (length == 1) {
    return keep();
  }
  append(octal);
  return length;
}

// The text between the quotes. A token that was never closed has no quotes at its end.
std::string_view part_text(const Source &source, const StringPart &part) {
  std::string_view token = source.text().substr(part.start, part.end - part.start);
  if (part.quote_length == 0) {
    return token;
  }
  token.remove_prefix(std::min<std::size_t>(part.prefix_length, token.size()));
  std::string_view quotes = token.substr(0, part.quote_length);
  token.remove_prefix(quotes.size());
  if (token.ends_with(quotes)) {
    token.remove_suffix(quotes.size());
  }
  return token;
}

void append_part(const Source &source, const StringPart &part, std::string &out) {
  std::string_view text = part_text(source, part);
  bool escapes = !part.raw && !part.verbatim;
  bool doubled_braces = part.quote_length == 0 && !part.verbatim;
  const auto is_plain = [&](char c) {
    return c != '\r' && (c != '\\' || !escapes) && ((c != '{' && c != '}') || !doubled_braces);
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t first = at;
    while (at < text.size() && is_plain(text[at])) {
      ++at;
    }
    out += text.substr(first, at - first);
    if (at == text.size()) {
      return;
    }
    char c = text[at];
    bool has_next = at + 1 < text.size();
    if (c == '\\' && escapes) {
      at += append_escape(text.substr(at), part.bytes, out);
    } else if (c == '\r') {
      out += '\n';
      at += has_next && text[at + 1] == '\n' ? 2 : 1;
    } else {
      out += c;
      at += has_next && text[at + 1] == c ? 2 : 1;
    }
  }
}

std::string joined_parts(const Source &source, const StringConstant &constant) {
  std::string value;
  for (const StringPart &part : constant.parts) {
    if (part.end <= source.text().size()) { // else it is a part of another source
      append_part(source, part, value);
    }
  }
  return value;
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

struct IntLiteral {
  u32 base = 10;
  std::string digits; // without underscores, prefix and suffix
};

IntLiteral read_int(std::string_view literal) {
  IntLiteral result;
  if (literal.ends_with('l') || literal.ends_with('L')) {
    literal.remove_suffix(1);
  }
  if (literal.size() > 1 && literal[0] == '0') {
    char letter = literal[1];
    result.base = letter == 'x' || letter == 'X' ? 16 : letter == 'b' || letter == 'B' ? 2 : 8;
    bool prefixed = letter == 'o' || letter == 'O' || result.base != 8;
    literal.remove_prefix(prefixed ? 2 : 1);
    // `0777` is octal in Python 2; `0789` is nothing anywhere, and most likely meant as decimal.
    if (!prefixed && literal.find_first_of("89") != std::string_view::npos) {
      result.base = 10;
    }
  }
  for (char c : literal) {
    if (digit_value(c) < static_cast<i32>(result.base)) {
      result.digits += c;
    }
  }
  return result;
}

// The shortest digits that read back as `value`, and the power of ten of the first of them.
struct Shortest {
  std::string digits;
  i32 exponent = 0;
};

Shortest shortest_digits(double value) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  Shortest result;
  std::size_t e = text.find('e');
  for (char c : text.substr(0, e)) {
    if (c != '.') {
      result.digits += c;
    }
  }
  std::string_view exponent = text.substr(e + 1);
  exponent.remove_prefix(exponent.starts_with('+') ? 1 : 0);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
  return result;
}

std::string number_repr(double value, bool always_with_point) {
  if (std::isnan(value)) {
    return "nan";
  }
  std::string out = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) {
    return out + "inf";
  }
  auto [digits, exponent] = shortest_digits(std::fabs(value));
  auto count = static_cast<i32>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1) {
      out += '.';
      out.append(digits, 1);
    }
    i32 magnitude = std::abs(exponent);
    out += exponent < 0 ? "e-" : "e+";
    out += magnitude < 10 ? "0" : "";
    return out + std::to_string(magnitude);
  }
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    return out + digits;
  }
  if (count > exponent + 1) {
    out.append(digits, 0, static_cast<std::size_t>(exponent) + 1);
    out += '.';
    out.append(digits, static_cast<std::size_t>(exponent) + 1);
    return out;
  }
  out += digits;
  out.append(static_cast<std::size_t>(exponent + 1 - count), '0');
  return always_with_point ? out + ".0" : out;
}

// ---- repr of text ---------------------------------------------------------------------------------------------------

void append_hex(u32 value, u32 digits, std::string &out) {
  for (u32 i = digits; i-- > 0;) {
    out += "0123456789abcdef"[(value >> (4 * i)) & 0xF];
  }
}

char quote_for(std::string_view value) {
  bool single = value.find('\'') != std::string_view::npos;
  return single && value.find('"') == std::string_view::npos ? '"' : '\'';
}

// As CPython 3.11 sees it, whose Unicode is 14.0: what was added later is unassigned there.
bool is_printable(u32 code) {
  switch (u_charType(static_cast<UChar32>(code))) {
  case U_CONTROL_CHAR:
  case U_FORMAT_CHAR:
  case U_SURROGATE:
  case U_PRIVATE_USE_CHAR:
  case U_UNASSIGNED:
  case U_LINE_SEPARATOR:
  case U_PARAGRAPH_SEPARATOR:
  case U_SPACE_SEPARATOR:
    return code == ' ';
  default:
    break;
  }
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(code), age);
  return age[0] <= 14;
}

// The escapes that str and bytes share; false if the character is none of them.
bool append_ascii_repr(char c, char quote, std::string &out) {
  switch (c) {
  case '\n':
    out += "\\n";
    return true;
  case '\r':
    out += "\\r";
    return true;
  case '\t':
    out += "\\t";
    return true;
  case '\\':
    out += "\\\\";
    return true;
  default:
    break;
  }
  if (c < ' ' || c > '~') {
    return false;
  }
  if (c == quote) {
    out += '\\';
  }
  out += c;
  return true;
}

} // namespace

std::string string_value(const Source &source, const StringConstant &constant) {
  return joined_parts(source, constant);
}

std::string bytes_value(const Source &source, const StringConstant &constant) { return joined_parts(source, constant); }

std::string int_decimal(std::string_view literal) {
  if (literal.size() > kMostDigits) {
    return std::string(literal);
  }
  IntLiteral number = read_int(literal);
  if (number.base == 10) {
    std::size_t first = number.digits.find_first_not_of('0');
    return first == std::string::npos ? "0" : number.digits.substr(first);
  }
  constexpr u64 kLimb = 1'000'000'000;
  std::vector<u32> limbs; // least significant first
  std::size_t at = 0;
  while (at < number.digits.size()) {
    // As many digits at once as keep the products below 2^64.
    u64 factor = 1;
    u64 carry = 0;
    while (at < number.digits.size() && factor < (1U << 28)) {
      factor *= number.base;
      carry = carry * number.base + static_cast<u64>(digit_value(number.digits[at++]));
    }
    for (u32 &limb : limbs) {
      u64 product = limb * factor + carry;
      limb = static_cast<u32>(product % kLimb);
      carry = product / kLimb;
    }
    for (; carry != 0; carry /= kLimb) {
      limbs.push_back(static_cast<u32>(carry % kLimb));
    }
  }
  if (limbs.empty()) {
    return "0";
  }
  std::string out = std::to_string(limbs.back());
  for (std::size_t i = limbs.size() - 1; i-- > 0;) {
    std::string limb = std::to_string(limbs[i]);
    out.append(9 - limb.size(), '0');
    out += limb;
  }
  return out;
}

std::optional<i64> int_value(std::string_view literal) {
  IntLiteral number = read_int(literal);
  i64 value = 0;
  const char *end = number.digits.data() + number.digits.size();
  auto [stop, error] = std::from_chars(number.digits.data(), end, value, static_cast<int>(number.base));
  if (error != std::errc{} || stop != end) {
    return std::nullopt;
  }
  return value;
}

double float_value(std::string_view literal) {
  std::string digits;
  digits.reserve(literal.size());
  for (char c : literal) {
    if (c == 'j' || c == 'J' || c == 'l' || c == 'L') {
      break;
    }
    if (c != '_') {
      digits += c;
    }
  }
  double value = 0;
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too large or too small: from_chars does not say which, strtod does.
    value = std::strtod(digits.c_str(), nullptr);
  }
  return value;
}

std::string python_repr(double value) { return number_repr(value, true); }

std::string python_repr_imaginary(double imaginary) { return number_repr(imaginary, false) + "j"; }

std::string python_repr_str(std::string_view value) {
  char quote = quote_for(value);
  std::string out(1, quote);
  std::size_t at = 0;
  while (at < value.size()) {
    if (append_ascii_repr(value[at], quote, out)) {
      ++at;
      continue;
    }
    std::size_t start = at;
    u32 code = next_code_point(value, at);
    if (is_printable(code)) {
      out.append(value, start, at - start);
    } else if (code < 0x100) {
      out += "\\x";
      append_hex(code, 2, out);
    } else if (code < 0x10000) {
      out += "\\u";
      append_hex(code, 4, out);
    } else {
      out += "\\U";
      append_hex(code, 8, out);
    }
  }
  out += quote;
  return out;
}

std::string python_repr_bytes(std::string_view value) {
  char quote = quote_for(value);
  std::string out = "b";
  out += quote;
  for (char c : value) {
    if (!append_ascii_repr(c, quote, out)) {
      out += "\\x";
      append_hex(static_cast<unsigned char>(c), 2, out);
    }
  }
  out += quote;
  return out;
}

} // namespace deepperf::python
