// In which order functions are walked: callees before callers, so that what they return is there when it is wanted.
// Only a matter of speed: the solver's result does not depend on it.
#pragma once

#include "base/types.h"

#include <span>
#include <vector>

namespace deepperf::model {

// `edges[i]` are those that i waits for. Gives each its height: 0 for who waits for nobody; those that wait for each
// other have the same.
std::vector<u32> ranks_of(std::span<const std::vector<u32>> edges);

} // namespace deepperf::model
