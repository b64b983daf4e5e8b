#include "report/measured.h"

#include "evidence/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace deepperf::report {

namespace {

// By rule of this program: a rule that a test makes up has no measurements, whatever its code.
const evidence::Measurement *measurement_of(const rules::RuleInfo &rule) {
  static const auto known = [] {
    std::unordered_map<const rules::RuleInfo *, const evidence::Measurement *> quotable;
    for (const rules::RuleInfo *one : rules::all_rules()) {
      quotable.emplace(one, evidence::quotable(one->code));
    }
    return quotable;
  }();
  const auto found = known.find(&rule);
  return found == known.end() ? nullptr : found->second;
}

} // namespace

const std::string &measured(const rules::RuleInfo &rule) {
  static const std::string kNothing;
  static const auto sentences = [] {
    std::unordered_map<const evidence::Measurement *, std::string> made;
    for (const evidence::Measurement &measurement : evidence::known_measurements()) {
      made.emplace(&measurement, evidence::sentence(measurement));
    }
    return made;
  }();
  const evidence::Measurement *const measurement = measurement_of(rule);
  return measurement == nullptr ? kNothing : sentences.at(measurement);
}

Json measured_json(const rules::RuleInfo &rule) {
  const evidence::Measurement *const measurement = measurement_of(rule);
  if (measurement == nullptr) {
    return nullptr;
  }
  Json json;
  json["text"] = measured(rule);
  json["measure"] = measurement->measure;
  json["ratio"] = measurement->ratio;
  json["low"] = measurement->low;
  json["high"] = measurement->high;
  json["pair"] = measurement->pair;
  json["date"] = measurement->date;
  return json;
}

std::vector<MeasuredRow> measured_rows(const rules::RuleInfo &rule) {
  std::vector<MeasuredRow> rows;
  if (std::ranges::find(rules::all_rules(), &rule) == rules::all_rules().end()) {
    return rows;
  }
  for (const evidence::Measurement *measurement : evidence::measurements_of(rule.code)) {
    rows.push_back({fmt::format("{}{}", measurement->is_shown ? "" : "not shown: ", evidence::sentence(*measurement)),
                    measurement->pair});
  }
  return rows;
}

} // namespace deepperf::report
