// For those who want to start with a clean slate: writes comments that silence the findings.
#pragma once

#include "fix/fix.h"

#include <string>

namespace deepperf::fix {

// Adds `# deepperf: ignore[CODE] -- reason` to a line of every finding, and nothing else: the program stays the same.
// All rules of a line share a comment, and one of ours that is there gets the new codes.
FixResult add_suppressions(const check::Result &result, const std::string &reason, const FixOptions &options);

} // namespace deepperf::fix
