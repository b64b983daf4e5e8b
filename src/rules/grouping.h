// One finding for a library's change that a file meets in several places, and for what a rule says belongs together:
// the first place is reported, and the others are its notes. Its fix changes all of them.
#pragma once

#include "rules/finding.h"

namespace deepperf::rules {

// The findings are in order.
void group_findings(Findings &findings);

} // namespace deepperf::rules
