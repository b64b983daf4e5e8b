// What `check` found as one page that needs nothing else, for a browser. The page itself is in web/.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

// Why there is no page in this program, if the build could not make it; else empty.
std::string missing_html_page();

void write_html(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
