#include "check/filter.h"

#include "check/suppression.h"

#include <algorithm>

namespace deepperf::check {

namespace {

bool contains(const std::vector<const rules::RuleInfo *> &rules, const rules::RuleInfo *rule) {
  return std::ranges::find(rules, rule) != rules.end();
}

} // namespace

namespace {

// What the user has set for the rule; nothing at a place where a rule that is on is unsure.
std::optional<rules::Severity> override_of(const rules::Finding &finding, const FilterOptions &options) {
  std::optional<rules::Severity> found;
  for (const auto &[rule, severity] : options.severities) {
    if (rule == finding.rule && !(finding.tier == rules::Tier::Hint && rule->tier == rules::Tier::On)) {
      found = severity;
    }
  }
  return found;
}

// How much a finding counts for this user.
struct Weight {
  rules::Severity severity = rules::Severity::Warning;
  bool is_hint = false;
  bool is_overridden = false;
};

Weight weight_of(const rules::Finding &finding, const FilterOptions &options) {
  if (const std::optional<rules::Severity> severity = override_of(finding, options)) {
    return {*severity, false, true};
  }
  return {rules::severity_of(finding), rules::is_hint(finding), false};
}

bool is_selected(const rules::RuleInfo *rule, const Weight &weight, const FilterOptions &options) {
  if (contains(options.ignore.rules, rule)) {
    return false;
  }
  if (options.select) {
    return contains(options.select->rules, rule) &&
           (rule->tier != rules::Tier::Off || contains(options.select->named, rule));
  }
  return rule->tier != rules::Tier::Off || weight.is_overridden;
}

bool is_shown(const rules::RuleInfo *rule, const Weight &weight, const FilterOptions &options) {
  if (options.min_severity && weight.severity < *options.min_severity) {
    return false;
  }
  if (options.all) {
    return true;
  }
  // Who asks for a rule by its name wants it whatever its tier; the places where it is unsure are still hints.
  const bool is_named = options.select && contains(options.select->named, rule);
  if (weight.is_hint) {
    return is_named && rule->tier == rules::Tier::Hint;
  }
  return is_named || options.min_severity || weight.severity >= rules::Severity::Advice;
}

// The rules that count nowhere in the file.
std::vector<const rules::RuleInfo *> ignored_in(const std::string &path, const FilterOptions &options) {
  std::vector<const rules::RuleInfo *> ignored;
  if (options.per_file_ignores.empty()) {
    return ignored;
  }
  const std::string name = project::absolute_name(path);
  const std::string_view inside = project::below(options.folder, name);
  for (const PerFileIgnore &one : options.per_file_ignores) {
    if (!inside.empty() && project::covers(one.pattern, inside) != one.is_inverted) {
      ignored.insert(ignored.end(), one.rules.rules.begin(), one.rules.rules.end());
    }
  }
  return ignored;
}

} // namespace

bool is_wanted(const rules::Finding &finding, const FilterOptions &options, Hidden &hidden) {
  const Weight weight = weight_of(finding, options);
  if (!is_selected(finding.rule, weight, options)) {
    return false;
  }
  if (is_shown(finding.rule, weight, options)) {
    return true;
  }
  switch (weight.severity) {
  case rules::Severity::Note:
    ++hidden.notes;
    break;
  case rules::Severity::Advice:
    ++hidden.advice;
    break;
  default:
    ++hidden.others;
  }
  return false;
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
  std::erase_if(result.findings,
                [&](const rules::Finding &finding) { return !is_wanted(finding, options, result.hidden); });
  for (rules::Finding &finding : result.findings) {
    if (const std::optional<rules::Severity> severity = override_of(finding, options)) {
      finding.severity = *severity;
      finding.is_overridden = true;
    }
  }
  // Findings come file by file, so the comments of one file at a time are enough.
  const CheckedFile *current = nullptr;
  std::optional<Silencer> silencer;
  std::vector<const rules::RuleInfo *> ignored;
  std::erase_if(result.findings, [&](const rules::Finding &finding) {
    const CheckedFile &file = result.files[finding.file.value];
    if (&file != current) {
      current = &file;
      silencer.emplace(file.source, file.comments);
      ignored = ignored_in(file.path, options);
    }
    if (contains(ignored, finding.rule)) {
      return true; // as if --ignore named it: not something that is hidden
    }
    const bool is_silent = silencer->is_silenced(finding);
    result.hidden.suppressed += is_silent ? 1 : 0;
    return is_silent;
  });
}

} // namespace deepperf::check
