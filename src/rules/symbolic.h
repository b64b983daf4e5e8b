// Which values are symbolic tensors: what Keras or tf.data pass to a function that they trace (a loss, a metric, the
// function of a Lambda layer, a mapped function), and what is computed from it. Such tensors have no values yet.
#pragma once

#include "rules/site.h"

#include <string_view>

namespace deepperf::rules {

// Who traces a function, and where it is told to.
struct TracedFunction {
  const python::Node *place = nullptr; // of the call that passes the function on, or the class
  const model::Module *module = nullptr;
  std::string_view as; // "loss", "metric", "Lambda layer", "map"
};

// The innermost function around the place that is traced so; null if there is none.
const TracedFunction *traced_by_keras(const Site &site);

// Is the expression proven to be a symbolic tensor where it stands? Also in helpers that only traced functions call.
bool is_symbolic(const Site &site, const python::Expr *expr);

} // namespace deepperf::rules
