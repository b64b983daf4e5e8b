#include "base/json.h"
#include "bench/report.h"

#include <nlohmann/json.hpp>

namespace deepperf::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1; // changes when something that is there today changes its meaning

Json interval_json(const Interval &interval) {
  return {{"ratio", interval.value}, {"low", interval.low}, {"high", interval.high}};
}

Json samples_json(const std::vector<Sample> &samples) {
  Json list = Json::array();
  for (const Sample &sample : samples) {
    list.push_back({{"wall_seconds", sample.wall},
                    {"cpu_seconds", sample.cpu},
                    {"peak_bytes", sample.peak},
                    {"used_bytes", used_memory(sample)}});
  }
  return list;
}

// Per step, from the smallest to the largest number of steps.
double slope(const std::vector<u64> &sizes, const std::vector<std::vector<Sample>> &samples, Metric metric) {
  const auto at = [&](const std::vector<Sample> &list) {
    return median(metric == Metric::Time ? wall_times(list) : memories(list));
  };
  return (at(samples.back()) - at(samples.front())) / static_cast<double>(sizes.back() - sizes.front());
}

Json growth_json(const Pair &pair, const Growth &growth) {
  Json json;
  json["knob"] = pair.growth_knob;
  json["metric"] = name_of(pair.growth_metric);
  json["sizes"] = growth.sizes;
  for (const bool is_buggy : {true, false}) {
    const std::vector<std::vector<Sample>> &samples = is_buggy ? growth.buggy : growth.fixed;
    Json &side = json[is_buggy ? "buggy" : "fixed"];
    side["factor"] = is_buggy ? growth.buggy_factor : growth.fixed_factor;
    side["per_step"] = slope(growth.sizes, samples, pair.growth_metric);
    for (const std::vector<Sample> &list : samples) {
      side["samples"].push_back(samples_json(list));
    }
  }
  return json;
}

Json outcome_json(const Outcome &outcome) {
  const Pair &pair = outcome.pair;
  Json json;
  json["id"] = pair.id;
  json["title"] = pair.title;
  json["status"] = name_of(outcome.status);
  json["reason"] = outcome.reason;
  json["measure"] = name_of(pair.measure);
  json["rules"] = pair.rules;
  json["root_cause"] = pair.root_cause;
  json["symptoms"] = pair.symptoms;
  json["stand_in"] = pair.stand_in;
  json["results_compared"] = pair.compares;
  json["python"] = {{"path", outcome.interpreter.path}, {"version", outcome.interpreter.version}};
  json["libraries"] = outcome.interpreter.versions;
  Json &knobs = json["knobs"] = Json::object();
  for (const Knob &knob : outcome.knobs) {
    knobs[knob.name] = parse_json<Json>(knob.value);
  }
  if (!is_measured(outcome)) {
    return json;
  }
  json["rounds"] = outcome.rounds;
  json.update(interval_json(outcome.ratio));
  json["wall"] = interval_json(outcome.wall);
  json["cpu"] = interval_json(outcome.cpu);
  json["memory"] = interval_json(outcome.memory);
  json["buggy"] = samples_json(outcome.buggy);
  json["fixed"] = samples_json(outcome.fixed);
  if (pair.measure == Measure::Growth) {
    json["growth"] = growth_json(pair, outcome.growth);
  }
  return json;
}

} // namespace

void write_report_json(const Report &report, std::string &out) {
  Json json;
  json["version"] = kVersion;
  json["date"] = report.date;
  json["commit"] = report.commit;
  json["machine"] = {{"processor", report.machine.processor},
                     {"cores", report.machine.cores},
                     {"memory_bytes", report.machine.memory}};
  json["quick"] = report.settings.quick;
  Json &pairs = json["pairs"] = Json::array();
  for (const Outcome &outcome : report.outcomes) {
    pairs.push_back(outcome_json(outcome));
  }
  out += json_text(json, 1);
  out += '\n';
}

} // namespace deepperf::bench
