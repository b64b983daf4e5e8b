// Where the time of a check went: phases, and rules from the slowest on.
#pragma once

#include "rules/timings.h"

#include <string>

namespace deepperf::report {

void write_timings(const rules::Timings &timings, std::string &out);
// The same as one line of JSON.
void write_timings_json(const rules::Timings &timings, std::string &out);

} // namespace deepperf::report
