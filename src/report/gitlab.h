// What `check` found, as GitLab's Code Quality report.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_gitlab(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
