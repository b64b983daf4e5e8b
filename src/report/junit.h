// What `check` found, as JUnit XML: for everything that shows results of tests.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_junit(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
