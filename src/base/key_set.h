// A set of numbers that is emptied often: emptying it costs nothing.
#pragma once

#include "base/types.h"

#include <vector>

namespace deepperf {

class KeySet {
public:
  void clear() {
    ++generation_;
    count_ = 0;
  }

  // Was it new?
  bool insert(u64 key) {
    if (count_ * 2 >= places_.size()) {
      grow();
    }
    const std::size_t mask = places_.size() - 1;
    for (std::size_t at = hash(key) & mask;; at = (at + 1) & mask) {
      Place &place = places_[at];
      if (place.generation != generation_) {
        place = {key, generation_};
        ++count_;
        return true;
      }
      if (place.key == key) {
        return false;
      }
    }
  }

private:
  struct Place {
    u64 key = 0;
    u32 generation = 0;
  };

  // Keys may differ in their upper half alone: both halves go into the bits that are used.
  static std::size_t hash(u64 key) {
    return static_cast<std::size_t>(((key ^ (key >> 32U)) * 0x9E3779B97F4A7C15U) >> 32U);
  }

  void grow() {
    std::vector<Place> before = std::move(places_);
    places_.assign(before.empty() ? 256 : before.size() * 2, {});
    const u32 old_generation = generation_;
    generation_ = 1;
    count_ = 0;
    for (const Place &place : before) {
      if (place.generation == old_generation) {
        insert(place.key);
      }
    }
  }

  std::vector<Place> places_;
  u32 generation_ = 1;
  std::size_t count_ = 0;
};

} // namespace deepperf
