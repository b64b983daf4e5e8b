// What a finding is recognised by in another revision of the code.
#pragma once

#include "check/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::report {

// One for each finding of the result: a hash of the rule and of the lines where the finding begins, then ":2" for the
// second such finding of a file, and so on. Line numbers, indentation, path and message have no part in it, so that it
// stays the same when code moves or a message is reworded.
std::vector<std::string> fingerprints(const check::Result &result);

// Unique in a report: the same for a text that identifies something within a file.
std::string fingerprint_in_file(std::string_view path, std::string_view identity);

} // namespace deepperf::report
