// Lines that fit a terminal.
#pragma once

#include "base/types.h"

#include <string>
#include <string_view>

namespace deepperf::report {

// Breaks the text at blanks so that no line is longer than `width`, and starts all lines but the first with `indent`.
// `used` characters stand before the text on its first line. A width of 0 breaks nothing.
std::string wrapped(std::string_view text, u32 width, u32 used, std::string_view indent);

} // namespace deepperf::report
