// What the page of `--format html` shows, as the JSON that its script reads (web/src/data.js).
#pragma once

#include "check/result.h"

#include <string>

namespace deepperf::report {

// Can be put into a <script> element: there is no `<` in it.
std::string html_data(const check::Result &result);

} // namespace deepperf::report
