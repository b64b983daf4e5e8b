// What Python itself refuses when modules of PyTorch are created and called.
#pragma once

#include "shapes/registry.h"

namespace deepperf::shapes {

// None, a dictionary, numbers or an array of NumPy where a layer takes a tensor.
void check_kind_of_input(Operation &op);
// Floats where sizes are integers: nn.Linear(64 / 2, 10), x.view(4, 8 / 2).
void check_sizes_of_layer(Operation &op, const std::vector<Value> &args);
void check_sizes_of_call(Operation &op);
// x[:0.8 * len(x)]
void check_index(Interpreter &in, const Value &object, const Value &index, const python::Expr *node);
// Several tensors are used as if they were one: lstm(x).shape, 0.5 * x.max(1).
void check_attribute_of_tuple(Interpreter &in, const Value &value, Symbol name, const python::Expr *node);
void check_product_of_tuple(Interpreter &in, const Value &left, const Value &right, const python::Expr *node);
// x.shape(0), x.size[0]
void report_shape_is_called(Interpreter &in, const python::Expr *node);
void check_size_is_called(Interpreter &in, const Value &callee, const python::Expr *node);
void check_size_is_not_indexed(Interpreter &in, const Value &object, const python::Expr *node);
// len() of a tensor without dimensions, or a loop over it.
void check_has_length(Interpreter &in, const Value &value, const python::Expr *node);
// torch.optim.SGD(model), torch.optim.SGD([])
void check_optimizer(Interpreter &in, Symbol api, const Arguments &arguments, const python::Expr *node);
// self.name in a module that has nothing of this name.
void check_has_attribute(Interpreter &in, const Object &object, Symbol name, const python::Expr *node);

} // namespace deepperf::shapes
