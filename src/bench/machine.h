// What the programs ran on.
#pragma once

#include "base/types.h"

#include <string>

namespace deepperf::bench {

struct Machine {
  std::string processor; // as it calls itself; empty if it does not
  u32 cores = 1;         // that this process may use
  u64 memory = 0;        // bytes
};

Machine this_machine();

std::string today(); // 2026-11-17, in UTC

} // namespace deepperf::bench
