// The forms in which `check` can report: each has a file of its name.
#pragma once

#include "base/types.h"
#include "check/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::report {

// What a format may take into account; most look at the statistics only.
struct Options {
  bool color = false;
  u32 width = 100;                // of the terminal, in characters
  bool show_time = false;         // off where output is compared
  bool statistics = false;        // counts per rule instead of findings
  bool offer_safe_fixes = true;   // say what --fix would change: not where it just has
  bool offer_unsafe_fixes = true; // the same for --unsafe-fixes
};

struct Format {
  std::string_view name;
  void (*write)(const check::Result &result, const Options &options, std::string &out) = nullptr;
};

std::span<const Format> formats();
std::vector<std::string> format_names();
const Format *find_format(std::string_view name); // null if there is none

} // namespace deepperf::report
