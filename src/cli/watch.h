// `check --watch`: checks again whenever something has changed.
#pragma once

#include "project/watch.h"

#include <functional>
#include <string>
#include <vector>

namespace deepperf::cli {

// Calls `check` at once and after each change, with the paths of what has changed (none: anything may have), until it
// returns false or the user interrupts, which ends the program with exit status 0 also while `check` runs.
void watch(const std::vector<std::string> &paths, const project::WatchOptions &options,
           const std::function<bool(const std::vector<std::string> &changed)> &check);

// The time of day, as 12:34:56.
std::string time_of_day();

} // namespace deepperf::cli
