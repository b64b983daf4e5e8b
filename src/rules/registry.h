// Phase 6: all rules, and running them.
#pragma once

#include "model/project.h"
#include "rules/finding.h"
#include "rules/rule.h"
#include "rules/timings.h"
#include "rules/trace.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace deepperf::rules {

// The rules' own tables, in no order; written by cmake/ListRules.cmake from the names of their files.
std::span<const Rule *const> listed_rules();

// Those with the given descriptions.
std::vector<const Rule *> rules_of(std::span<const RuleInfo *const> infos);

// Rules to run, and who of them wants to see what.
class Subscriptions;
class RuleSet {
public:
  explicit RuleSet(std::span<const Rule *const> rules);
  ~RuleSet();
  RuleSet(const RuleSet &) = delete;
  RuleSet &operator=(const RuleSet &) = delete;

  [[nodiscard]] const Subscriptions &subscriptions() const { return *subscriptions_; }

private:
  std::unique_ptr<const Subscriptions> subscriptions_;
};

// Do any of them ask for shapes?
bool asks_for_shapes(const RuleSet &rules);

// By file, place and code; each place once per rule.
void sort_findings(Findings &findings);

} // namespace deepperf::rules
