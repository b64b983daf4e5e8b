// A number that recognizes a finding after edits elsewhere in its file: of the code around it, not of its place.
#pragma once

#include "check/result.h"

#include <string_view>
#include <vector>

namespace deepperf::check {

// One for each finding, in their order; equal for equal code in the same function of different files. It is made of the
// names of the functions and classes around the finding and of the text of its statement: of a compound statement the
// header only. White space, comments, parentheses, trailing commas and the kind of quotes do not count, so that a
// formatter changes nothing. Parses the files that have findings, on all cores.
std::vector<u64> fingerprints(const Result &result);

// The text as fingerprints see it; for tests.
std::string normalised(std::string_view code, const std::vector<python::Span> &comments, u32 start);

} // namespace deepperf::check
