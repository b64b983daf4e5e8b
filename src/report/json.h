// What `check` found, for programs. The form is documented and stable: what is here may get company, never change.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_json(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
