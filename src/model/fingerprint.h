// Has anything changed that rules can read of a module? See reads.h.
#pragma once

#include "model/project.h"

#include <vector>

namespace deepperf::model {

// A hash of all facts for each unit: of the modules by their index, then of names. For a module whose tree stayed, an
// equal hash says that all is as it was; what its facts point to in other modules, only which thing it is. A module
// that was parsed again is another one, whatever its hash.
std::vector<u64> fingerprints_of(const Project &project, u32 threads);

} // namespace deepperf::model
