// The parts of a report that `json` and `jsonl` share.
#pragma once

#include "check/result.h"
#include "report/file_problem.h"
#include "report/json_text.h"
#include "report/summary.h"

namespace deepperf::report {

// Changes when something that is there today changes its meaning.
inline constexpr int kJsonVersion = 2;

Json finding_json(const check::Result &result, const rules::Finding &finding);
Json problem_json(const FileProblem &problem);
Json rule_count_json(const RuleCount &rule);

// Findings by severity, and those that are not shown by the reason.
Json counts_json(const check::Result &result);

} // namespace deepperf::report
