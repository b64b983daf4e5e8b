// What `check` found, as SARIF 2.1.0: for code scanning and for editors.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_sarif(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
