// What the benchmark has measured about a rule, for reports. It is kept apart from messages: a new recording changes
// what is reported next to them, and not them.
#pragma once

#include "report/json_text.h"
#include "rules/rule.h"

#include <string>
#include <vector>

namespace deepperf::report {

// "6.3x slower (5.9 to 6.8), torch 1.13, 2 cores, batch 64"; empty if nothing was shown.
const std::string &measured(const rules::RuleInfo &rule);

// The same with its figures apart; null if nothing was shown.
Json measured_json(const rules::RuleInfo &rule);

// All measurements of a rule, as rows of a table: what was measured, and by which pair.
struct MeasuredRow {
  std::string text;
  std::string pair;
};
std::vector<MeasuredRow> measured_rows(const rules::RuleInfo &rule);

} // namespace deepperf::report
