// Methods that a program's own callback system calls by their names: nobody is known to call them, but a training step
// calls whatever has such a name.
#pragma once

#include "model/project.h"

namespace deepperf::model {

// The methods called `on_…`, `before_…` or `after_…` that every training step calls, as `callback.on_batch_end(step)`
// for a callback of unknown class, or through a function that is given the name: `self.fire("on_batch_end", step)`.
// For after the contexts of functions are known. `callers`: how many calls of each function are known.
std::vector<FunctionInfo *> hooks_of_steps(Project &project, const std::vector<u32> &callers);

} // namespace deepperf::model
