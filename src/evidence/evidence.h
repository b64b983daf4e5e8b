// What the benchmark has measured: benchmark/evidence.json, which `deepperf bench run --record` writes and the build
// puts into the program.
#pragma once

#include "base/types.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::evidence {

struct Measurement {
  std::string pair;
  std::vector<std::string> rules; // codes of those that report the problem
  std::string measure;            // time, memory or growth
  double ratio = 0;               // with its 95% confidence interval
  double low = 0;
  double high = 0;
  bool is_shown = false; // the lower bound is high enough
  double buggy = 0;      // medians, in seconds, or in bytes if memory is measured
  double fixed = 0;
  std::string metric;      // time or memory: the unit of both
  std::string growth_knob; // these three of growth only
  double buggy_growth = 0; // what four times as many steps need, over what the fewest need
  double fixed_growth = 0;
  u32 rounds = 0;
  std::string library; // torch
  std::string version; // 1.13.0
  std::string python;
  u32 cores = 0;
  std::string processor;
  std::vector<std::pair<std::string, std::string>> knobs; // sizes: BATCH, 64
  std::string stand_in; // what is shown on a CPU in place of what happens on a GPU; empty if it is the thing itself
  std::string date;
  std::string commit; // of the repository with the pair
};

using Measurements = std::vector<Measurement>;

// Throws std::runtime_error if the text is not such a file.
Measurements read_measurements(std::string_view json);
// Sorted by pair, so that a new recording changes only its own lines.
std::string write_measurements(Measurements measurements);

// What this program was built with.
const Measurements &known_measurements();

// All about a rule, those that showed the problem first.
std::vector<const Measurement *> measurements_of(std::string_view rule);

// The one to quote for a rule; null if nothing was shown. Of several it is the one in the middle, as the largest would
// promise too much.
const Measurement *quotable(std::string_view rule);

// "6.3x slower (5.9 to 6.8), torch 1.13, 2 cores, batch 64"
std::string sentence(const Measurement &measurement);

// 6.3x, 1.24x, 42x
std::string times(double ratio);

} // namespace deepperf::evidence
