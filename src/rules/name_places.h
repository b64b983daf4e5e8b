// Where a function names something: whoever follows one name does not have to go through the whole function for it.
#pragma once

#include "rules/site.h"

#include <span>

namespace deepperf::rules {

// The statements of the function, and parts of compound statements (a test, what a loop runs over), in which the name
// is read; functions inside are part of it. In the order of the source.
std::span<const python::Node *const> places_of_name(const Site &site, const model::FunctionInfo &function, Symbol name);

} // namespace deepperf::rules
