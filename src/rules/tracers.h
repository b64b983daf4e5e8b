// Which values are tracers: arrays without values, as a function of JAX sees them while jax.jit compiles it.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Is the expression proven to be a tracer where it stands: a parameter of a compiled function that is not static, what
// jax.grad or lax.scan pass to their function, what callers pass that are traced themselves, or what is computed from
// those? Shapes, dtypes and constants of outer scopes are not.
bool is_tracer(const Site &site, const python::Expr *expr);

// A name of a scope that is not traced: a constant for the compiled function.
bool is_outer_constant(const Site &site, const python::Expr *expr);

// What a function of NumPy does with a tracer: it needs numbers and fails, or asks the array itself, which works.
enum class NumpyOnTracer : u8 { Unknown, Fails, Works };
NumpyOnTracer numpy_on_tracer(std::string_view api);

} // namespace deepperf::rules
