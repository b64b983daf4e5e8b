// How many of the DLPerf study's 224 problems the rules cover, per root cause.
#pragma once

#include "rules/rule.h"

#include <span>
#include <string>

namespace deepperf::report {

void write_coverage_text(std::span<const rules::RuleInfo *const> rules, std::string &out);
void write_coverage_json(std::span<const rules::RuleInfo *const> rules, std::string &out);

} // namespace deepperf::report
