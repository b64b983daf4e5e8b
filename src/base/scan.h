// Finding bytes fast. All functions may read up to 32 bytes past what they look for: the text must be padded.
#pragma once

#include "base/types.h"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace deepperf::scan {

inline constexpr std::array<bool, 256> kNameBytes = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    table[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
  }
  return table;
}();

inline constexpr std::array<bool, 256> kNameStarts = [] {
  std::array<bool, 256> table = kNameBytes;
  for (unsigned c = '0'; c <= '9'; ++c) {
    table[c] = false;
  }
  return table;
}();

inline bool starts_name(char c) { return kNameStarts[static_cast<u8>(c)]; }
inline bool is_name_byte(char c) { return kNameBytes[static_cast<u8>(c)]; }

#if defined(__SSE2__)

inline __m128i load(const char *at) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(at)); }
inline u32 mask(__m128i matches) { return static_cast<u32>(_mm_movemask_epi8(matches)); }
inline __m128i equal(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }

// All ones where low <= byte <= high, compared without sign: max(byte, low) == byte and min(byte, high) == byte.
inline __m128i in_range(__m128i bytes, char low, char high) {
  return _mm_and_si128(_mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(low)), bytes),
                       _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(high)), bytes));
}

// The first byte at or after `at` that cannot be part of a name, and whether all before it are ASCII.
struct NameEnd {
  const char *end;
  bool ascii;
};
inline NameEnd name_end(const char *at) {
  for (bool ascii = true;; at += 16) {
    const __m128i bytes = load(at);
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    __m128i name = in_range(lower, 'a', 'z');
    name = _mm_or_si128(name, in_range(bytes, '0', '9'));
    name = _mm_or_si128(name, equal(bytes, '_'));
    const u32 high = mask(bytes); // the sign bit is set from 0x80 on
    const u32 found = (mask(name) | high) ^ 0xFFFFU;
    if (found != 0) [[likely]] {
      return {at + std::countr_zero(found), ascii && (high & (found - 1) & ~found) == 0};
    }
    ascii = ascii && high == 0;
  }
}

// The first of '\n', '\r', NUL at or after `at`.
inline const char *line_end(const char *at) {
  for (;; at += 16) {
    const __m128i bytes = load(at);
    const u32 found = mask(_mm_or_si128(_mm_or_si128(equal(bytes, '\n'), equal(bytes, '\r')), equal(bytes, '\0')));
    if (found != 0) {
      return at + std::countr_zero(found);
    }
  }
}

// The first of `quote`, '\\', '\n', '\r', NUL at or after `at`.
inline const char *string_stop(const char *at, char quote) {
  for (;; at += 16) {
    const __m128i bytes = load(at);
    const __m128i ends = _mm_or_si128(_mm_or_si128(equal(bytes, '\n'), equal(bytes, '\r')), equal(bytes, '\0'));
    const u32 found = mask(_mm_or_si128(ends, _mm_or_si128(equal(bytes, quote), equal(bytes, '\\'))));
    if (found != 0) {
      return at + std::countr_zero(found);
    }
  }
}

// The first of `quote`, '\\', NUL at or after `at`.
inline const char *long_string_stop(const char *at, char quote) {
  for (;; at += 16) {
    const __m128i bytes = load(at);
    const u32 found = mask(_mm_or_si128(equal(bytes, '\0'), _mm_or_si128(equal(bytes, quote), equal(bytes, '\\'))));
    if (found != 0) {
      return at + std::countr_zero(found);
    }
  }
}

// The first byte at or after `at` that is no space.
inline const char *spaces_end(const char *at) {
  for (;; at += 16) {
    const u32 found = mask(equal(load(at), ' ')) ^ 0xFFFFU;
    if (found != 0) {
      return at + std::countr_zero(found);
    }
  }
}

// Where the word stands first at or after `at`, before `end`; null if it does not. It has 2 to 16 bytes.
inline const char *find_word(const char *at, const char *end, std::string_view word) {
  const std::size_t last = word.size() - 1;
  for (; at < end; at += 16) {
    u32 found = mask(_mm_and_si128(equal(load(at), word[0]), equal(load(at + last), word[last])));
    for (; found != 0; found &= found - 1) {
      const char *const place = at + std::countr_zero(found);
      if (place + word.size() <= end && std::memcmp(place, word.data(), word.size()) == 0) {
        return place;
      }
    }
  }
  return nullptr;
}

#else

inline const char *find_word(const char *at, const char *end, std::string_view word) {
  const std::size_t place = std::string_view(at, static_cast<std::size_t>(end - at)).find(word);
  return place != std::string_view::npos ? at + place : nullptr;
}

struct NameEnd {
  const char *end;
  bool ascii;
};
inline NameEnd name_end(const char *at) {
  bool ascii = true;
  for (; is_name_byte(*at); ++at) {
    ascii = ascii && static_cast<u8>(*at) < 0x80;
  }
  return {at, ascii};
}
inline const char *line_end(const char *at) {
  while (*at != '\n' && *at != '\r' && *at != '\0') {
    ++at;
  }
  return at;
}
inline const char *string_stop(const char *at, char quote) {
  while (*at != quote && *at != '\\' && *at != '\n' && *at != '\r' && *at != '\0') {
    ++at;
  }
  return at;
}
inline const char *long_string_stop(const char *at, char quote) {
  while (*at != quote && *at != '\\' && *at != '\0') {
    ++at;
  }
  return at;
}
inline const char *spaces_end(const char *at) {
  while (*at == ' ') {
    ++at;
  }
  return at;
}

#endif

} // namespace deepperf::scan
