// What `check` found, for programs that read line by line: a JSON object on each line, with its `type`.
#pragma once

#include "report/format.h"

#include <string>

namespace deepperf::report {

void write_jsonl(const check::Result &result, const Options &options, std::string &out);

} // namespace deepperf::report
