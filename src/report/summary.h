// What a check found, in numbers.
#pragma once

#include "check/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::report {

struct RuleCount {
  const rules::RuleInfo *rule = nullptr;
  u64 count = 0;
};

struct Summary {
  u64 errors = 0;
  u64 warnings = 0;
  u64 advice = 0;
  u64 notes = 0;
  u64 syntax_errors = 0;
  u64 unreadable = 0;
  u64 safe_fixes = 0;
  u64 unsafe_fixes = 0;
  std::vector<RuleCount> rules;                              // most first, then by code
  std::vector<std::pair<std::string_view, u64>> root_causes; // most first, then by name
};

Summary summarize(const check::Result &result);

// "2 errors, 5 warnings and 9 pieces of advice in 40 files": all that is shown.
std::string shown_sentence(const Summary &summary, u64 files);
// "61 notes are not shown (--all shows them); 2 suppressed by comments": empty if nothing is hidden.
std::string hidden_sentence(const check::Hidden &hidden);
// Both, in one line without a full stop.
std::string counts_sentence(const check::Result &result);

// "1 error", "2 errors".
std::string counted(u64 number, std::string_view one, std::string_view many);
// "a, b and c".
std::string listed(const std::vector<std::string> &items);

} // namespace deepperf::report
