#include "rules/registry.h"

#include "rules/subscriptions.h"

#include <algorithm>
#include <tuple>

namespace deepperf::rules {

namespace {

std::vector<const Rule *> sorted(std::span<const Rule *const> listed) {
  std::vector<const Rule *> rules(listed.begin(), listed.end());
  std::ranges::sort(rules, {}, [](const Rule *rule) { return rule->info.code; });
  return rules;
}

} // namespace

RuleSet::RuleSet(std::span<const Rule *const> rules)
    : subscriptions_(std::make_unique<const Subscriptions>(sorted(rules))) {}
RuleSet::~RuleSet() = default;

std::vector<const Rule *> rules_of(std::span<const RuleInfo *const> infos) {
  std::vector<const Rule *> rules;
  for (const Rule *rule : listed_rules()) {
    if (std::ranges::find(infos, &rule->info) != infos.end()) {
      rules.push_back(rule);
    }
  }
  return rules;
}

std::span<const RuleInfo *const> all_rules() {
  static const std::vector<const RuleInfo *> kInfos = [] {
    std::vector<const RuleInfo *> infos;
    for (const Rule *rule : sorted(listed_rules())) {
      infos.push_back(&rule->info);
    }
    return infos;
  }();
  return kInfos;
}

void sort_findings(Findings &findings) {
  const auto key = [](const Finding &finding) {
    return std::tuple(finding.file.value, finding.span.start, finding.rule->code, finding.span.end);
  };
  std::ranges::stable_sort(findings, {}, key);
  const auto repeated = std::unique(findings.begin(), findings.end(),
                                    [&key](const Finding &a, const Finding &b) { return key(a) == key(b); });
  findings.erase(repeated, findings.end());
}

bool asks_for_shapes(const RuleSet &rules) { return !rules.subscriptions().shapes.empty(); }

} // namespace deepperf::rules
