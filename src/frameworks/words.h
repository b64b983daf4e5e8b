// The words that the tables use, next to those of kinds and traits in frameworks.h. For who reads the tables: the
// build.
#pragma once

#include "frameworks/frameworks.h"

namespace deepperf {

// Output::Unknown when there is no such word.
Output output_named(std::string_view name);

} // namespace deepperf
