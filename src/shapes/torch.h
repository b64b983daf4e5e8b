// What the files about PyTorch share.
#pragma once

#include "shapes/registry.h"

namespace deepperf::shapes {

// The result of a layer: its dtype and device are those of its weights and of what it gets.
Tensor layer_result(Operation &operation, const Tensor &input);
// Whether what a layer gets has the dtype and device of its weights. Reports it if not.
bool check_layer(Operation &operation, const Tensor &input);
// A layer that is made for so many features or channels gets another number of them.
void report_layer_size(Operation &operation, const Tensor &input, std::string_view parameter, Dim wanted, Dim got);
// A tuple, number or the like where a layer takes a tensor.
void report_not_a_tensor(Operation &operation, const Value &value);
// Where a layer's argument is written; null if that is not known.
const python::Expr *argument_of_maker(const Object &layer, const Spec &spec, std::string_view parameter);

// Sequential, ModuleList or ModuleDict, or of a class that derives from one: calls and loops go over its children.
bool is_torch_container(const Object &object);

} // namespace deepperf::shapes
