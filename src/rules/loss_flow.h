// Where the value of an expression goes on its way to backward(): through names, helpers that return it, and
// arithmetic.
#pragma once

#include "rules/site.h"

#include <optional>

namespace deepperf::rules {

enum class Way : u8 {
  Alone, // nothing else with a graph is added to it: methods, casts, and arithmetic with constants
  Term,  // it may also be one term or factor of a sum
  // One term of a sum, and only what surely gets there: no factor of something that has a graph (a mask or weight is
  // not meant to be trained), and through no function that returns something else in another branch.
  Addend,
};

// The backward() that is called on the expression's value; null if there is none that is known. The expression stands
// in the function. Of a call that returns a tuple, `element` is the one that is followed.
const python::Call *backward_of(Memory &memory, const model::Project &project, const model::FunctionInfo &function,
                                const python::Expr *value, Way way, std::optional<u32> element = {});

} // namespace deepperf::rules
