#include "evidence/evidence.h"

#include "base/embedded_text.h"
#include "base/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace deepperf {

std::span<const EmbeddedText> evidence_texts(); // generated, see CMakeLists.txt

namespace evidence {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::size_t kMostKnobsShown = 3;

// Four digits are more than a measurement is good for, and keep the file readable.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

Json to_json(const Measurement &measurement) {
  Json json;
  json["pair"] = measurement.pair;
  json["rules"] = measurement.rules;
  json["measure"] = measurement.measure;
  json["ratio"] = rounded(measurement.ratio);
  json["low"] = rounded(measurement.low);
  json["high"] = rounded(measurement.high);
  json["shown"] = measurement.is_shown;
  json["metric"] = measurement.metric;
  json["buggy"] = rounded(measurement.buggy);
  json["fixed"] = rounded(measurement.fixed);
  if (!measurement.growth_knob.empty()) {
    json["growth_knob"] = measurement.growth_knob;
    json["buggy_growth"] = rounded(measurement.buggy_growth);
    json["fixed_growth"] = rounded(measurement.fixed_growth);
  }
  json["rounds"] = measurement.rounds;
  json["library"] = measurement.library;
  json["version"] = measurement.version;
  json["python"] = measurement.python;
  json["cores"] = measurement.cores;
  json["processor"] = measurement.processor;
  Json &knobs = json["knobs"] = Json::object();
  for (const auto &[name, value] : measurement.knobs) {
    knobs[name] = parse_json<Json>(value);
  }
  if (!measurement.stand_in.empty()) {
    json["stand_in"] = measurement.stand_in;
  }
  json["date"] = measurement.date;
  json["commit"] = measurement.commit;
  return json;
}

Measurement from_json(const Json &json) {
  Measurement measurement;
  measurement.pair = json.at("pair").get<std::string>();
  measurement.rules = json.at("rules").get<std::vector<std::string>>();
  measurement.measure = json.at("measure").get<std::string>();
  measurement.ratio = json.at("ratio").get<double>();
  measurement.low = json.at("low").get<double>();
  measurement.high = json.at("high").get<double>();
  measurement.is_shown = json.at("shown").get<bool>();
  measurement.metric = json.at("metric").get<std::string>();
  measurement.buggy = json.at("buggy").get<double>();
  measurement.fixed = json.at("fixed").get<double>();
  measurement.growth_knob = json.value("growth_knob", "");
  measurement.buggy_growth = json.value("buggy_growth", 0.0);
  measurement.fixed_growth = json.value("fixed_growth", 0.0);
  measurement.rounds = json.at("rounds").get<u32>();
  measurement.library = json.at("library").get<std::string>();
  measurement.version = json.at("version").get<std::string>();
  measurement.python = json.at("python").get<std::string>();
  measurement.cores = json.at("cores").get<u32>();
  measurement.processor = json.at("processor").get<std::string>();
  for (const auto &[name, value] : json.at("knobs").items()) {
    measurement.knobs.emplace_back(name, json_text(value));
  }
  measurement.stand_in = json.value("stand_in", "");
  measurement.date = json.at("date").get<std::string>();
  measurement.commit = json.at("commit").get<std::string>();
  return measurement;
}

// 1.13.0a0+git → 1.13
std::string short_version(std::string_view version) {
  const std::size_t dot = version.find('.');
  const std::size_t end = dot == std::string_view::npos ? dot : version.find_first_not_of("0123456789", dot + 1);
  return std::string(version.substr(0, end));
}

// HIDDEN_SIZE → hidden size
std::string readable(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char c) {
    return c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// No more digits than mean something.
std::string number(double ratio) { return fmt::format("{:.{}f}", ratio, ratio < 2 ? 2 : ratio < 10 ? 1 : 0); }

std::string effect_of(const Measurement &measurement) {
  const std::string range = fmt::format(" ({} to {})", number(measurement.low), number(measurement.high));
  if (measurement.measure == "growth") {
    return fmt::format("4x the {} {} {} the {}; {} once fixed", readable(measurement.growth_knob),
                       measurement.metric == "memory" ? "need" : "take", times(measurement.buggy_growth),
                       measurement.metric, times(measurement.fixed_growth));
  }
  if (measurement.measure == "memory") {
    return fmt::format("{} the memory{}", times(measurement.ratio), range);
  }
  return fmt::format("{} {}{}", times(measurement.ratio), measurement.ratio < 1 ? "the time" : "slower", range);
}

} // namespace

std::string times(double ratio) { return number(ratio) + "x"; }

std::string sentence(const Measurement &measurement) {
  std::string text = effect_of(measurement);
  text += measurement.library.empty() ? fmt::format(", Python {}", short_version(measurement.python))
                                      : fmt::format(", {} {}", measurement.library, short_version(measurement.version));
  text += fmt::format(", {} core{}", measurement.cores, measurement.cores == 1 ? "" : "s");
  std::size_t shown = 0;
  for (const auto &[name, value] : measurement.knobs) {
    if (name != measurement.growth_knob && shown++ < kMostKnobsShown) {
      text += fmt::format(", {} {}", readable(name), value);
    }
  }
  if (!measurement.stand_in.empty()) {
    text += " (on a CPU, in place of a GPU)";
  }
  return text;
}

Measurements read_measurements(std::string_view text) {
  const Json json = parse_json<Json>(text);
  Measurements measurements;
  try {
    if (json.at("version").get<int>() != kVersion) {
      throw std::runtime_error("the measurements come from another version of deepperf");
    }
    for (const Json &measurement : json.at("measurements")) {
      measurements.push_back(from_json(measurement));
    }
  } catch (const Json::exception &error) {
    throw std::runtime_error(fmt::format("the measurements cannot be read: {}", error.what()));
  }
  return measurements;
}

std::string write_measurements(Measurements measurements) {
  std::ranges::sort(measurements, {}, &Measurement::pair);
  Json json;
  json["version"] = kVersion;
  json["about"] = "Written by `deepperf bench run --record`; do not edit by hand.";
  Json &list = json["measurements"] = Json::array();
  std::map<std::string, std::vector<std::string>> pairs; // by rule
  for (const Measurement &measurement : measurements) {
    list.push_back(to_json(measurement));
    for (const std::string &rule : measurement.rules) {
      pairs[rule].push_back(measurement.pair);
    }
  }
  Json &rules = json["rules"] = Json::object();
  for (const auto &[rule, names] : pairs) {
    rules[rule] = names;
  }
  return json_text(json, 1) + "\n";
}

const Measurements &known_measurements() {
  static const Measurements known = [] {
    std::string text;
    for (const EmbeddedText &file : evidence_texts()) {
      for (const std::string_view chunk : file.chunks) {
        text += chunk;
      }
    }
    return read_measurements(text);
  }();
  return known;
}

std::vector<const Measurement *> measurements_of(std::string_view rule) {
  std::vector<const Measurement *> found;
  for (const Measurement &measurement : known_measurements()) {
    if (std::ranges::find(measurement.rules, rule) != measurement.rules.end()) {
      found.push_back(&measurement);
    }
  }
  std::ranges::stable_sort(found, [](const Measurement *left, const Measurement *right) {
    return left->is_shown != right->is_shown ? left->is_shown : left->ratio > right->ratio;
  });
  return found;
}

const Measurement *quotable(std::string_view rule) {
  std::vector<const Measurement *> found = measurements_of(rule);
  std::erase_if(found, [](const Measurement *measurement) { return !measurement->is_shown; });
  // Where a pair is about this rule before others, it is the better witness.
  const auto is_about = [&](const Measurement *measurement) { return measurement->rules.front() == rule; };
  if (std::ranges::any_of(found, is_about)) {
    std::erase_if(found, [&](const Measurement *measurement) { return !is_about(measurement); });
  }
  return found.empty() ? nullptr : found[found.size() / 2];
}

} // namespace evidence

} // namespace deepperf
