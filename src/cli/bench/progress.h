// How far a benchmark is, and how long it will take.
#pragma once

#include "bench/measure.h"

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace deepperf::cli {

class BenchProgress {
public:
  // `runs` says how many runs of a program each pair will need.
  explicit BenchProgress(std::vector<u32> runs);

  void begin(std::size_t pair, const std::string &id);
  void step(const bench::Step &step);
  // For a ProgressBar, which asks from a thread of its own.
  [[nodiscard]] std::string line();

private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double seconds_left() const;

  std::mutex mutex_;
  std::vector<u32> runs_;
  std::size_t pair_ = 0;
  std::string id_;
  std::string program_;
  u32 done_ = 0;              // runs of this pair
  u32 done_before_ = 0;       // and of those before it
  double seconds_before_ = 0; // that those took
  Clock::time_point pair_began_ = Clock::now();
};

// "about 3 min"
std::string about(double seconds);

} // namespace deepperf::cli
