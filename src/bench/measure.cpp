#include "bench/measure.h"

#include "bench/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace deepperf::bench {

namespace {

template <class Get> std::vector<double> column(const std::vector<Sample> &samples, const Get &get) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const Sample &sample : samples) {
    values.push_back(get(sample));
  }
  return values;
}

std::vector<double> values_of(Metric metric, const std::vector<Sample> &samples) {
  return metric == Metric::Time ? wall_times(samples) : memories(samples);
}

void set_knob(std::vector<Knob> &knobs, const Knob &wanted) {
  const auto knob = std::ranges::find(knobs, wanted.name, &Knob::name);
  if (knob != knobs.end()) {
    knob->value = wanted.value;
  }
}

u64 number_of(const std::vector<Knob> &knobs, const std::string &name) {
  u64 number = 0;
  if (const auto knob = std::ranges::find(knobs, name, &Knob::name); knob != knobs.end()) {
    std::from_chars(knob->value.data(), knob->value.data() + knob->value.size(), number);
  }
  return number;
}

class Measuring {
public:
  Measuring(Outcome &outcome, Workplace &workplace, const OnStep &on_step, u32 total)
      : outcome_(outcome), workplace_(workplace), on_step_(on_step), total_(total) {}

  // False: the outcome says why.
  bool run_once(bool is_buggy, const std::vector<Knob> &knobs, bool with_result, ProgramRun &run) {
    const auto &[name, label, lines] = is_buggy ? outcome_.pair.buggy_name : outcome_.pair.fixed_name;
    on_step_({name, done_, total_});
    run = workplace_.run(is_buggy ? outcome_.pair.buggy() : outcome_.pair.fixed(), knobs, outcome_.interpreter.path,
                         with_result, lines);
    ++done_;
    if (run.is_interrupted) {
      outcome_.status = Status::Interrupted;
      outcome_.reason = fmt::format("after {} of {} runs", done_ - 1, total_);
    } else if (!run.sample) {
      outcome_.status = run.lacks_module ? Status::NotRunnable : Status::Failed;
      outcome_.reason = fmt::format("{} {}", name, run.failure);
    }
    return run.sample.has_value();
  }

  // Runs both for the first time and compares what they compute.
  bool warm_up(const std::vector<Knob> &knobs, std::array<Sample, 2> &samples) {
    std::array<ProgramRun, 2> runs;
    for (const std::size_t i : {0, 1}) {
      if (!run_once(i == 0, knobs, outcome_.pair.compares, runs[i])) {
        return false;
      }
      samples[i] = *runs[i].sample;
    }
    if (outcome_.pair.compares) {
      if (std::optional<std::string> difference =
              first_difference(*runs[0].result, *runs[1].result, outcome_.pair.tolerance, outcome_.pair.buggy_name.name,
                               outcome_.pair.fixed_name.name)) {
        outcome_.status = Status::Differs;
        outcome_.reason = *difference;
        return false;
      }
    }
    return true;
  }

  // Who goes first changes from round to round, so that neither always runs in the other's wake.
  bool round(u32 number, const std::vector<Knob> &knobs, std::vector<Sample> &buggy, std::vector<Sample> &fixed) {
    for (const bool is_buggy : {number % 2 == 0, number % 2 != 0}) {
      ProgramRun run;
      if (!run_once(is_buggy, knobs, false, run)) {
        return false;
      }
      (is_buggy ? buggy : fixed).push_back(*run.sample);
    }
    return true;
  }

private:
  Outcome &outcome_;
  Workplace &workplace_;
  const OnStep &on_step_;
  u32 total_;
  u32 done_ = 0;
};

bool measure_growth(Measuring &measuring, Outcome &outcome) {
  Growth &growth = outcome.growth;
  const u64 smallest = number_of(outcome.knobs, outcome.pair.growth_knob);
  for (const u64 factor : kGrowthSizes) {
    growth.sizes.push_back(smallest * factor);
  }
  growth.buggy.resize(growth.sizes.size());
  growth.fixed.resize(growth.sizes.size());
  for (u32 number = 0; number < outcome.rounds; ++number) {
    for (std::size_t size = 0; size < growth.sizes.size(); ++size) {
      std::vector<Knob> knobs = outcome.knobs;
      set_knob(knobs, {outcome.pair.growth_knob, std::to_string(growth.sizes[size])});
      if (!measuring.round(number, knobs, growth.buggy[size], growth.fixed[size])) {
        return false;
      }
    }
  }
  const auto growing = [&](const std::vector<std::vector<Sample>> &samples) {
    return Growing{values_of(outcome.pair.growth_metric, samples.front()),
                   values_of(outcome.pair.growth_metric, samples.back())};
  };
  const Growing buggy = growing(growth.buggy);
  const Growing fixed = growing(growth.fixed);
  growth.buggy_factor = growth_factor(buggy);
  growth.fixed_factor = growth_factor(fixed);
  outcome.ratio = ratio_of_growth(buggy, fixed);
  outcome.buggy = growth.buggy.back();
  outcome.fixed = growth.fixed.back();
  return true;
}

bool measure_rounds(Measuring &measuring, Outcome &outcome) {
  for (u32 number = 0; number < outcome.rounds; ++number) {
    if (!measuring.round(number, outcome.knobs, outcome.buggy, outcome.fixed)) {
      return false;
    }
  }
  return true;
}

// Why it cannot run here; empty if it can.
std::string obstacle(Outcome &outcome, Interpreters &interpreters) {
  const Pair &pair = outcome.pair;
  if (!pair.is_runnable) {
    return pair.reason;
  }
  outcome.interpreter = interpreters.with(pair.libraries);
  if (!outcome.interpreter.problem.empty()) {
    return outcome.interpreter.problem;
  }
  if (!pair.versions.empty() && !pair.libraries.empty()) {
    const std::string &version = outcome.interpreter.versions[pair.libraries[0]];
    if (!matches_version(version, pair.versions).value_or(true)) {
      return fmt::format("it needs {} {}, but {} has {}", pair.libraries[0], pair.versions, outcome.interpreter.path,
                         version);
    }
  }
  return {};
}

} // namespace

std::string_view name_of(Status status) {
  switch (status) {
  case Status::Shown:
    return "shown";
  case Status::NotShown:
    return "not shown here";
  case Status::Ran:
    return "ran";
  case Status::Differs:
    return "results differ";
  case Status::Failed:
    return "failed";
  case Status::NotRunnable:
    return "not runnable here";
  default:
    return "interrupted";
  }
}

std::vector<double> wall_times(const std::vector<Sample> &samples) {
  return column(samples, [](const Sample &sample) { return sample.wall; });
}
std::vector<double> cpu_times(const std::vector<Sample> &samples) {
  return column(samples, [](const Sample &sample) { return sample.cpu; });
}
std::vector<double> memories(const std::vector<Sample> &samples) { return column(samples, used_memory); }

u32 count_runs(const Pair &pair, const Settings &settings) {
  if (!pair.is_runnable) {
    return 0;
  }
  const auto sizes = static_cast<u32>(pair.measure == Measure::Growth ? kGrowthSizes.size() : 1);
  return settings.quick ? 2 : 2 + 2 * settings.rounds * sizes;
}

std::vector<Knob> knobs_in_force(const Pair &pair, const Settings &settings) {
  std::vector<Knob> knobs = pair.knobs;
  if (settings.quick) {
    for (const Knob &knob : pair.quick) {
      set_knob(knobs, knob);
    }
  }
  for (const Knob &knob : settings.overrides) {
    set_knob(knobs, knob);
  }
  return knobs;
}

Outcome measure(const Pair &pair, const Settings &settings, Interpreters &interpreters, Workplace &workplace,
                const OnStep &on_step) {
  Outcome outcome;
  outcome.pair = pair;
  outcome.knobs = knobs_in_force(pair, settings);
  outcome.rounds = settings.rounds;
  outcome.reason = obstacle(outcome, interpreters);
  if (workplace.is_interrupted()) {
    outcome.status = Status::Interrupted;
  }
  if (!outcome.reason.empty()) {
    return outcome;
  }
  Measuring measuring(outcome, workplace, on_step, count_runs(pair, settings));
  std::array<Sample, 2> first;
  if (!measuring.warm_up(outcome.knobs, first)) {
    return outcome;
  }
  if (settings.quick) {
    outcome.status = Status::Ran;
    outcome.rounds = 0;
    return outcome;
  }
  const bool is_growth = pair.measure == Measure::Growth;
  if (!(is_growth ? measure_growth(measuring, outcome) : measure_rounds(measuring, outcome))) {
    return outcome;
  }
  outcome.wall = ratio_of_medians(wall_times(outcome.buggy), wall_times(outcome.fixed));
  outcome.cpu = ratio_of_medians(cpu_times(outcome.buggy), cpu_times(outcome.fixed));
  outcome.memory = ratio_of_medians(memories(outcome.buggy), memories(outcome.fixed));
  if (!is_growth) {
    outcome.ratio = pair.measure == Measure::Memory ? outcome.memory : outcome.wall;
  }
  outcome.status = outcome.ratio.low > kShown ? Status::Shown : Status::NotShown;
  return outcome;
}

} // namespace deepperf::bench
