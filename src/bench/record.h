// Outcomes as evidence for rules.
#pragma once

#include "bench/report.h"
#include "evidence/evidence.h"

#include <string>
#include <vector>

namespace deepperf::bench {

// What a measured outcome says; only for those that is_measured() holds of.
evidence::Measurement measurement_of(const Outcome &outcome, const Report &report);

// Adds what was measured to benchmark/evidence.json: measurements of the same pairs are replaced, those of pairs that
// no longer exist (`known` has the ids of all) are removed. Returns how many were written; throws if it cannot be.
u32 record(const std::string &path, const Report &report, const std::vector<std::string> &known);

} // namespace deepperf::bench
