// What `check` found, as workflow commands: GitHub Actions shows them at their lines.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_github(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
