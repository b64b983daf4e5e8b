#include "check/filter.h"

#include "check/suppression.h"

#include <algorithm>

namespace deepperf::check {

namespace {

bool contains(const std::vector<const rules::RuleInfo *> &rules, const rules::RuleInfo *rule) {
  return std::ranges::find(rules, rule) != rules.end();
}

} // namespace

bool is_wanted(const rules::Finding &finding, const FilterOptions &options) {
  if (contains(options.ignore.rules, finding.rule) ||
      (options.select && !contains(options.select->rules, finding.rule))) {
    return false;
  }
  // Who asks for a rule by its name wants it whatever its tier; the places where it is unsure are still hints.
  const bool named = options.select && contains(options.select->named, finding.rule);
  switch (std::max(finding.rule->tier, finding.tier)) {
  case rules::Tier::On:
    return true;
  case rules::Tier::Hint:
    return options.hints || (named && finding.rule->tier == rules::Tier::Hint);
  default:
    return named;
  }
}

std::optional<std::vector<const rules::RuleInfo *>> chosen_rules(const FilterOptions &options) {
  if (!options.select && options.ignore.rules.empty()) {
    return std::nullopt;
  }
  std::vector<const rules::RuleInfo *> chosen;
  for (const rules::RuleInfo *rule : rules::all_rules()) {
    if (!contains(options.ignore.rules, rule) && (!options.select || contains(options.select->rules, rule))) {
      chosen.push_back(rule);
    }
  }
  return chosen;
}

void filter(Result &result, const FilterOptions &options) {
  std::erase_if(result.findings, [&](const rules::Finding &finding) { return !is_wanted(finding, options); });
  // Findings come file by file, so the comments of one file at a time are enough.
  const CheckedFile *current = nullptr;
  std::vector<Suppression> suppressions;
  std::erase_if(result.findings, [&](const rules::Finding &finding) {
    const CheckedFile &file = result.files[finding.file.value];
    if (&file != current) {
      current = &file;
      suppressions.clear();
      if (file.source != nullptr && file.comments != nullptr) {
        suppressions = find_suppressions(*file.source, *file.comments);
      }
    }
    return file.source != nullptr && is_suppressed(finding, *file.source, suppressions);
  });
}

} // namespace deepperf::check
