// Arrays of NumPy, JAX and TensorFlow from sizes, numbers and lists.
#include "shapes/frames.h"
#include "shapes/tf.h"

#include <cmath>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace array_makers {
namespace {

Library library_of(const Operation &op) {
  const std::string_view api = op.api ? op.api.text() : std::string_view{};
  return api.starts_with("jax.") ? Library::Jax : api.starts_with("tensorflow.") ? Library::TensorFlow : Library::Numpy;
}

// Python's float is float64 to NumPy and float32 to the others.
Tensor fresh_array(Operation &op, Dtype otherwise) {
  Tensor tensor;
  tensor.library = library_of(op);
  tensor.grad = Truth::No;
  tensor.dtype = tensor.library == Library::Numpy ? otherwise
                 : otherwise == Dtype::Float64    ? Dtype::Float32
                 : otherwise == Dtype::Int64      ? Dtype::Int32
                                                  : otherwise;
  if (const Value dtype = op.arg("dtype"); op.is_given("dtype") && !dtype.is(Tag::None)) {
    tensor.dtype = tensor.library == Library::Numpy ? op.in.as_dtype(dtype) : short_dtype(op.in, dtype);
  } else if (op.is_open) {
    tensor.dtype = Dtype::Unknown;
  }
  return tensor;
}

Shape shape_from(Operation &op, const Value &value) {
  std::vector<Dim> dims;
  if (op.is_open) {
    return {};
  }
  if (value.is(Tag::Int)) {
    return op.in.heap.shape({value.dim()});
  }
  if (!value.is_sequence() || !op.in.as_dims(value, dims)) {
    return {};
  }
  for (Dim &dim : dims) {
    dim = dim.is_constant() && dim.value < 0 ? Dim{} : dim;
  }
  return op.in.heap.shape(dims);
}

// zeros(shape), full(shape, value)
Value call_array_zeros(Operation &op) {
  Tensor tensor = fresh_array(op, Dtype::Float64);
  tensor.shape = shape_from(op, op.arg("shape"));
  return op.result(tensor, {});
}

Value call_array_full(Operation &op) {
  const Value fill = op.arg("fill_value");
  Tensor tensor = fresh_array(op, fill.is(Tag::Float)  ? Dtype::Float64
                                  : fill.is(Tag::Int)  ? Dtype::Int64
                                  : fill.is(Tag::Bool) ? Dtype::Bool
                                                       : Dtype::Unknown);
  tensor.shape = shape_from(op, op.arg("shape"));
  return op.result(tensor, {});
}

// rand(2, 3)
Value call_array_rand(Operation &op) {
  if (op.rest.empty()) {
    return Value::some_float();
  }
  Tensor tensor = fresh_array(op, Dtype::Float64);
  std::vector<Dim> dims;
  for (const Value &value : op.rest) {
    if (!value.is(Tag::Int) && !value.is(Tag::Opaque)) {
      return op.result(tensor, {});
    }
    dims.push_back(op.in.as_dim(value));
  }
  tensor.shape = op.is_open ? Shape{} : op.in.heap.shape(dims);
  return op.result(tensor, {});
}

Value drawn(Operation &op, Dtype dtype) {
  const Value size = op.arg("size");
  if (size.is(Tag::None)) {
    return {}; // one number, or as many as the other arguments have
  }
  Tensor tensor = fresh_array(op, dtype);
  tensor.shape = shape_from(op, size);
  return op.result(tensor, {});
}

Value call_array_draw(Operation &op) { return drawn(op, Dtype::Float64); }
Value call_array_randint(Operation &op) { return drawn(op, Dtype::Int64); }
Value call_array_choice(Operation &op) { return drawn(op, Dtype::Unknown); }

Value call_array_arange(Operation &op) {
  const Value first = op.arg("start");
  const Value second = op.arg("stop");
  const Value step = op.arg("step");
  bool is_int = true;
  bool is_float = false;
  for (const Value *value : {&first, &second, &step}) {
    is_int = is_int && (value->is(Tag::Int) || value->is(Tag::None));
    is_float = is_float || value->is(Tag::Float);
  }
  Tensor tensor = fresh_array(op, is_int ? Dtype::Int64 : is_float ? Dtype::Float64 : Dtype::Unknown);
  Dim count;
  if (is_int && !op.is_open) {
    const Dim start = second.is(Tag::None) ? Dim::of(0) : op.in.as_dim(first);
    const Dim end = op.in.as_dim(second.is(Tag::None) ? first : second);
    const Dim by = step.is(Tag::None) ? Dim::of(1) : op.in.as_dim(step);
    if (start.is_constant() && end.is_constant() && by.is_constant() && by.value > 0) {
      count = Dim::of(end.value > start.value ? (end.value - start.value + by.value - 1) / by.value : 0);
    } else if (by.is(1)) {
      count = op.in.terms.subtract(end, start);
    }
  }
  // arange(4.0)
  if (first.is(Tag::Float) && first.small != 0 && second.is(Tag::None) && step.is(Tag::None) && first.real >= 0 &&
      first.real < 1e9 && !op.is_open) {
    count = Dim::of(static_cast<i64>(std::ceil(first.real)));
  }
  tensor.shape = op.in.heap.shape({count});
  return op.result(tensor, {});
}

Value call_array_linspace(Operation &op) {
  Tensor tensor = fresh_array(op, Dtype::Float64);
  const auto is_number = [&](std::string_view name) {
    const Value value = op.arg(name);
    return value.is(Tag::Int) || value.is(Tag::Float);
  };
  if (is_number("start") && is_number("stop") && !op.is_open) {
    tensor.shape = op.in.heap.shape({op.dim("num")});
  }
  return op.result(tensor, {});
}

Value call_array_eye(Operation &op) {
  Tensor tensor = fresh_array(op, Dtype::Float64);
  const Value columns = op.arg("M");
  const Dim rows = op.dim("N");
  if (!op.is_open) {
    tensor.shape = op.in.heap.shape({rows, columns.is(Tag::None) ? rows : op.in.as_dim(columns)});
  }
  return op.result(tensor, {});
}

// The first number or array in nested lists.
Value leaf_of(const Value &value, u32 depth = 0) {
  if (!value.is_sequence() || depth > 8) {
    return value;
  }
  return value.list->content.items.empty() ? Value() : leaf_of(value.list->content.items[0], depth + 1);
}

Value call_array(Operation &op) {
  const Value given = op.arg("object");
  const Tensor *const kept = array_in(given); // of a table or picture
  const Value data = kept != nullptr ? op.in.plain_tensor(*kept) : given;
  if (data.is(Tag::Tensor) && data.tensor->library == Library::Torch && data.tensor->grad == Truth::Yes) {
    if (Problem *problem = op.report(
            Fault::NumpyOfGrad, fmt::format("{}() cannot be called on a tensor that requires grad", op.short_name()))) {
      op.in.add_chain(*problem, *data.tensor);
      problem->advice = "use .detach().numpy(), or .detach().cpu().numpy() for a tensor that may be on a GPU";
    }
  }
  Dtype dtype = Dtype::String; // nothing yet
  std::vector<Dim> dims;
  const bool is_number = (data.is(Tag::Int) && data.dim().is_constant()) || (data.is(Tag::Float) && data.small != 0);
  const bool is_known =
      (data.is_sequence() || data.is(Tag::Tensor) || is_number) && measure(op.in, data, dims, dtype, 0);
  const Value leaf = leaf_of(data);
  if (!is_known) {
    dtype = leaf.is(Tag::Tensor) && data.is(Tag::Tensor) ? leaf.tensor->dtype : Dtype::Unknown;
  } else if (dtype == Dtype::String) {
    dtype = Dtype::Float64; // of an empty list
  } else if (!leaf.is(Tag::Tensor) && dtype == Dtype::Float32) {
    dtype = Dtype::Float64;
  } else if (leaf.is(Tag::Tensor)) {
    dtype = leaf.tensor->dtype;
  }
  Tensor tensor = fresh_array(op, dtype);
  if (is_known && !op.is_open && !op.is_given("ndmin")) {
    tensor.shape = op.in.heap.shape(dims);
  }
  return op.result(tensor, {});
}

Value call_array_like(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  const Value dtype = op.arg("dtype");
  return op.like(*input, input->shape, dtype.is(Tag::None) ? input->dtype : op.in.as_dtype(dtype));
}

// x.astype("float32"), tf.cast(x, tf.float32)
Value call_astype(Operation &op) {
  const Tensor *const input = op.tensor("input");
  return input != nullptr ? op.like(*input, input->shape, op.in.as_dtype(op.arg("dtype"))) : Value();
}

// x.transpose(), x.transpose(0, 2, 1), np.transpose(x, (0, 2, 1)), tf.transpose(x, perm=[…])
Value call_axes_transpose(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr || !input->shape.is_known() || op.is_open) {
    return input != nullptr ? op.like(*input, {}) : Value();
  }
  std::vector<Value> given = op.rest;
  if (given.size() == 1 && given[0].is_sequence()) {
    const Value list = given[0];
    given.clear();
    if (!op.in.iterate(list, given)) {
      return op.like(*input, {});
    }
  }
  if (op.rest.empty()) {
    const Value axes = op.arg("axes");
    if (axes.is_sequence()) {
      if (!op.in.iterate(axes, given)) {
        return op.like(*input, {});
      }
    } else if (!axes.is(Tag::None) && !axes.is_unknown()) {
      return op.like(*input, {});
    } else if (op.is_given("axes") && !axes.is(Tag::None)) {
      return op.like(*input, {});
    }
  }
  const u32 rank = input->shape.rank();
  std::vector<Dim> dims;
  if (given.empty() || (given.size() == 1 && given[0].is(Tag::None))) {
    for (u32 i = rank; i > 0; --i) {
      dims.push_back(input->shape.dims[i - 1]);
    }
    return op.like(*input, op.in.heap.shape(dims));
  }
  for (const Value &axis : given) {
    if (!axis.is(Tag::Int) || !axis.dim().is_constant()) {
      return op.like(*input, {});
    }
  }
  if (given.size() != rank) {
    if (Problem *problem =
            op.report(Fault::WrongRank, "transpose names " + std::to_string(given.size()) + " axes, and " +
                                            op.in.text_of(*input) + " has " + std::to_string(rank))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "name each axis once";
    }
    return op.like(*input, {});
  }
  for (const Value &axis : given) {
    const auto at = axis_of(op, *input, axis.dim().value, "axes");
    if (!at) {
      return op.like(*input, {});
    }
    dims.push_back(input->shape.dims[*at]);
  }
  return op.like(*input, op.in.heap.shape(dims));
}

// dot: a product of matrices where both have two dimensions at most.
Value call_array_dot(Operation &op) {
  const Tensor *const a = op.tensor("input");
  const Tensor *const b = op.tensor("other");
  if (a == nullptr || b == nullptr) {
    return {};
  }
  if (!a->shape.is_known() || !b->shape.is_known() || a->shape.rank() == 0 || b->shape.rank() == 0 ||
      b->shape.rank() > 2) {
    return op.unknown_tensor(a);
  }
  return find_transfer("matmul")->call(op);
}

// concatenate and stack of arrays; of anything else nothing is known.
Value joined(Operation &op, std::string_view transfer) {
  const Value given = op.arg("tensors");
  if (!given.is_sequence() || given.list->content.items.empty()) {
    return {};
  }
  for (const Value &item : given.list->content.items) {
    if (!item.is(Tag::Tensor)) {
      return {};
    }
  }
  return find_transfer(transfer)->call(op);
}

Value call_array_cat(Operation &op) { return joined(op, "cat"); }
Value call_array_stack(Operation &op) { return joined(op, "stack"); }

constexpr TransferEntry kTable[] = {
    {"array_cat", call_array_cat},           {"array_stack", call_array_stack},
    {"array_zeros", call_array_zeros},       {"array_full", call_array_full},
    {"array_rand", call_array_rand},         {"array_draw", call_array_draw},
    {"array_randint", call_array_randint},   {"array_choice", call_array_choice},
    {"array_arange", call_array_arange},     {"array_linspace", call_array_linspace},
    {"array_eye", call_array_eye},           {"array", call_array},
    {"array_like", call_array_like},         {"astype", call_astype},
    {"axes_transpose", call_axes_transpose}, {"array_dot", call_array_dot},
};

} // namespace
} // namespace array_makers

std::span<const TransferEntry> array_maker_transfers() { return array_makers::kTable; }

} // namespace deepperf::shapes
