// The last column of the tables, after a `|`: the signature of an API or method, and what becomes of shapes. What it
// means is in shapes/spec.h.
#pragma once

#include "frameworks/frameworks.h"

#include <string_view>

namespace deepperf {

// Empty where the tables say nothing. `kind` is Kind::Unknown for an API, else that of a method's receiver.
std::string_view shape_column(Kind kind, Symbol name);

} // namespace deepperf
