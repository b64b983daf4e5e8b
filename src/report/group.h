// Findings put together as a person reads them: what is most severe first, and what has one cause once.
#pragma once

#include "check/result.h"

#include <span>
#include <string>
#include <vector>

namespace deepperf::report {

// Findings of one rule with one cause, in the order of their places; often only one.
struct Group {
  rules::Severity severity = rules::Severity::Warning;
  bool is_hint = false;
  std::vector<const rules::Finding *> findings;

  [[nodiscard]] const rules::Finding &first() const { return *findings.front(); }
};

// Sorted by severity, what is proven first, then by place. Advice and notes have one group for each rule, or for each
// message where a rule is about names (deprecated ones); errors and warnings are put together if more than three say
// the same. With `expand` every finding is a group of its own.
std::vector<Group> group_findings(const check::Result &result, bool expand);

// "train.py:3, 9 and 12; eval.py:40 and 5 more places in 3 files".
std::string places_of(const check::Result &result, std::span<const rules::Finding *const> findings,
                      std::size_t most_places);

u64 count_files(std::span<const rules::Finding *const> findings);

} // namespace deepperf::report
