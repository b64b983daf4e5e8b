// What `check` found, one line each: for editors and grep.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_concise(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
