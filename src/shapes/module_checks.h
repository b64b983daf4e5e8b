// What Python itself refuses when modules of PyTorch are created and called.
#pragma once

#include "shapes/registry.h"

namespace deepperf::shapes {

// None, a dictionary, numbers or an array of NumPy where a layer takes a tensor.
void check_kind_of_input(Operation &op);
// Floats where sizes are integers: nn.Linear(64 / 2, 10), x.view(4, 8 / 2).
void check_sizes_of_layer(Operation &op, const std::vector<Value> &args);
void check_sizes_of_call(Operation &op);
// self.name in a module that has nothing of this name.
void check_has_attribute(Interpreter &in, const Object &object, Symbol name, const python::Expr *node);

} // namespace deepperf::shapes
