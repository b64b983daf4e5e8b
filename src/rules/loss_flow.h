// Where the value of an expression goes on its way to backward(): through names, helpers that return it, and
// arithmetic.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

enum class Way : u8 {
  Alone, // nothing else with a graph is added to it: methods, casts, and arithmetic with constants
  Term,  // it may also be one term or factor of a sum
};

// The backward() that is called on the expression's value; null if there is none that is known. The expression stands
// in the function.
const python::Call *backward_of(Memory &memory, const model::Project &project, const model::FunctionInfo &function,
                                const python::Expr *value, Way way);

} // namespace deepperf::rules
