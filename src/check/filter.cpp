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

bool is_selected(const rules::Finding &finding, const FilterOptions &options) {
  if (contains(options.ignore.rules, finding.rule)) {
    return false;
  }
  if (options.select) {
    return contains(options.select->rules, finding.rule) &&
           (finding.rule->tier != rules::Tier::Off || contains(options.select->named, finding.rule));
  }
  return finding.rule->tier != rules::Tier::Off || finding.is_overridden;
}

bool is_shown(const rules::Finding &finding, const FilterOptions &options) {
  using rules::Severity;
  if (options.min_severity && rules::severity_of(finding) < *options.min_severity) {
    return false;
  }
  if (options.all) {
    return true;
  }
  // Who asks for a rule by its name wants it whatever its tier; the places where it is unsure are still hints.
  const bool is_named = options.select && contains(options.select->named, finding.rule);
  if (rules::is_hint(finding)) {
    return is_named && finding.rule->tier == rules::Tier::Hint;
  }
  return is_named || options.min_severity || rules::severity_of(finding) >= Severity::Advice;
}

} // namespace

namespace {

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

void override_severity(rules::Finding &finding, const FilterOptions &options) {
  for (const auto &[rule, severity] : options.severities) {
    if (rule == finding.rule && !(finding.tier == rules::Tier::Hint && rule->tier == rules::Tier::On)) {
      finding.severity = severity;
      finding.is_overridden = true;
    }
  }
}

bool is_wanted(const rules::Finding &finding, const FilterOptions &options, Hidden &hidden) {
  if (!is_selected(finding, options)) {
    return false;
  }
  if (is_shown(finding, options)) {
    return true;
  }
  switch (rules::severity_of(finding)) {
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
  for (rules::Finding &finding : result.findings) {
    override_severity(finding, options);
  }
  std::erase_if(result.findings,
                [&](const rules::Finding &finding) { return !is_wanted(finding, options, result.hidden); });
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
