// Random numbers that are the same on every machine and with every library, so that a seed means one result.
#pragma once

#include "base/types.h"

#include <utility>
#include <vector>

namespace deepperf::study {

// SplitMix64.
class Random {
public:
  explicit Random(u64 seed) : state_(seed) {}

  u64 next() {
    state_ += 0x9E3779B97F4A7C15;
    u64 z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  // From 0 to bound - 1; each as probable as the others.
  u64 below(u64 bound) {
    const u64 limit = ~u64{0} - ~u64{0} % bound;
    u64 value = next();
    while (value >= limit) {
      value = next();
    }
    return value % bound;
  }

  template <class T> void shuffle(std::vector<T> &items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(i)]);
    }
  }

private:
  u64 state_;
};

} // namespace deepperf::study
