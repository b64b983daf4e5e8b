// Which parameters of a function under jax.jit are static: JAX compiles the function again for each of their values.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

struct StaticParameters {
  u64 bits = 0;         // bit i: parameter i of the function, `self` included
  bool unknown = false; // perhaps others, too
};

// What `static_argnums` and `static_argnames` of the call that compiles the function say. The numbers of a bound
// method, `jax.jit(self.step, static_argnums=1)`, do not count `self`; those of a decorator do.
StaticParameters static_parameters(const Site &site, const model::FunctionInfo &function);

// The same for `donate_argnums` and `donate_argnames`: whose buffers the function takes over.
StaticParameters donated_parameters(const Site &site, const model::FunctionInfo &function);

} // namespace deepperf::rules
