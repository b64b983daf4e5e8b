// Measures a pair: both programs in turn, round after round, and what that says about the problem.
#pragma once

#include "bench/interpreter.h"
#include "bench/pair.h"
#include "bench/program.h"
#include "bench/statistics.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::bench {

// A symptom showed if even the lower bound of the ratio is above this.
inline constexpr double kShown = 1.2;
inline constexpr u32 kUsualRounds = 7;
// Growth is measured at n, 2n and 4n steps.
inline constexpr std::array<u64, 3> kGrowthSizes = {1, 2, 4};

struct Settings {
  u32 rounds = kUsualRounds;
  bool quick = false;               // one round with small sizes: do both programs work and compute the same?
  std::vector<Knob> overrides = {}; // of knobs, by the user
};

enum class Status : u8 {
  Shown,       // the ratio's lower bound is above kShown
  NotShown,    // it is not
  Ran,         // a quick run: nothing was measured
  Differs,     // the programs compute different results
  Failed,      // a program could not be run to its end
  NotRunnable, // a library is missing here, or the pair says so
  Interrupted, // by the user
};
std::string_view name_of(Status status);

struct Growth {
  std::vector<u64> sizes;                 // of the pair's growth knob
  std::vector<std::vector<Sample>> buggy; // by size
  std::vector<std::vector<Sample>> fixed;
  double buggy_factor = 0; // what is needed at the largest size, over what is needed at the smallest
  double fixed_factor = 0;
};

struct Outcome {
  Pair pair;
  Status status = Status::NotRunnable;
  std::string reason; // for all but Shown, NotShown and Ran
  Interpreter interpreter;
  std::vector<Knob> knobs; // that were in force
  u32 rounds = 0;
  std::vector<Sample> buggy; // one per round; of a growth pair at the largest size
  std::vector<Sample> fixed;
  Interval ratio; // of what the pair measures
  Interval wall;
  Interval cpu;
  Interval memory;
  Growth growth; // empty for pairs that do not measure it
};

// What is being run. Both counts include the warm-up.
struct Step {
  std::string_view program; // buggy.py or fixed.py
  u32 done = 0;
  u32 total = 0;
};
using OnStep = std::function<void(const Step &)>;

// How many runs measure() will make.
u32 count_runs(const Pair &pair, const Settings &settings);

// The knobs of a pair as a run has them.
std::vector<Knob> knobs_in_force(const Pair &pair, const Settings &settings);

Outcome measure(const Pair &pair, const Settings &settings, Interpreters &interpreters, Workplace &workplace,
                const OnStep &on_step);

std::vector<double> wall_times(const std::vector<Sample> &samples);
std::vector<double> cpu_times(const std::vector<Sample> &samples);
std::vector<double> memories(const std::vector<Sample> &samples);

} // namespace deepperf::bench
