// Threads for the work on many files.
#pragma once

#include "base/types.h"

#include <functional>

namespace deepperf {

// Cores that this process may use.
u32 available_cores();

// Runs `work(0)` … `work(count - 1)`, each on a thread of its own, and waits for all. What one of them throws is thrown
// again when all have ended. The threads have stacks that are
// large enough for the deepest tree the parser allows, whatever the caller's stack is.
void run_workers(u32 count, const std::function<void(u32)> &work);

} // namespace deepperf
