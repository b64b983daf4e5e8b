#include "report/summary.h"

#include "report/place.h"

#include <algorithm>
#include <tuple>

namespace deepperf::report {

namespace {

void count_finding(const rules::Finding &finding, Summary &summary) {
  ++(rules::is_hint(finding) ? summary.hints : summary.findings);
  if (finding.fix) {
    ++(finding.fix->safe ? summary.safe_fixes : summary.unsafe_fixes);
  }
  auto rule = std::ranges::find(summary.rules, finding.rule, &RuleCount::rule);
  if (rule == summary.rules.end()) {
    rule = summary.rules.insert(rule, {finding.rule, 0});
  }
  ++rule->count;
}

void count_root_causes(Summary &summary) {
  for (const RuleCount &rule : summary.rules) {
    auto cause = std::ranges::find(summary.root_causes, rule.rule->root_cause,
                                   [](const auto &counted) { return counted.first; });
    if (cause == summary.root_causes.end()) {
      cause = summary.root_causes.insert(cause, {rule.rule->root_cause, 0});
    }
    cause->second += rule.count;
  }
}

} // namespace

Summary summarise(const check::Result &result) {
  Summary summary;
  for (const rules::Finding &finding : result.findings) {
    count_finding(finding, summary);
  }
  count_root_causes(summary);
  std::ranges::sort(summary.rules, [](const RuleCount &a, const RuleCount &b) {
    return std::tie(b.count, a.rule->code) < std::tie(a.count, b.rule->code);
  });
  std::ranges::sort(summary.root_causes, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  for (const check::FileError &error : result.errors) {
    summary.syntax_errors += error.level == check::FileError::Level::SyntaxError ? 1 : 0;
    summary.unreadable += error.level == check::FileError::Level::Unreadable ? 1 : 0;
  }
  for (const check::CheckedFile &file : result.files) {
    summary.syntax_errors += file.suppressed_errors;
  }
  return summary;
}

} // namespace deepperf::report
