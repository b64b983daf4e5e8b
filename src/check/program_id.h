// What tells this build of the program from every other one.
#pragma once

#include <string>

namespace deepperf::check {

// The version and the linker's build id, which is a hash of everything that was linked. Empty if it cannot be found.
const std::string &program_id();

} // namespace deepperf::check
