// Phase 6: all rules, and running them.
#pragma once

#include "model/project.h"
#include "rules/finding.h"
#include "rules/rule.h"
#include "rules/timings.h"

#include <span>

namespace deepperf::rules {

// The rules' own tables, in no order; written by cmake/ListRules.cmake from the names of their files.
std::span<const Rule *const> listed_rules();

// Runs all rules. `timings`, if given, is told how long each took.
Findings judge(const model::Project &project, Timings *timings = nullptr);

// By file, place and code; each place once per rule.
void sort_findings(Findings &findings);

} // namespace deepperf::rules
