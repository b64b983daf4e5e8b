// The names that "\N{…}" takes.
#pragma once

#include "base/types.h"

#include <optional>
#include <string_view>

namespace deepperf::python {

// The code point with this Unicode name or alias, in any case. Nothing if there is none.
std::optional<u32> code_point_named(std::string_view name);

} // namespace deepperf::python
