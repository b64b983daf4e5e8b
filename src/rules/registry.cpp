#include "rules/registry.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace deepperf::rules {

namespace {

constexpr std::array<Rule, 3> kRules = {{
    {&kSequentialMap, check_sequential_map},
    {&kUnbatchedMap, check_unbatched_map},
    {&kGraphOpInLoop, check_graph_op_in_loop},
}};

constexpr auto kInfos = [] {
  std::array<const RuleInfo *, kRules.size()> infos{};
  std::ranges::transform(kRules, infos.begin(), &Rule::info);
  return infos;
}();

} // namespace

std::span<const RuleInfo *const> all_rules() { return kInfos; }

void sort_findings(Findings &findings) {
  const auto key = [](const Finding &finding) {
    return std::tuple(finding.file.value, finding.span.start, finding.rule->code, finding.span.end);
  };
  std::ranges::stable_sort(findings, {}, key);
  const auto repeated = std::unique(findings.begin(), findings.end(),
                                    [&key](const Finding &a, const Finding &b) { return key(a) == key(b); });
  findings.erase(repeated, findings.end());
}

Findings judge(const model::Project &project) {
  Findings findings;
  for (const Rule &rule : kRules) {
    rule.check(project, findings);
  }
  return findings;
}

} // namespace deepperf::rules
