// Elementary functions, whatever framework they come from: `torch.log(x)`, `x.log()`, `tf.math.log(x)`, `jnp.log(x)`.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

struct MathCall {
  const python::Call *call = nullptr; // null: it is none
  std::string_view function;          // log, exp, sum, sqrt, …; reduce_sum of TensorFlow is sum
  std::string_view package;           // torch, tensorflow, jax.numpy, numpy
  const python::Expr *operand = nullptr;
  bool is_method = false; // x.log()

  explicit operator bool() const { return call != nullptr; }
  [[nodiscard]] bool is(std::string_view name) const { return call != nullptr && function == name; }
};

MathCall math_call(const Site &site, const python::Expr *expr);

// Is the expression that number, as it is written?
bool is_number(const Site &site, const python::Expr *expr, double number);

} // namespace deepperf::rules
