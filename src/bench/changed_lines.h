// Which lines of a program differ from another version of it.
#pragma once

#include "base/types.h"

#include <set>
#include <string_view>

namespace deepperf::bench {

// Lines of `text` (from 1) that are not in `other`, in a longest common subsequence of both. Where lines are missing in
// `text`, the lines around the gap count, as they are where something could be said about it.
std::set<u32> changed_lines(std::string_view text, std::string_view other);

} // namespace deepperf::bench
