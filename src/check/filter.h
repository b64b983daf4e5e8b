// Phase 7: findings to findings, less what the user did not ask for or has said to ignore.
#pragma once

#include "check/result.h"
#include "check/selection.h"
#include "project/exclusions.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace deepperf::check {

// Rules that count nowhere in some files.
struct PerFileIgnore {
  project::IgnoreRules pattern;
  bool is_inverted = false; // all other files are meant
  Selection rules;
};

struct FilterOptions {
  std::optional<Selection> select = std::nullopt; // none: every rule that is on
  Selection ignore = {};                          // wins over `select`
  bool all = false;                               // also what is not proven, and notes
  std::optional<rules::Severity> min_severity = std::nullopt;
  std::vector<std::pair<const rules::RuleInfo *, rules::Severity>> severities = {}; // as the user sees them; last wins
  std::vector<PerFileIgnore> per_file_ignores = {};
  std::string folder = {}; // absolute: what their patterns are relative to
};

// The rules that can come to be reported; nothing if that is all of them.
std::optional<std::vector<const rules::RuleInfo *>> chosen_rules(const FilterOptions &options);

// By its rule, severity (the user's own, if there is one) and tier; comments are not asked. What is hidden for its
// severity or tier is counted.
bool is_wanted(const rules::Finding &finding, const FilterOptions &options, Hidden &hidden);

void filter(Result &result, const FilterOptions &options);

} // namespace deepperf::check
