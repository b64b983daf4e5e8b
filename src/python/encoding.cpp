#include "python/encoding.h"

#include <unicode/ucnv.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

namespace deepperf::python {

namespace {

constexpr u64 kHighBits = 0x8080808080808080;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

bool is_ascii_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string_view first_line(std::string_view bytes) {
  return bytes.substr(0, std::min(bytes.find_first_of("\r\n"), bytes.size()));
}

std::string_view behind_first_line(std::string_view bytes, std::string_view line) {
  bytes.remove_prefix(line.size());
  bytes.remove_prefix(bytes.starts_with("\r\n") ? 2 : std::min<std::size_t>(bytes.size(), 1));
  return bytes;
}

// The name in a comment line: ^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)
std::string_view cookie_name(std::string_view comment) {
  constexpr std::string_view kWord = "coding";
  for (std::size_t at = comment.find(kWord); at != comment.npos; at = comment.find(kWord, at)) {
    at += kWord.size();
    if (at == comment.size() || (comment[at] != ':' && comment[at] != '=')) {
      continue;
    }
    std::size_t begin = at + 1;
    while (begin < comment.size() && (comment[begin] == ' ' || comment[begin] == '\t')) {
      ++begin;
    }
    std::size_t end = begin;
    while (end < comment.size() &&
           (is_ascii_alnum(comment[end]) || comment[end] == '-' || comment[end] == '_' || comment[end] == '.')) {
      ++end;
    }
    if (begin < end) {
      return comment.substr(begin, end - begin);
    }
  }
  return {};
}

// Lower case, and one way to write a separator.
std::string normal_name(std::string_view name) {
  std::string normal(name);
  for (char &c : normal) {
    c = c == '_' ? '-' : to_lower(c);
  }
  return normal;
}

// CPython reads `latin-1-unix` as latin-1, and so for the other two ways to write it.
std::string without_emacs_suffix(std::string name) {
  for (const std::string_view latin : {"latin-1", "iso-8859-1", "iso-latin-1"}) {
    if (name.size() > latin.size() && name.starts_with(latin) && name[latin.size()] == '-') {
      name.resize(latin.size());
    }
  }
  return name;
}

// Names that Python knows and ICU does not, or by which ICU means something else (to ICU cp949 is IBM's, to Python
// Microsoft's). Written without separators.
constexpr std::pair<std::string_view, const char *> kIcuNames[] = {
    {"1125", "ibm-1125"},
    {"1140", "ibm-1140"},
    {"1250", "windows-1250"},
    {"1251", "windows-1251"},
    {"1252", "windows-1252"},
    {"1253", "windows-1253"},
    {"1254", "windows-1254"},
    {"1255", "windows-1255"},
    {"1256", "windows-1256"},
    {"1257", "windows-1257"},
    {"1258", "windows-1258"},
    {"858", "ibm-858"},
    {"864", "ibm-864"},
    {"8859", "iso-8859-1"},
    {"932", "windows-31j"},
    {"936", "gbk"},
    {"949", "windows-949"},
    {"950", "windows-950"},
    {"big5tw", "big5"},
    {"chinese", "gb2312"},
    {"cp1051", "ibm-1051"},
    {"cp866u", "ibm-1125"},
    {"cp874", "windows-874"},
    {"cp932", "windows-31j"},
    {"cp949", "windows-949"},
    {"cp950", "windows-950"},
    {"csiso58gb231280", "gb2312"},
    {"eucgb2312cn", "gb2312"},
    {"eucjis2004", "euc-jp"},
    {"eucjisx0213", "euc-jp"},
    {"gb180302000", "gb18030"},
    {"gb23121980", "gb2312"},
    {"gb231280", "gb2312"},
    {"hkscs", "big5-hkscs"},
    {"hzgb", "hz"},
    {"iso8859", "iso-8859-1"},
    {"isoir166", "tis-620"},
    {"isoir58", "gb2312"},
    {"isolatin1", "iso-8859-1"},
    {"jisx0213", "euc-jp"},
    {"ksx1001", "euc-kr"},
    {"l7", "iso-8859-13"},
    {"latin", "iso-8859-1"},
    {"latin7", "iso-8859-13"},
    {"maccenteuro", "x-mac-centraleurroman"},
    {"macgreek", "x-mac-greek"},
    {"maclatin2", "x-mac-centraleurroman"},
    {"macturkish", "x-mac-turkish"},
    {"mskanji", "windows-31j"},
    {"ruscii", "ibm-1125"},
    {"shiftjis2004", "shift_jis"},
    {"shiftjisx0213", "shift_jis"},
    {"sjis2004", "shift_jis"},
    {"sjisx0213", "shift_jis"},
    {"thai", "windows-874"},
    {"tis6200", "tis-620"},
    {"tis62025290", "tis-620"},
    {"tis62025291", "tis-620"},
    {"uhc", "windows-949"},
};

std::string icu_name(std::string_view encoding) {
  std::string name = without_emacs_suffix(normal_name(encoding));
  std::string letters = name;
  std::erase(letters, '-');
  const auto *found =
      std::ranges::find(kIcuNames, std::string_view(letters), [](const auto &pair) { return pair.first; });
  return found == std::end(kIcuNames) ? name : found->second;
}

struct CloseConverter {
  void operator()(UConverter *converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

SourceError at_cookie(const EncodingCookie &cookie, std::string message) {
  return {std::move(message), cookie.place.line, cookie.place.column};
}

// Appends UTF-16 to UTF-8 text; gives back how many units at the end wait for their other half (0 or 1).
int append_utf16(const UChar *units, int count, std::string &text) {
  int at = 0;
  while (at < count) {
    if (U16_IS_LEAD(units[at]) && at + 1 == count) {
      return 1;
    }
    UChar32 character = 0;
    U16_NEXT(units, at, count, character);
    if (U_IS_SURROGATE(character)) {
      character = 0xFFFD;
    }
    std::array<char, U8_MAX_LENGTH> bytes{};
    int size = 0;
    U8_APPEND_UNSAFE(bytes.data(), size, character);
    text.append(bytes.data(), static_cast<std::size_t>(size));
  }
  return 0;
}

// What stands at the end of the text that could be converted is where the trouble is.
SourceError bad_bytes(UConverter *converter, const EncodingCookie &cookie, std::string_view text) {
  std::array<char, 32> bytes{};
  auto size = static_cast<std::int8_t>(bytes.size());
  UErrorCode status = U_ZERO_ERROR;
  ucnv_getInvalidChars(converter, bytes.data(), &size, &status);
  std::string message = size == 1 ? "byte" : "bytes";
  for (int i = 0; U_SUCCESS(status) && i < size; ++i) {
    message += fmt::format(" 0x{:02x}", static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]));
  }
  message += size == 1 ? " is" : " are";
  message += fmt::format(" not valid in the declared encoding {}", normal_name(cookie.name));
  const Place place = place_of(text, text.size());
  return {std::move(message), place.line, place.column};
}

} // namespace

u32 utf8_size(const char *at, const char *end) {
  const auto byte = [at](int index) { return static_cast<unsigned char>(at[index]); };
  const auto follows = [&byte](int index, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(index) >= low && byte(index) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  const std::ptrdiff_t room = end - at;
  if (lead >= 0xC2 && lead <= 0xDF) {
    return room >= 2 && follows(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    // No overlong forms, no surrogates.
    return room >= 3 && follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    // No overlong forms, nothing above U+10FFFF.
    return room >= 4 && follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3)
               ? 4
               : 0;
  }
  return 0;
}

u32 count_characters(std::string_view line, std::size_t offset) {
  const char *at = line.data();
  const char *const stop = at + std::min(offset, line.size());
  const char *const end = at + line.size();
  u32 count = 0;
  while (at < stop) {
    u64 word = 0;
    if (stop - at >= 8 && (std::memcpy(&word, at, 8), (word & kHighBits) == 0)) {
      at += 8;
      count += 8;
      continue;
    }
    at += std::max(utf8_size(at, end), 1U);
    if (at <= stop) {
      ++count;
    }
  }
  return count;
}

Place place_of(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  Place place;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    const bool ends_line = text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
    if (ends_line) {
      ++place.line;
      begin = i + 1;
    }
  }
  place.column = 1 + count_characters(text.substr(begin), offset - begin);
  return place;
}

std::optional<EncodingCookie> find_encoding_cookie(std::string_view bytes) {
  for (u32 number = 1; number <= 2; ++number) {
    const auto start = std::ranges::find_if_not(bytes, is_blank);
    if (start == bytes.end() || (*start != '#' && *start != '\n' && *start != '\r')) {
      return std::nullopt; // code: whatever follows is no declaration
    }
    const std::string_view line = first_line(bytes);
    if (const std::string_view name = cookie_name(line); !name.empty()) {
      return EncodingCookie{name,
                            {number, 1 + count_characters(line, static_cast<std::size_t>(name.data() - line.data()))}};
    }
    bytes = behind_first_line(bytes, line);
  }
  return std::nullopt;
}

bool means_utf8(std::string_view encoding) {
  const std::string name = normal_name(encoding);
  constexpr std::string_view kNames[] = {"utf-8", "utf8", "u8", "utf", "utf8-ucs2", "utf8-ucs4", "cp65001"};
  return std::ranges::find(kNames, std::string_view(name)) != std::end(kNames) || name.starts_with("utf-8-") ||
         name.starts_with("utf8-");
}

std::string_view wide_byte_order_mark(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) {
    return "UTF-32";
  }
  if (bytes.starts_with("\xFF\xFE"sv) || bytes.starts_with("\xFE\xFF"sv)) {
    return "UTF-16";
  }
  return {};
}

std::optional<SourceError> convert_to_utf8(std::string_view bytes, const EncodingCookie &cookie, std::string &text) {
  UErrorCode status = U_ZERO_ERROR;
  const Converter converter(ucnv_open(icu_name(cookie.name).c_str(), &status));
  if (U_FAILURE(status)) {
    return at_cookie(cookie, fmt::format("unknown encoding: {}", cookie.name));
  }
  if (ucnv_getMinCharSize(converter.get()) > 1) {
    return at_cookie(cookie,
                     fmt::format("declares the encoding {} in bytes that are not {}", cookie.name, cookie.name));
  }
  ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);

  text.clear();
  text.reserve(bytes.size() + bytes.size() / 4);
  std::array<UChar, 4096> units; // NOLINT(cppcoreguidelines-pro-type-member-init): the converter fills it
  int waiting = 0;
  const char *from = bytes.data();
  const char *const end = from + bytes.size();
  do {
    status = U_ZERO_ERROR;
    UChar *to = units.data() + waiting;
    ucnv_toUnicode(converter.get(), &to, units.data() + units.size(), &from, end, nullptr, 1, &status);
    const auto count = static_cast<int>(to - units.data());
    waiting = append_utf16(units.data(), count, text);
    units[0] = waiting != 0 ? units[static_cast<std::size_t>(count - 1)] : u'\0';
    if (text.size() > Source::kMaxSize) {
      return SourceError{"is larger than 1 GiB as UTF-8"};
    }
  } while (status == U_BUFFER_OVERFLOW_ERROR);
  if (U_FAILURE(status)) {
    return bad_bytes(converter.get(), cookie, text);
  }
  return std::nullopt;
}

std::optional<std::string> convert_from_utf8(std::string_view text, std::string_view encoding) {
  UErrorCode status = U_ZERO_ERROR;
  const Converter converter(ucnv_open(icu_name(encoding).c_str(), &status));
  if (U_FAILURE(status)) {
    return std::nullopt;
  }
  ucnv_setFromUCallBack(converter.get(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);
  // Best-fit characters would change the text without a word.
  ucnv_setFallback(converter.get(), 0);

  std::u16string units;
  units.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const u32 size = utf8_size(text.data() + at, text.data() + text.size());
    if (size == 0) {
      return std::nullopt;
    }
    UChar32 character = 0;
    U8_NEXT_UNSAFE(text.data(), at, character);
    if (U_IS_BMP(character)) {
      units += static_cast<char16_t>(character);
    } else {
      units += static_cast<char16_t>(U16_LEAD(character));
      units += static_cast<char16_t>(U16_TRAIL(character));
    }
  }

  std::string bytes;
  std::array<char, 4096> room; // NOLINT(cppcoreguidelines-pro-type-member-init): the converter fills it
  const UChar *from = units.data();
  const UChar *const end = from + units.size();
  do {
    status = U_ZERO_ERROR;
    char *to = room.data();
    ucnv_fromUnicode(converter.get(), &to, room.data() + room.size(), &from, end, nullptr, 1, &status);
    bytes.append(room.data(), to);
  } while (status == U_BUFFER_OVERFLOW_ERROR);
  return U_FAILURE(status) ? std::nullopt : std::optional(std::move(bytes));
}

} // namespace deepperf::python
