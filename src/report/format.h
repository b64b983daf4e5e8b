// The forms in which `check` can report: each has a file of its name.
#pragma once

#include "base/types.h"
#include "check/result.h"
#include "report/location.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::report {

// What a format may take into account; most look at the statistics only.
struct Options {
  bool color = false;
  u32 width = 0;                  // of the terminal, in characters; 0: lines are not wrapped
  std::string rule_pages = {};    // folder with the rules' pages that links go to; empty: no links
  bool on_terminal = false;       // else output can be compared: nothing in it depends on time or the window
  bool expand = false;            // every finding on its own
  bool quiet = false;             // errors and warnings only, without a summary
  bool verbose = false;           // also root cause, symptoms and stage
  bool statistics = false;        // counts per rule instead of findings
  bool offer_safe_fixes = true;   // say what --fix would change: not where it just has
  bool offer_unsafe_fixes = true; // the same for --unsafe-fixes
  Location location = {};         // of what was checked, for formats that others look paths up in
};

struct Format {
  std::string_view name;
  void (*write)(const check::Result &result, const Options &options, std::string &out) = nullptr;
  bool has_statistics = false;        // the others have no place for counts
  bool is_json = false;               // such reports can follow each other without a line between them
  std::string (*missing)() = nullptr; // why this build does not have it; empty if it does
};

std::span<const Format> formats();
std::vector<std::string> format_names();
const Format *find_format(std::string_view name); // null if there is none

} // namespace deepperf::report
