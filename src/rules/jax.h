// What rules about JAX programs ask.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Does the call run a function that jax.jit, pmap or the like compiled? It returns before the device is done.
bool runs_compiled_jax(const model::Project &project, const python::Call &call);

// The same where the function comes from a table, a parameter or an attribute: all that may be called is compiled.
bool runs_compiled_jax(const Site &site, const python::Call &call);

// Is the expression, wherever it was made, an optimizer of Optax and nothing else?
bool is_optax_optimizer(const Site &site, const python::Expr *expr);

// Does an iteration of the loop bind the name?
bool is_bound_in(const model::Loop &loop, Symbol name);

// Is the statement the last one of a notebook's cell? Then its value is shown.
bool is_shown_by_notebook(const Site &site, const python::Stmt &statement);

} // namespace deepperf::rules
