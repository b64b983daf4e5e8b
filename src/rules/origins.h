// Where a value comes from: its expression is followed back through names, unpacked tuples, entries of dictionaries,
// attributes of objects, arguments and results of functions, and through what jax.grad, jax.vmap, functools.partial and
// the like make of a function. A function that is entered through a call is left through the same call.
#pragma once

#include "base/function_ref.h"
#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

// Which part of the value is asked for: an element by its number, or an entry or attribute by its name.
struct OriginPart {
  Symbol key;
  i32 index = kAnyElement;

  static constexpr i32 kAnyElement = -1;
  friend bool operator==(const OriginPart &, const OriginPart &) = default;
};

// An expression on the way that is more than another name for something.
struct Origin {
  const model::FunctionInfo *function = nullptr; // where it stands
  const python::Expr *expr = nullptr;
  std::vector<OriginPart> path = {};                   // the part of it that is asked for, outermost first
  bool is_gradient = false;                            // the call gives what jax.grad computes
  const model::FunctionInfo *differentiated = nullptr; // of a gradient, if it is known
  const model::FunctionInfo *parameter_of = nullptr;   // a parameter, before those are asked who call the function
  u32 parameter = 0;
  mutable std::vector<const python::Expr *> next = {}; // for Onward::Next
  mutable u32 level = 0; // how many times the way went on with what a visitor put into `next`
};

enum class Onward : u8 {
  Stop,
  Next,    // to what the visitor put into `next`: operands or arguments, or parts of them
  Through, // of an operation to its operands, of a call to its arguments and receiver, of a parameter to the callers
};

struct OriginOptions {
  std::vector<OriginPart> path = {}; // the part of the expression that is asked for, outermost first
  // Names and attributes are visited as well, before what they hold, and in a loop a name is also what the iteration
  // before left in it.
  bool thorough = false;
  bool enters_models = false; // of a call of a Keras or Flax model, what its `call` or `__call__` returns
};

using OriginVisitor = FunctionRef<Onward(const Origin &)>;

// Calls the visitor with each of them, from the expression on, which stands in the function. False if something on the
// way was not understood.
bool visit_origins(const Site &site, const model::FunctionInfo &function, const python::Expr *expr, OriginVisitor visit,
                   OriginOptions options = {});

// The same of an expression in the function that the call calls, for this call alone: its parameters are what it
// passes. `is_only`, if given, tells whether there was one way at each step.
bool visit_origins_in_call(const Site &site, const model::CallSite &call, const python::Expr *expr, OriginVisitor visit,
                           bool *is_only = nullptr);

// What the function returns: the same for its results.
bool visit_result_origins(const Site &site, const model::FunctionInfo &function, std::vector<OriginPart> path,
                          OriginVisitor visit);

// The place of an expression of the function, for questions about it.
Site site_of_origin(const Site &site, const model::FunctionInfo &function);

// Functions that are handed to jax.grad, jax.vmap, lax.scan and the like, and where.
struct HandedTo {
  const python::Call *transform = nullptr;
  const python::Call *outer = nullptr; // jax.grad(f)(x, y): the call of what it gives, if it is called right there
  std::string_view api;
};
const std::vector<HandedTo> &handed_to(const Site &site, const model::FunctionInfo &function);

} // namespace deepperf::rules
