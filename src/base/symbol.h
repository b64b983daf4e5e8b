// Interned names: every identifier of every file is a 32-bit Symbol, equal exactly when its text is.
//
// The table is one per process, because the whole program compares names across files. Workers look names up through a
// LocalSymbols each, which takes no lock for a name that the worker has seen before.
#pragma once

#include "base/types.h"

#include <cstring>
#include <string_view>
#include <vector>

namespace deepperf {

struct Symbol {
  u32 id = 0; // 0 is "no name"

  [[nodiscard]] std::string_view text() const;
  explicit operator bool() const { return id != 0; }
  friend bool operator==(Symbol, Symbol) = default;
};

// Interns through the process-wide table; for names that are not on a hot path.
Symbol intern(std::string_view text);

// Hashing by words of 8 bytes, the last zero-filled. Texts must have readable bytes up to the end of that word.
namespace name_hash {

inline constexpr u64 kMultiplier = 0x9E3779B97F4A7C15;

// The first `size` (at most 8) bytes at `bytes`, the rest zero.
inline u64 load(const char *bytes, u32 size) {
  u64 word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return size >= 8 ? word : word & ((u64{1} << (size * 8)) - 1);
}

// Bytes 8 to 15, zero-filled; of a longer name, a hash of everything from byte 8 on.
u64 long_tail(const char *text, u32 size);
inline u64 tail(const char *text, u32 size) {
  return size <= 8 ? 0 : size <= 16 ? load(text + 8, size - 8) : long_tail(text, size);
}

inline u64 combine(u64 head, u64 tail, u32 size) {
  u64 hash = (head ^ (tail * 0xC2B2AE3D27D4EB4F) ^ size) * kMultiplier;
  hash ^= hash >> 32;
  return hash;
}

} // namespace name_hash

// A worker's own view of the table. Not thread-safe; make one per thread.
class LocalSymbols {
public:
  LocalSymbols();

  // `text` must have 16 readable bytes after its end (a padded source buffer has).
  Symbol intern_padded(const char *text, u32 size) {
    const Entry wanted{name_hash::load(text, size), name_hash::tail(text, size), size, {}};
    const u64 hash = name_hash::combine(wanted.head, wanted.tail, size);
    Entry &recent = recent_[(hash >> 16) % kRecent];
    if (same(recent, wanted, text)) {
      return recent.symbol;
    }
    recent = wanted;
    return recent.symbol = find(text, wanted, hash);
  }

private:
  // Names of up to 16 bytes, nearly all of them, are compared by what the entry itself has.
  struct Entry {
    u64 head = 0; // first 8 bytes, zero-filled
    u64 tail = 0;
    u32 size = 0;
    Symbol symbol; // empty: the slot is free
  };
  static bool same(const Entry &entry, const Entry &wanted, const char *text) {
    return entry.head == wanted.head && entry.tail == wanted.tail && entry.size == wanted.size &&
           (wanted.size <= 16 || entry.symbol.text() == std::string_view(text, wanted.size));
  }
  Symbol find(const char *text, const Entry &wanted, u64 hash);
  Symbol intern_slowly(const char *text, const Entry &wanted, u64 hash, std::size_t slot);
  void grow();

  // A file uses the same few hundred names over and over: those are found here, without leaving the nearest caches.
  static constexpr std::size_t kRecent = 4096;
  std::vector<Entry> recent_ = std::vector<Entry>(kRecent);
  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

} // namespace deepperf
