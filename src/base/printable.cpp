#include "base/printable.h"

#include "base/types.h"
#include "base/write.h"

#include <algorithm>
#include <iterator>

namespace deepperf {

namespace {

struct Character {
  char32_t value = 0;
  std::size_t size = 1;
  bool is_valid = false;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<u8>(text[i]); };
  if (byte(0) < 0x80) {
    return {byte(0), 1, true};
  }
  const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < size) {
    return {byte(0), 1, false};
  }
  char32_t value = byte(0) & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) {
      return {byte(0), 1, false};
    }
    value = value << 6U | (byte(i) & 0x3FU);
  }
  // Longer than need be, half of a pair of UTF-16, or beyond Unicode.
  const bool is_valid = value >= (size == 4   ? 0x10000U
                                  : size == 3 ? 0x800U
                                              : 0x80U) &&
                        value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return is_valid ? Character{value, size, true} : Character{byte(0), 1, false};
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

// Marks, embeddings, overrides and isolates that change the direction of text, and separators that end a line.
bool changes_layout(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0xFEFF;
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

template <class Replace> std::string replaced(std::string_view text, const Replace &replace) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) {
      break;
    }
    const Character c = first_character(text);
    if (c.is_valid && !is_control(c.value) && !changes_layout(c.value)) {
      out += text.substr(0, c.size);
    } else {
      replace(c, out);
    }
    text.remove_prefix(c.size);
  }
  return out;
}

void append_escape(const Character &c, std::string &out) {
  if (c.value < 0x100) {
    write(out, "\\x{:02x}", static_cast<u32>(c.value));
  } else {
    write(out, "\\u{:04x}", static_cast<u32>(c.value));
  }
}

} // namespace

std::string printable(std::string_view text) {
  return replaced(text, [](const Character &c, std::string &out) {
    if (c.value == '\t' || c.value == '\n' || c.value == '\r') {
      out += ' ';
    } else {
      append_escape(c, out);
    }
  });
}

std::string printable_lines(std::string_view text) {
  return replaced(text, [](const Character &c, std::string &out) {
    if (c.value == '\t' || c.value == '\n') {
      out += static_cast<char>(c.value);
    } else {
      append_escape(c, out);
    }
  });
}

std::string printable_code(std::string_view text) {
  return replaced(text, [](const Character &, std::string &out) { out += ' '; });
}

} // namespace deepperf
