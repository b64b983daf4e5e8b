// The rules of a SARIF report: `tool.driver.rules`.
#pragma once

#include "check/result.h"
#include "report/json_text.h"

#include <vector>

namespace deepperf::report {

// Those that have findings, sorted by code.
std::vector<const rules::RuleInfo *> reported_rules(const check::Result &result);

Json sarif_rule(const rules::RuleInfo &rule);

} // namespace deepperf::report
