// Phase 5: the fixpoint. Rounds of the transfer function over all functions that have something new to read, until
// there are none:
//   1. the tables (parameters, returns, attributes, names) stand still, and functions are walked on all cores;
//   2. what each gives to others is merged into the tables, in the order of the functions;
//   3. whoever has read what changed is walked again, callees before callers.
// At the end each function is walked once more, and its facts are noted down.
//
// Each function's gifts replace those that it gave before, so that nothing is left of what it no longer says. The order
// of files, functions and threads does not matter.
//
// Values start at Bottom. When nothing changes any more, parameters that nobody passes anything for are assumed to be
// what they are called or anything (Assume::Uncalled), then whatever else is still Bottom (Assume::Everything), and the
// rounds go on.
#pragma once

#include "model/imports.h"
#include "model/project.h"

namespace deepperf::model {

class SolverMemory;

// Fills the tables, which must be as declare() left them, and the facts of all functions. `workers` threads at most.
// With a memory, walks that it knows are not done again.
void solve(Project &project, const ModuleIndex &index, u32 workers, SolverMemory *memory = nullptr);

} // namespace deepperf::model
