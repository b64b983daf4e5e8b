// What belongs to a word of source text.
#pragma once

namespace deepperf {

// Of names in any language: every byte of a character outside of ASCII counts.
constexpr bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

} // namespace deepperf
