// Branches that a call never takes, by what it passes: `step(mode="train")` and `if mode == "test":`.
#pragma once

#include "model/project.h"

namespace deepperf::model {

// Do the literals that the call passes, or the defaults where it passes nothing, keep a place in the callee from
// running?
bool excludes(const CallSite &site, const python::Node *place);

} // namespace deepperf::model
