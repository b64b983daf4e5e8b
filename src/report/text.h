// What `check` found, as text for people.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_text(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
