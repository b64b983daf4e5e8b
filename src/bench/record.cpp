#include "bench/record.h"

#include "bench/files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace deepperf::bench {

evidence::Measurement measurement_of(const Outcome &outcome, const Report &report) {
  const Pair &pair = outcome.pair;
  const Metric metric = pair.measure == Measure::Growth   ? pair.growth_metric
                        : pair.measure == Measure::Memory ? Metric::Memory
                                                          : Metric::Time;
  const auto typical = [&](const std::vector<Sample> &samples) {
    return median(metric == Metric::Time ? wall_times(samples) : memories(samples));
  };
  evidence::Measurement measurement;
  measurement.pair = pair.id;
  measurement.rules = pair.rules;
  measurement.measure = name_of(pair.measure);
  measurement.ratio = outcome.ratio.value;
  measurement.low = outcome.ratio.low;
  measurement.high = outcome.ratio.high;
  measurement.is_shown = outcome.status == Status::Shown;
  measurement.metric = name_of(metric);
  measurement.buggy = typical(outcome.buggy);
  measurement.fixed = typical(outcome.fixed);
  if (pair.measure == Measure::Growth) {
    measurement.growth_knob = pair.growth_knob;
    measurement.buggy_growth = outcome.growth.buggy_factor;
    measurement.fixed_growth = outcome.growth.fixed_factor;
  }
  measurement.rounds = outcome.rounds;
  if (!pair.libraries.empty()) {
    measurement.library = pair.libraries[0];
    measurement.version = outcome.interpreter.versions.at(pair.libraries[0]);
  }
  measurement.python = outcome.interpreter.version;
  measurement.cores = report.machine.cores;
  measurement.processor = report.machine.processor;
  for (const Knob &knob : outcome.knobs) {
    measurement.knobs.emplace_back(knob.name, knob.value);
  }
  measurement.stand_in = pair.stand_in;
  measurement.date = report.date;
  measurement.commit = report.commit;
  return measurement;
}

u32 record(const std::string &path, const Report &report, const std::vector<std::string> &known) {
  constexpr std::size_t kLargestFile = std::size_t{16} << 20;
  evidence::Measurements measurements;
  if (std::filesystem::exists(path)) {
    measurements = evidence::read_measurements(read_file(path, kLargestFile));
  }
  std::erase_if(measurements, [&](const evidence::Measurement &old) {
    const auto outcome = std::ranges::find(report.outcomes, old.pair,
                                           [](const Outcome &one) -> const std::string & { return one.pair.id; });
    return std::ranges::find(known, old.pair) == known.end() ||
           (outcome != report.outcomes.end() && is_measured(*outcome));
  });
  u32 count = 0;
  for (const Outcome &outcome : report.outcomes) {
    if (is_measured(outcome)) {
      measurements.push_back(measurement_of(outcome, report));
      ++count;
    }
  }
  write_file(path, evidence::write_measurements(std::move(measurements)));
  return count;
}

} // namespace deepperf::bench
