// What `check` found, as text for people.
#pragma once

#include "check/result.h"

#include <string>

namespace deepperf::report {

struct TextOptions {
  bool color = false;
  bool show_time = false;         // off where output is compared
  bool statistics = false;        // counts per rule instead of findings
  bool offer_safe_fixes = true;   // say what --fix would mend: not where it just has
  bool offer_unsafe_fixes = true; // the same for --unsafe-fixes
};

void write_text(const check::Result &result, const TextOptions &options, std::string &out);

} // namespace deepperf::report
