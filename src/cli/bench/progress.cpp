#include "cli/bench/progress.h"

#include "cli/terminal.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

namespace deepperf::cli {

BenchProgress::BenchProgress(std::vector<u32> runs) : runs_(std::move(runs)) {}

void BenchProgress::begin(std::size_t pair, const std::string &id) {
  const std::scoped_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (done_ != 0) {
    seconds_before_ += std::chrono::duration<double>(now - pair_began_).count();
    done_before_ += done_;
  }
  pair_ = pair;
  id_ = id;
  program_.clear();
  done_ = 0;
  pair_began_ = now;
}

void BenchProgress::step(const bench::Step &step) {
  const std::scoped_lock lock(mutex_);
  program_ = step.program;
  done_ = step.done;
}

// This pair goes on as it began, and others take as long as those so far.
double BenchProgress::seconds_left() const {
  const double here = std::chrono::duration<double>(Clock::now() - pair_began_).count();
  const u32 later = std::accumulate(runs_.begin() + static_cast<std::ptrdiff_t>(std::min(pair_ + 1, runs_.size())),
                                    runs_.end(), u32{0});
  const u32 left_here = pair_ < runs_.size() ? runs_[pair_] - std::min(done_, runs_[pair_]) : 0;
  const u32 done = done_before_ + done_;
  if (done == 0) {
    return -1;
  }
  const double usual = (seconds_before_ + here) / done;
  const double this_one = done_ == 0 ? usual : here / done_;
  return this_one * left_here + usual * later;
}

std::string BenchProgress::line() {
  const std::scoped_lock lock(mutex_);
  const u32 total = std::accumulate(runs_.begin(), runs_.end(), u32{0});
  const double left = seconds_left();
  return fmt::format("{} pair {} of {}: {} {}{}", bar(done_before_ + done_, total), pair_ + 1, runs_.size(), id_,
                     program_, left < 0 ? "" : fmt::format(", {} left", about(left)));
}

std::string about(double seconds) {
  if (seconds < 90) {
    return fmt::format("about {:.0f} s", std::ceil(seconds));
  }
  const double minutes = std::ceil(seconds / 60);
  return minutes < 90 ? fmt::format("about {:.0f} min", minutes) : fmt::format("about {:.1f} h", minutes / 60);
}

} // namespace deepperf::cli
