// What `check` found, as Markdown for a comment on a pull request.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_markdown_report(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
