// What a check found, in numbers.
#pragma once

#include "check/result.h"

#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::report {

struct RuleCount {
  const rules::RuleInfo *rule = nullptr;
  u64 count = 0;
};

struct Summary {
  u64 findings = 0; // without hints
  u64 hints = 0;
  u64 syntax_errors = 0;
  u64 unreadable = 0;
  u64 safe_fixes = 0;
  u64 unsafe_fixes = 0;
  std::vector<RuleCount> rules;                              // most first, then by code
  std::vector<std::pair<std::string_view, u64>> root_causes; // most first, then by name
};

Summary summarise(const check::Result &result);

} // namespace deepperf::report
