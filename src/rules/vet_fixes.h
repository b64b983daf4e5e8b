// What holds for every fix, whichever rule offers it.
#pragma once

#include "model/project.h"
#include "rules/finding.h"

#include <vector>

namespace deepperf::rules {

// Withdraws fixes that would lose a comment, split a line that is not inside brackets, run two words together, or put
// a quote into an f-string; gives new lines the ending that the file has.
void vet_fixes(const model::Project &project, std::vector<Finding> &findings);

} // namespace deepperf::rules
