// What is known of functions that work on whole tensors as on one row or element: for vector_loop.cpp.
#pragma once

#include "rules/site.h"

namespace deepperf::rules::vectors {

// A tensor or array of any framework.
bool is_array(Kind kind);

// `c` of `a.b.c`.
std::string_view last_part(std::string_view api);

// Reductions, products and the like, by the last part of their name.
bool works_on_rows(std::string_view name);
// Element-wise functions, also where nothing is known about the receiver.
bool works_on_elements(std::string_view name);

// A call that makes a tensor of a list.
bool is_collector(const Site &site, const python::Node *node);

// `model.compile(loss=f)`: Keras calls the function around the place with tensors.
bool is_keras_loss(const Site &site);

} // namespace deepperf::rules::vectors
