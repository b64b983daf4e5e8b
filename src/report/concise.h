// What `check` found, one line each: for editors and grep.
#pragma once

#include "check/result.h"

#include <string>

namespace deepperf::report {

void write_concise(const check::Result &result, bool statistics, std::string &out);

} // namespace deepperf::report
