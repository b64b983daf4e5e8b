// Which rules the user means by a list of codes (DP101), prefixes of codes (DP1) and names (sequential-map).
#pragma once

#include "rules/rule.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::check {

struct Selection {
  std::vector<const rules::RuleInfo *> rules; // meant in any way
  std::vector<const rules::RuleInfo *> named; // meant by full code or name
};

// Codes and prefixes in any case.
bool selects(std::string_view selector, const rules::RuleInfo &rule);
// The rule with this code or name; null if there is none.
const rules::RuleInfo *find_rule(std::string_view code_or_name);

// The words of lists that hold selectors with commas between them; they point into the lists.
std::vector<std::string_view> split_selectors(std::span<const std::string> lists);

// Each of `lists` holds selectors with commas between them. Those that mean no rule go to `unknown`.
Selection select(std::span<const std::string> lists, std::vector<std::string> &unknown);

// What a selector may be, for suggestions: all codes and names.
std::vector<std::string> known_selectors();

} // namespace deepperf::check
