// Versions of libraries, as far as ranges of them need it: 1.13.0a0+git is 1.13.0.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deepperf::bench {

// Is a version in a range like ">=1.4,<2.0"? A version alone, "1.7", means itself and all that begin with it. Nothing
// if the range makes no sense.
std::optional<bool> matches_version(std::string_view version, std::string_view range);

} // namespace deepperf::bench
