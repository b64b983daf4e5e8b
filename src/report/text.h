// What `check` found, as text for people.
#pragma once

#include "check/check.h"

#include <string>

namespace deepperf::report {

struct TextOptions {
  bool color = false;
};

void write_text(const check::Result &result, const TextOptions &options, std::string &out);

} // namespace deepperf::report
