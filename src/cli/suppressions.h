// What `check` says of comments that silence findings.
#pragma once

#include "check/result.h"
#include "cli/check_arguments.h"

namespace deepperf::cli {

// Says on standard error which comments name rules that do not exist. True if there are any.
bool report_unknown_rules(const check::Result &result);

// Exit status of `--report-unused-suppressions`. `result` must be that of a check of everything, not filtered.
int report_unused_suppressions(const CheckArguments &arguments, const check::Result &result);

} // namespace deepperf::cli
