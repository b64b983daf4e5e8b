// Functions that tf.function or jax.jit compile: where they are made, and what inside of them does not do what it looks
// like.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// What traces the code at the place, as bits of model::Tracer; 0 for plain Python, also inside a tf.py_function.
u8 tracers_at(const Site &site);

// A function that is compiled again each time its place is passed, and why that happens often.
struct CompiledAgain {
  bool found = false;
  const model::Loop *loop = nullptr; // around it; null: the function around it is called again and again
  bool in_loop = false;              // that is known to happen from a loop
  bool per_epoch = false;            // by a function that a loop calls again and again with what it returned before
};

// A call such as jax.jit(f), or the definition of a decorated inner function. Found where the result is used only near
// its place: called there, outside of loops, and kept nowhere.
CompiledAgain compiled_again(const Site &site, const python::Call &call);
CompiledAgain compiled_again(const Site &site, const python::FunctionDef &definition);

// A call of a function that defines a compiled function and returns it, `step = make_step(model)`, in a loop or in a
// function that a loop calls for each batch or epoch. What it compiles goes to `*made`.
CompiledAgain factory_called_again(const Site &site, const python::Call &call, const model::FunctionInfo **made);

// Does the place run once for each batch, so that what it compiles is surely compiled many times?
bool runs_per_batch(const Site &site);

// The place where a function is defined, and with it what its decorators say.
Site site_around(const Site &site, const model::FunctionInfo &function);

// What happens when a function is traced, and not each time it runs.
enum class SideEffect : u8 { None, Print, Append, Counter, Clock, Random, Numpy, Store };
SideEffect side_effect_at(const Site &site, const python::Node &node);

// Of a SideEffect::Store: is what it stores read by code that is not traced?
bool is_read_outside(const Site &site, const python::Assign &store);

// Does the value depend on an argument of a function that is itself compiled, and that has no static arguments? Then it
// is surely unknown while the function is traced.
bool depends_on_traced_argument(const Site &site, const python::Expr *expr);

} // namespace deepperf::rules
