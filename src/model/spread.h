// What follows from the facts of all functions together: what runs a session or trains through calls, what is traced,
// runs under no_grad, in a loop or in parallel.
#pragma once

#include "model/project.h"

namespace deepperf::model {

void spread_facts(Project &project);

// The same with all that is worked out after it: contexts, stages, and tables for rules. For who solves a project.
void finish_facts(Project &project);

} // namespace deepperf::model
