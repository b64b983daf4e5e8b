#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace deepperf::bench {

namespace {

constexpr u64 kSeed = 20260;
constexpr u32 kResamples = 4000;
constexpr double kTail = 0.025;

// SplitMix64: the same numbers with every library.
class Random {
public:
  std::size_t below(std::size_t bound) {
    state_ += 0x9E3779B97F4A7C15;
    u64 z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    // Samples are so small that the remainder is as good as even.
    return static_cast<std::size_t>(z % bound);
  }

private:
  u64 state_ = kSeed;
};

// `estimate` is asked for the value of a list of rounds, in which some may be missing and others more than once.
template <class Estimate> Interval bootstrap(std::size_t rounds, const Estimate &estimate) {
  Interval interval;
  std::vector<std::size_t> drawn(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    drawn[i] = i;
  }
  interval.value = rounds == 0 ? std::numeric_limits<double>::quiet_NaN() : estimate(drawn);
  if (!std::isfinite(interval.value)) {
    interval.low = interval.high = interval.value;
    return interval;
  }
  Random random;
  std::vector<double> estimates;
  estimates.reserve(kResamples);
  for (u32 i = 0; i < kResamples; ++i) {
    std::ranges::generate(drawn, [&] { return random.below(rounds); });
    estimates.push_back(estimate(drawn));
  }
  std::ranges::sort(estimates);
  const auto at = [&](double share) {
    return estimates[static_cast<std::size_t>(std::lround(share * static_cast<double>(kResamples - 1)))];
  };
  interval.low = std::min(at(kTail), interval.value);
  interval.high = std::max(at(1 - kTail), interval.value);
  return interval;
}

double median_of(std::span<const double> values, const std::vector<std::size_t> &rounds) {
  std::vector<double> chosen;
  chosen.reserve(rounds.size());
  for (const std::size_t round : rounds) {
    chosen.push_back(values[round]);
  }
  return median(std::move(chosen));
}

} // namespace

double median(std::vector<double> values) {
  if (values.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Interval ratio_of_medians(std::span<const double> numerators, std::span<const double> denominators) {
  return bootstrap(std::min(numerators.size(), denominators.size()), [&](const std::vector<std::size_t> &rounds) {
    return median_of(numerators, rounds) / median_of(denominators, rounds);
  });
}

double growth_factor(const Growing &sample) { return median(sample.largest) / median(sample.smallest); }

Interval ratio_of_growth(const Growing &first, const Growing &second) {
  const std::size_t rounds =
      std::min({first.smallest.size(), first.largest.size(), second.smallest.size(), second.largest.size()});
  return bootstrap(rounds, [&](const std::vector<std::size_t> &drawn) {
    const double one = median_of(first.largest, drawn) / median_of(first.smallest, drawn);
    const double other = median_of(second.largest, drawn) / median_of(second.smallest, drawn);
    return one / other;
  });
}

} // namespace deepperf::bench
