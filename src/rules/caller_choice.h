// Places that a caller chooses to run, by what it passes.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Does a test of a parameter that has a default decide whether the place runs: `if noise > 0:` around it, or
// `if not normalize: return` before it? Then the callers that matter may never come here.
bool is_callers_choice(const Site &site);

} // namespace deepperf::rules
