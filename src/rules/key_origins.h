// Which random keys of JAX are the same in every step: where they come from, through train states, dictionaries,
// functions and attributes.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// The training loop in all of whose steps the expression is the same key, or keys; null if something on the way makes
// another one of it, or is not understood. `*made` is where it is made. Only keys that are kept in something: those
// that the loop passes on by themselves are seen there.
const model::Loop *loop_with_same_key(const Site &site, const python::Expr *keys, const python::Call **made);

} // namespace deepperf::rules
