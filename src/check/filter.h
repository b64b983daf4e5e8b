// Phase 7: findings to findings, less what the user did not ask for or has said to ignore.
#pragma once

#include "check/result.h"
#include "check/selection.h"

#include <optional>

namespace deepperf::check {

struct FilterOptions {
  std::optional<Selection> select = std::nullopt; // none: every rule that is on
  Selection ignore = {};                          // wins over `select`
  bool hints = false;
};

// The rules that can come to be reported; nothing if that is all of them.
std::optional<std::vector<const rules::RuleInfo *>> chosen_rules(const FilterOptions &options);

// By its rule and tier; comments are not asked.
bool is_wanted(const rules::Finding &finding, const FilterOptions &options);

void filter(Result &result, const FilterOptions &options);

} // namespace deepperf::check
