// What the files about TensorFlow and JAX share.
#pragma once

#include "shapes/libraries.h"

#include <initializer_list>

namespace deepperf::shapes {

// A value as a tensor of a library: arrays and lists are converted as the library does it. Null if that is not known.
const Tensor *converted(Operation &op, const Value &value, Library library = Library::TensorFlow);
inline const Tensor *converted(Operation &op, std::string_view name, Library library = Library::TensorFlow) {
  return converted(op, op.arg(name), library);
}
// `float` and `int` are float32 and int32 to TensorFlow and JAX.
Dtype short_dtype(Interpreter &in, const Value &value);
// Runs the transfer function of another operation with these arguments.
using NamedValues = std::initializer_list<std::pair<std::string_view, Value>>;
Value run_as(Operation &op, std::string_view transfer, NamedValues args, const std::vector<Value> &rest = {});
// The same tensor with another library and dtype, as the result of `op`.
Value retyped(Operation &op, const Value &value, Library library, std::optional<Dtype> dtype = {});
Value made(Operation &op, const Shape &shape, Dtype dtype, const std::vector<const Tensor *> &inputs = {},
           Library library = Library::TensorFlow);
// The first argument of these names that was given; undefined if none was.
Value first_given(const Operation &op, std::initializer_list<std::string_view> names);
// TensorFlow never promotes: two tensors of one operation need one dtype. Reports it if they do not have it.
bool check_same_dtype(Interpreter &in, const python::Expr *node, const Tensor &a, const Tensor &b,
                      std::string_view what);
bool check_floating(Operation &op, const Tensor &input);
bool check_integer(Operation &op, const Tensor &input, std::string_view role);
bool check_rank_is(Operation &op, const Tensor &input, u32 rank, bool is_exact, std::string_view advice);
inline std::vector<Dim> dims_in(const Shape &shape) { return {shape.dims.begin(), shape.dims.end()}; }

} // namespace deepperf::shapes
