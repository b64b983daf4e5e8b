// Interned names: every identifier of every file is a 32-bit Symbol, equal exactly when its text is.
//
// The table is one per process, because the whole program compares names across files. Workers look names up through a
// LocalSymbols each, which takes no lock for a name that the worker has seen before.
#pragma once

#include "base/huge_pages.h"
#include "base/types.h"

#include <array>
#include <atomic>
#include <cstring>
#include <string_view>
#include <vector>

namespace deepperf {

// Where the texts of symbols are found, for text() below; symbol.cpp fills it.
namespace symbol_blocks {
inline constexpr u32 kBits = 13;
inline constexpr u32 kSize = 1U << kBits;
inline constexpr u32 kMost = 1U << 16; // 2^29 names: more than memory holds
extern std::array<std::atomic<const std::string_view *>, kMost> blocks;
} // namespace symbol_blocks

struct Symbol {
  u32 id = 0; // 0 is "no name"

  [[nodiscard]] std::string_view text() const {
    const std::string_view *const block =
        symbol_blocks::blocks[id >> symbol_blocks::kBits].load(std::memory_order_acquire);
    return block[id & (symbol_blocks::kSize - 1)];
  }
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

// A name as three words. Names of up to 24 bytes, nearly all there are, are equal exactly when these are.
struct Words {
  u64 first = 0;
  u64 second = 0;
  u64 third = 0; // of a longer name, a hash of everything from byte 16 on

  friend bool operator==(const Words &, const Words &) = default;
};

u64 long_tail(const char *text, u32 size);

// Which bytes of its first two words belong to a name of that size. By table, because sizes follow no pattern that a
// processor could predict.
struct Masks {
  u64 first = 0;
  u64 second = 0;
};
inline constexpr auto kMasks = [] {
  std::array<Masks, 17> masks{};
  for (u32 size = 0; size <= 16; ++size) {
    masks[size].first = size >= 8 ? ~u64{0} : (u64{1} << (size * 8)) - 1;
    masks[size].second = size <= 8 ? 0 : size == 16 ? ~u64{0} : (u64{1} << ((size - 8) * 8)) - 1;
  }
  return masks;
}();

inline Words words(const char *text, u32 size) {
  if (size <= 16) [[likely]] {
    return {load(text, 8) & kMasks[size].first, load(text + 8, 8) & kMasks[size].second, 0};
  }
  return {load(text, 8), load(text + 8, 8), size <= 24 ? load(text + 16, size - 16) : long_tail(text, size)};
}

inline u64 combine(const Words &words, u32 size) {
  u64 hash = words.first ^ (words.second * 0xC2B2AE3D27D4EB4F) ^ (words.third * 0x165667B19E3779F9) ^ size;
  hash *= kMultiplier;
  hash ^= hash >> 32;
  return hash;
}

} // namespace name_hash

// A worker's own view of the table. Not thread-safe; make one per thread.
class LocalSymbols {
public:
  LocalSymbols();

  // For who asks whether a text can be parsed and not what is in it: keywords and other names that are known to the
  // program are told apart, all others are one and the same.
  static LocalSymbols of_known_names();

  // `text` must have 16 readable bytes after its end (a padded source buffer has).
  Symbol intern_padded(const char *text, u32 size) {
    const Entry wanted{name_hash::words(text, size), size, {}};
    const u64 hash = name_hash::combine(wanted.words, size);
    Entry &recent = recent_[(hash >> 16) % kRecent];
    if (same(recent, wanted, text)) {
      return recent.symbol;
    }
    recent = wanted;
    return recent.symbol = find(text, wanted, hash);
  }

private:
  struct alignas(32) Entry {
    name_hash::Words words;
    u32 size = 0;
    Symbol symbol; // empty: the slot is free
  };
  static bool same(const Entry &entry, const Entry &wanted, const char *text) {
    return entry.words == wanted.words && entry.size == wanted.size &&
           (wanted.size <= 24 || entry.symbol.text() == std::string_view(text, wanted.size));
  }
  Symbol find(const char *text, const Entry &wanted, u64 hash);
  Symbol intern_slowly(const char *text, const Entry &wanted, u64 hash, std::size_t slot);
  void grow();

  // A file uses the same few hundred names over and over: those are found here, without leaving the nearest caches.
  static constexpr std::size_t kRecent = 2048;
  std::vector<Entry> recent_ = std::vector<Entry>(kRecent);
  using Entries = std::vector<Entry, HugePageAllocator<Entry>>;
  Entries entries_;
  std::size_t used_ = 0;
  Symbol all_others_; // if it is there, nothing is added
};

} // namespace deepperf
