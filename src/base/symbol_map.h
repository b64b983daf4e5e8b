// A map from symbols to values for many small maps: entries in the order they came, and an index once there are many.
#pragma once

#include "base/types.h"

#include <bit>
#include <utility>
#include <vector>

namespace deepperf {

// Where a name is looked for first in a table of `mask` + 1 places.
inline u32 first_place(u32 name, u32 mask) { return (name * 0x9E3779B1U >> 7U) & mask; }

template <class T> class SymbolMap {
public:
  using Entry = std::pair<u32, T>;
  using Iterator = typename std::vector<Entry>::const_iterator;

  // The value may move when another name comes.
  T &operator[](u32 name) {
    const std::size_t found = place_of(name);
    if (found != entries_.size()) {
      return entries_[found].second;
    }
    entries_.emplace_back(name, T{});
    if (entries_.size() * 2 > index_.size() && entries_.size() > kFew) {
      rebuild();
    } else if (!index_.empty()) {
      add_to_index(entries_.size() - 1);
    }
    return entries_.back().second;
  }

  [[nodiscard]] Iterator find(u32 name) const { return entries_.begin() + static_cast<std::ptrdiff_t>(place_of(name)); }
  [[nodiscard]] bool contains(u32 name) const { return place_of(name) != entries_.size(); }
  [[nodiscard]] Iterator begin() const { return entries_.begin(); }
  [[nodiscard]] Iterator end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

private:
  static constexpr std::size_t kFew = 8; // found as fast by looking at each

  [[nodiscard]] std::size_t place_of(u32 name) const {
    if (index_.empty()) {
      std::size_t place = 0;
      while (place < entries_.size() && entries_[place].first != name) {
        ++place;
      }
      return place;
    }
    const u32 mask = static_cast<u32>(index_.size()) - 1;
    for (u32 at = first_place(name, mask); index_[at] != 0; at = (at + 1) & mask) {
      if (entries_[index_[at] - 1].first == name) {
        return index_[at] - 1;
      }
    }
    return entries_.size();
  }

  void add_to_index(std::size_t place) {
    const u32 mask = static_cast<u32>(index_.size()) - 1;
    u32 at = first_place(entries_[place].first, mask);
    while (index_[at] != 0) {
      at = (at + 1) & mask;
    }
    index_[at] = static_cast<u32>(place) + 1;
  }

  void rebuild() {
    index_.assign(std::bit_ceil(entries_.size() * 4), 0);
    for (std::size_t place = 0; place < entries_.size(); ++place) {
      add_to_index(place);
    }
  }

  std::vector<Entry> entries_;
  std::vector<u32> index_; // places from 1 by hash; only of many
};

} // namespace deepperf
