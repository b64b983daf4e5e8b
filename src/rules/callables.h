// What runs when something is called: metrics that are given to a Trainer, collators, transforms, mapped functions.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// The function that a value stands for: a function, lambda or method, the `__call__` of an object, or what
// functools.partial wraps. Null if it is not known, or not one with a body.
const model::FunctionInfo *callable_of(const model::Scope &scope, const python::Expr *expr);

// `fn(*args)` in the wrapper that a decorator of the project makes: the functions that it may be, those which have the
// decorator above them. Empty if the callee is no parameter of a decorator.
std::vector<const model::FunctionInfo *> decorated_callees(const Site &site, const python::Call &call);

// What a function or lambda returns, if it does so in one place.
const python::Expr *only_result(const model::FunctionInfo &function);

} // namespace deepperf::rules
