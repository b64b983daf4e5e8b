#include "base/symbol.h"

#include "base/known_names.h"
#include "base/preset_names.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

namespace deepperf {

namespace {

constexpr u32 kShards = 64;

// Texts are stored with this much room after them, so that comparisons may read whole words.
constexpr std::size_t kPadding = 16;

// ---- The table of the process ---------------------------------------------------------------------------------------

using Block = std::array<std::string_view, symbol_blocks::kSize>;

// A part of the table with a lock of its own: open addressing from hash to symbol, and the texts.
struct Shard {
  struct Entry {
    u64 hash = 0;
    Symbol symbol;
    bool used = false;
  };
  std::mutex mutex;
  std::vector<Entry> entries = std::vector<Entry>(256);
  std::size_t used = 0;
  std::vector<std::unique_ptr<char[]>> texts;
  char *next = nullptr;
  std::size_t room = 0;

  std::string_view store(std::string_view text) {
    const std::size_t size = text.size() + kPadding;
    if (size > room) {
      room = size > 65536 ? size : 65536;
      texts.push_back(std::make_unique<char[]>(room));
      next = texts.back().get();
    }
    std::memcpy(next, text.data(), text.size());
    const std::string_view stored(next, text.size());
    next += size;
    room -= size;
    return stored;
  }

  Entry &free_slot(u64 hash) {
    const std::size_t mask = entries.size() - 1;
    std::size_t slot = (hash >> 8) & mask;
    while (entries[slot].used) {
      slot = (slot + 1) & mask;
    }
    return entries[slot];
  }

  void grow() {
    std::vector<Entry> old(entries.size() * 2);
    old.swap(entries);
    for (const Entry &entry : old) {
      if (entry.used) {
        free_slot(entry.hash) = entry;
      }
    }
  }
};

class SymbolTable {
public:
  SymbolTable() {
    for (u32 block = 0; block < kPresetNames.blocks; ++block) {
      symbol_blocks::blocks[block].store(kPresetNames.texts + std::size_t{block} * symbol_blocks::kSize,
                                         std::memory_order_release);
    }
  }

  Symbol intern_unpadded(std::string_view text) {
    const auto size = static_cast<u32>(text.size());
    std::array<char, 128> room; // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as it is read
    if (text.size() + kPadding <= room.size()) {
      std::ranges::copy(text, room.data()); // an empty text may have no data at all
      std::memset(room.data() + text.size(), 0, kPadding);
      return intern_recent(text, name_hash::combine(name_hash::words(room.data(), size), size));
    }
    std::string padded(text);
    padded.append(kPadding, '\0');
    return intern(text, name_hash::combine(name_hash::words(padded.data(), size), size));
  }

  Symbol intern(std::string_view text, u64 hash) {
    for (u32 slot = PresetNames::first_slot(hash);; ++slot) {
      const u16 id = kPresetNames.slots[slot & kPresetNames.slot_mask];
      if (id == 0) {
        break;
      }
      if (kPresetNames.texts[id] == text) {
        return Symbol{id};
      }
    }
    if (text.empty()) {
      return {};
    }
    Shard &shard = shards_[hash % kShards];
    const std::scoped_lock lock(shard.mutex);
    const std::size_t mask = shard.entries.size() - 1;
    for (std::size_t slot = (hash >> 8) & mask; shard.entries[slot].used; slot = (slot + 1) & mask) {
      const Shard::Entry &entry = shard.entries[slot];
      if (entry.hash == hash && entry.symbol.text() == text) {
        return entry.symbol;
      }
    }
    if (++shard.used * 2 > shard.entries.size()) {
      shard.grow();
    }
    const Symbol symbol{next_id_.fetch_add(1)};
    place(symbol) = shard.store(text);
    shard.free_slot(hash) = {hash, symbol, true};
    return symbol;
  }

private:
  // The same names are asked for again and again: those that this thread asked for last take no lock.
  Symbol intern_recent(std::string_view text, u64 hash) {
    struct Recent {
      u64 hash = 0;
      Symbol symbol;
    };
    constexpr std::size_t kRecent = 2048;
    static constinit thread_local std::array<Recent, kRecent> all{};
    Recent &recent = all[hash % kRecent];
    if (recent.hash != hash || !recent.symbol || recent.symbol.text() != text) {
      recent = {hash, intern(text, hash)};
    }
    return recent.symbol;
  }

  // A symbol reaches another thread only through something that synchronises, so its place is filled by then.
  static std::string_view &place(Symbol symbol) {
    std::atomic<const std::string_view *> &at = symbol_blocks::blocks[symbol.id >> symbol_blocks::kBits];
    const std::string_view *block = at.load(std::memory_order_acquire);
    if (block == nullptr) {
      auto fresh = std::make_unique<Block>();
      if (at.compare_exchange_strong(block, fresh->data())) {
        block = fresh.release()->data(); // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the table has it now
      }
    }
    return const_cast<std::string_view &>(block[symbol.id & (symbol_blocks::kSize - 1)]);
  }

  std::array<Shard, kShards> shards_;
  std::atomic<u32> next_id_{kPresetNames.blocks * symbol_blocks::kSize}; // in blocks of its own
};

SymbolTable &table() {
  // Never destroyed: symbols are used until the very end, and the system frees memory faster than we do.
  static auto *const instance = new SymbolTable;
  return *instance;
}

// Names that are known at compile time have a text from the start.
[[maybe_unused]] const SymbolTable &kStarted = table();

} // namespace

constinit std::array<std::atomic<const std::string_view *>, symbol_blocks::kMost> symbol_blocks::blocks{};

Symbol intern(std::string_view text) { return table().intern_unpadded(text); }

// ---- A worker's view ------------------------------------------------------------------------------------------------

LocalSymbols::LocalSymbols() : entries_(8192) {}

LocalSymbols LocalSymbols::of_known_names() {
  LocalSymbols symbols;
  for (const std::string_view text : known::texts) {
    std::string padded(text);
    padded.append(kPadding, '\0');
    symbols.intern_padded(padded.data(), static_cast<u32>(text.size()));
  }
  symbols.all_others_ = intern("(a name)");
  return symbols;
}

Symbol LocalSymbols::find(const char *text, const Entry &wanted, u64 hash) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t slot = hash & mask;
  for (;; slot = (slot + 1) & mask) {
    const Entry &entry = entries_[slot];
    if (!entry.symbol) {
      return all_others_ ? all_others_ : intern_slowly(text, wanted, hash, slot);
    }
    if (same(entry, wanted, text)) {
      return entry.symbol;
    }
  }
}

Symbol LocalSymbols::intern_slowly(const char *text, const Entry &wanted, u64 hash, std::size_t slot) {
  const Symbol symbol = table().intern({text, wanted.size}, hash);
  entries_[slot] = wanted;
  entries_[slot].symbol = symbol;
  if (++used_ * 2 > entries_.size()) {
    grow();
  }
  return symbol;
}

void LocalSymbols::grow() {
  Entries old(entries_.size() * 2);
  old.swap(entries_);
  const std::size_t mask = entries_.size() - 1;
  for (const Entry &entry : old) {
    if (!entry.symbol) {
      continue;
    }
    std::size_t slot = name_hash::combine(entry.words, entry.size) & mask;
    while (entries_[slot].symbol) {
      slot = (slot + 1) & mask;
    }
    entries_[slot] = entry;
  }
}

} // namespace deepperf
