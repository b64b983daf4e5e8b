// Lines of a source that cannot end in a comment, because a backslash or a string goes on in the next one.
#pragma once

#include "check/suppression.h"

#include <vector>

namespace deepperf::check {

// Each range ends with the line on which a comment is possible again. Sorted; ranges do not overlap. Parses the source.
std::vector<LineRange> find_joined_lines(const python::Source &source);

// The last line of the range that holds the line; the line itself if there is none.
u32 end_of_joined(const std::vector<LineRange> &joined, u32 line);

} // namespace deepperf::check
