// Phase 6: all rules, and running them.
#pragma once

#include "model/project.h"
#include "rules/finding.h"

#include <vector>

namespace deepperf::rules {

using Findings = std::vector<Finding>;

// Each rule's file defines its metadata and its logic; this is the one table of them.
struct Rule {
  const RuleInfo *info = nullptr;
  void (*check)(const model::Project &project, Findings &findings) = nullptr;
};

extern const RuleInfo kSequentialMap;
void check_sequential_map(const model::Project &project, Findings &findings);
extern const RuleInfo kUnbatchedMap;
void check_unbatched_map(const model::Project &project, Findings &findings);
extern const RuleInfo kGraphOpInLoop;
void check_graph_op_in_loop(const model::Project &project, Findings &findings);

// Runs all rules.
Findings judge(const model::Project &project);

// By file, place and code; each place once per rule.
void sort_findings(Findings &findings);

} // namespace deepperf::rules
