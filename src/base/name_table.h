// A small table of what is known of some names, looked up by symbol: one probe, no strings.
#pragma once

#include "base/symbol.h"
#include "base/symbol_map.h"

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf {

class NameTable {
public:
  NameTable() : entries_(kStart) {}
  // Of names that are only in it or not.
  NameTable(std::initializer_list<std::string_view> names) : NameTable() {
    for (const std::string_view name : names) {
      add(name, 1);
    }
  }

  // Adds bits to a name's.
  void add(std::string_view name, u64 bits) {
    const Symbol symbol = intern(name);
    u32 at = place_of(symbol.id);
    if (entries_[at].first == 0 && ++used_ * 2 > entries_.size()) {
      grow();
      at = place_of(symbol.id);
    }
    entries_[at] = {symbol.id, entries_[at].second | bits};
  }

  [[nodiscard]] bool has(Symbol name) const { return (*this)[name] != 0; }
  // 0 for a name that is not in it.
  [[nodiscard]] u64 operator[](Symbol name) const { return entries_[place_of(name.id)].second; }

private:
  static constexpr std::size_t kStart = 64;

  [[nodiscard]] u32 place_of(u32 id) const {
    const u32 mask = static_cast<u32>(entries_.size()) - 1;
    u32 at = first_place(id, mask);
    while (entries_[at].first != id && entries_[at].first != 0) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<std::pair<u32, u64>> old(entries_.size() * 2);
    old.swap(entries_);
    for (const auto &entry : old) {
      if (entry.first != 0) {
        entries_[place_of(entry.first)] = entry;
      }
    }
  }

  std::vector<std::pair<u32, u64>> entries_; // symbol ids and bits, by open addressing; 0 is free
  std::size_t used_ = 0;
};

} // namespace deepperf
