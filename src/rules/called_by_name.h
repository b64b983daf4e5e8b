// Calls that name a method instead of calling it: `self.emit("on_epoch_end")`, where emit() does
// `getattr(callback, hook)(…)` for each of its callbacks. They are not among the callers that the engine knows.
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

// The calls that lead to methods of the name that way; empty if there are none.
const std::vector<const model::CallSite *> &calls_by_name(const Site &site, Symbol method);

} // namespace deepperf::rules
