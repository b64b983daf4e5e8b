// Tensors of TensorFlow from sizes, numbers and arrays, and what is computed element by element. There is no promotion.
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

Dtype short_dtype(Interpreter &in, const Value &value) {
  if (value.is(Tag::Api)) {
    return value.text() == "float"  ? Dtype::Float32
           : value.text() == "int"  ? Dtype::Int32
           : value.text() == "bool" ? Dtype::Bool
                                    : Dtype::Unknown;
  }
  return in.as_dtype(value);
}

const Tensor *converted(Operation &op, const Value &value, Library library) {
  const auto keep = [&](const Tensor &tensor) { return op.in.heap.arena.make<Tensor>(tensor); };
  if (value.is(Tag::Tensor) || value.is(Tag::Opaque)) {
    const Tensor *const tensor = op.in.as_tensor(value);
    if (tensor == nullptr || tensor->library == library) {
      return tensor;
    }
    Tensor same = *tensor;
    same.library = library;
    same.is_weak = tensor->library == Library::Numpy; // it may become what the operation needs
    if (library == Library::Jax && tensor->library == Library::Numpy) {
      // 64 bits are switched off unless the program asks for them.
      same.dtype = tensor->dtype == Dtype::Float64 ? Dtype::Float32
                   : tensor->dtype == Dtype::Int64 ? Dtype::Int32
                                                   : tensor->dtype;
    }
    return keep(same);
  }
  // What is computed from arguments may be a tensor as well as a number.
  if ((value.is(Tag::Int) && !value.dim().is_constant()) || (value.is(Tag::Float) && value.small == 0) ||
      (value.is(Tag::Bool) && value.truth() == Truth::Unknown)) {
    return nullptr;
  }
  Tensor tensor;
  tensor.library = library;
  tensor.grad = Truth::No;
  if (value.is(Tag::Int) || value.is(Tag::Float) || value.is(Tag::Bool)) {
    tensor.dtype = value.is(Tag::Int) ? Dtype::Int32 : value.is(Tag::Float) ? Dtype::Float32 : Dtype::Bool;
    tensor.is_weak = true;
    tensor.shape = op.in.heap.shape({});
    return keep(tensor);
  }
  if (value.is_sequence()) {
    std::vector<Dim> dims;
    Dtype dtype = Dtype::String; // nothing yet
    if (!measure(op.in, value, dims, dtype, 0)) {
      return nullptr;
    }
    tensor.is_weak = true;
    tensor.dtype = dtype == Dtype::Int64 ? Dtype::Int32 : dtype == Dtype::String ? Dtype::Float32 : dtype;
    const Value *leaf = &value;
    while (leaf->is_sequence() && !leaf->list->content.items.empty()) {
      leaf = &leaf->list->content.items[0];
    }
    if (leaf->is(Tag::Tensor)) {
      tensor.dtype = leaf->tensor->library == library ? leaf->tensor->dtype : Dtype::Unknown;
      tensor.is_weak = leaf->tensor->library != library;
    }
    tensor.shape = op.in.heap.shape(dims);
    return keep(tensor);
  }
  return nullptr;
}

Value run_as(Operation &op, std::string_view transfer, NamedValues args, const std::vector<Value> &rest) {
  const TransferEntry *const entry = find_transfer(transfer);
  if (entry == nullptr || entry->call == nullptr) {
    return {};
  }
  Spec spec;
  Operation other{op.in, spec, op.api, op.node, nullptr};
  for (const auto &[name, value] : args) {
    spec.call.push_back({intern(name), {}, false, false});
    other.args.push_back(value);
  }
  other.rest = rest;
  other.is_open = op.is_open;
  return entry->call(other);
}

Value retyped(Operation &op, const Value &value, Library library, std::optional<Dtype> dtype) {
  if (!value.is(Tag::Tensor)) {
    return value;
  }
  Tensor tensor = *value.tensor;
  tensor.library = library;
  tensor.dtype = dtype.value_or(tensor.dtype);
  tensor.is_weak = false;
  tensor.device = {};
  return op.in.plain_tensor(tensor);
}

Value made(Operation &op, const Shape &shape, Dtype dtype, const std::vector<const Tensor *> &inputs, Library library) {
  Tensor tensor;
  tensor.library = library;
  tensor.shape = shape;
  tensor.dtype = dtype;
  return op.result(tensor, inputs);
}

Value first_given(const Operation &op, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (op.is_given(name)) {
      return op.arg(name);
    }
  }
  return op.is_open ? Value() : Value(Tag::Undefined);
}

bool check_same_dtype(Interpreter &in, const Expr *node, const Tensor &a, const Tensor &b, std::string_view what) {
  if (in.is_promoting || a.library != Library::TensorFlow || b.library != Library::TensorFlow || a.dtype == b.dtype ||
      a.is_weak || b.is_weak || a.dtype == Dtype::Unknown || b.dtype == Dtype::Unknown) {
    return true;
  }
  if (Problem *problem =
          in.report(Fault::DtypeMismatch, node,
                    fmt::format("{} takes tensors of one dtype, but gets {} and {}: TensorFlow does not promote dtypes",
                                what, name_of(a.dtype), name_of(b.dtype)))) {
    in.add_chain(*problem, a);
    in.add_chain(*problem, b);
    problem->advice =
        fmt::format("cast one of them: tf.cast(x, tf.{})", name_of(is_floating(a.dtype) ? a.dtype : b.dtype));
  }
  return false;
}

bool check_floating(Operation &op, const Tensor &input) {
  if (op.in.is_promoting || (!is_integer(input.dtype) && input.dtype != Dtype::Bool) ||
      (input.is_weak && !input.shape.has_rank(0))) {
    return true;
  }
  if (Problem *problem = op.report(Fault::DtypeMismatch, fmt::format("{} takes floating-point numbers, but gets {}",
                                                                     op.short_name(), name_of(input.dtype)))) {
    op.in.add_chain(*problem, input);
    problem->advice = "cast it first: tf.cast(x, tf.float32)";
  }
  return false;
}

bool check_integer(Operation &op, const Tensor &input, std::string_view role) {
  if ((!is_floating(input.dtype) && input.dtype != Dtype::Bool) || input.is_weak) {
    return true;
  }
  if (Problem *problem = op.report(Fault::DtypeMismatch, fmt::format("{} of {} must be integers, but are {}", role,
                                                                     op.short_name(), name_of(input.dtype)))) {
    op.in.add_chain(*problem, input);
    problem->advice = "cast them: tf.cast(x, tf.int32)";
  }
  return false;
}

bool check_rank_is(Operation &op, const Tensor &input, u32 rank, bool is_exact, std::string_view advice) {
  const u32 got = input.shape.rank();
  if (!input.shape.is_known() || got == rank || (!is_exact && got > rank)) {
    return true;
  }
  if (Problem *problem = op.report(Fault::WrongRank, fmt::format("{} takes {}{} dimension{}, but gets {}",
                                                                 op.short_name(), is_exact ? "" : "at least ", rank,
                                                                 rank == 1 ? "" : "s", op.in.text_of(input)))) {
    op.in.add_chain(*problem, input);
    problem->advice = advice;
  }
  return false;
}

namespace tf_operations {
namespace {

constexpr Library kTf = Library::TensorFlow;

// A shape that may have None in it: sizes that are only known when the graph runs.
Shape shape_with_gaps(Operation &op, const Value &value) {
  if (op.is_open) {
    return {};
  }
  if (value.is(Tag::Int)) {
    return op.in.heap.shape({value.dim()});
  }
  if (!value.is_sequence() || value.list->content.is_open) {
    return {};
  }
  std::vector<Dim> dims;
  for (const Value &item : value.list->content.items) {
    const bool is_gap = item.is(Tag::None);
    const Dim dim = is_gap && dims.empty() ? op.in.fresh("N") : op.in.as_dim(item);
    dims.push_back(dim.is_constant() && dim.value < 0 ? Dim{} : dim);
  }
  return op.in.heap.shape(dims);
}

Dtype dtype_or(Operation &op, Dtype otherwise) {
  const Value dtype = op.arg("dtype");
  if (op.is_given("dtype") && !dtype.is(Tag::None)) {
    return short_dtype(op.in, dtype);
  }
  return op.is_open ? Dtype::Unknown : otherwise;
}

// zeros, random.normal, …: a shape, and float32 unless something else is said.
Value call_zeros(Operation &op) { return made(op, shape_with_gaps(op, op.arg("shape")), dtype_or(op, Dtype::Float32)); }

Value call_fill(Operation &op) {
  const Tensor *const value = converted(op, "value");
  return made(op, shape_with_gaps(op, op.arg("dims")), value != nullptr ? value->dtype : Dtype::Unknown);
}

Value call_constant(Operation &op) {
  const Tensor *const value = converted(op, "value");
  const Value shape = op.arg("shape");
  const Dtype dtype = dtype_or(op, value != nullptr ? value->dtype : Dtype::Unknown);
  if (!shape.is(Tag::None)) {
    return made(op, shape_with_gaps(op, shape), dtype);
  }
  return made(op, value != nullptr ? value->shape : Shape{}, dtype);
}

Value call_placeholder(Operation &op) {
  const Value shape = op.arg("shape");
  return made(op, shape.is(Tag::None) ? Shape{} : shape_with_gaps(op, shape), short_dtype(op.in, op.arg("dtype")));
}

Value call_variable(Operation &op) {
  const Value initial = op.arg("initial_value");
  const Tensor *const value = converted(op, initial);
  if (value == nullptr) {
    return made(op, {}, dtype_or(op, Dtype::Unknown));
  }
  if (op.is_given("shape") || op.is_given("validate_shape")) {
    return made(op, {}, dtype_or(op, value->dtype), {value});
  }
  return made(op, value->shape, dtype_or(op, value->dtype), {value});
}

Value call_get_variable(Operation &op) {
  const Value shape = op.arg("shape");
  const Value initializer = op.arg("initializer");
  if (shape.is(Tag::None)) {
    const Tensor *const value = converted(op, initializer);
    return value != nullptr ? made(op, value->shape, value->dtype) : made(op, {}, Dtype::Unknown);
  }
  return made(op, shape_with_gaps(op, shape), dtype_or(op, Dtype::Float32));
}

// Layer.add_weight: Keras 2 and 3 begin with the shape, older ones with the name.
Value call_add_weight(Operation &op) {
  Value shape = op.arg("shape");
  if (shape.is(Tag::Str)) {
    shape = op.arg("initializer");
    if (!shape.is_sequence()) {
      shape = Value();
    }
  }
  if (!op.is_given("shape")) {
    return made(op, op.is_open ? Shape{} : op.in.heap.shape({}), Dtype::Unknown);
  }
  return made(op, shape_with_gaps(op, shape), Dtype::Unknown);
}

Value call_range(Operation &op) {
  const Value first = op.arg("start");
  const Value second = op.arg("limit");
  const Value by = op.arg("delta");
  const bool has_two = op.is_given("limit") && !second.is(Tag::None);
  bool all_int = first.is(Tag::Int) && (by.is(Tag::Int)) && (!has_two || second.is(Tag::Int));
  bool is_float = first.is(Tag::Float) || by.is(Tag::Float) || (has_two && second.is(Tag::Float));
  Dim count;
  if (all_int && !op.is_open) {
    const Dim start = has_two ? first.dim() : Dim::of(0);
    const Dim limit = has_two ? second.dim() : first.dim();
    if (start.is_constant() && limit.is_constant() && by.dim().is_constant() && by.integer > 0) {
      count = Dim::of(limit.value > start.value ? (limit.value - start.value + by.integer - 1) / by.integer : 0);
    } else if (by.is_number(1)) {
      count = op.in.terms.subtract(limit, start);
    }
  }
  return made(op, op.in.heap.shape({count}),
              dtype_or(op, all_int    ? Dtype::Int32
                           : is_float ? Dtype::Float32
                                      : Dtype::Unknown));
}

Value call_linspace(Operation &op) {
  const Value start = op.arg("start");
  const Dtype dtype = start.is(Tag::Float) ? Dtype::Float32 : Dtype::Unknown;
  const bool is_number = start.is(Tag::Float) || start.is(Tag::Int);
  return made(op, is_number ? op.in.heap.shape({op.dim("num")}) : Shape{}, dtype);
}

Value call_eye(Operation &op) {
  const Value columns = op.arg("num_columns");
  const Dim rows = op.dim("num_rows");
  if (op.is_given("batch_shape") || op.is_open) {
    return made(op, {}, dtype_or(op, Dtype::Float32));
  }
  return made(op, op.in.heap.shape({rows, columns.is(Tag::None) ? rows : op.in.as_dim(columns)}),
              dtype_or(op, Dtype::Float32));
}

Value call_like(Operation &op) {
  const Tensor *const input = converted(op, first_given(op, {"tensor", "input"}));
  return input != nullptr ? made(op, input->shape, dtype_or(op, input->dtype), {input}) : made(op, {}, Dtype::Unknown);
}

Value call_cast(Operation &op) {
  const Tensor *const input = converted(op, "x");
  const std::string_view name = op.short_name();
  const Dtype dtype = name == "to_float"    ? Dtype::Float32
                      : name == "to_double" ? Dtype::Float64
                      : name == "to_int32"  ? Dtype::Int32
                      : name == "to_int64"  ? Dtype::Int64
                                            : short_dtype(op.in, op.arg("dtype"));
  return made(op, input != nullptr ? input->shape : Shape{}, dtype, {input});
}

// ---- Element by element

Value call_same(Operation &op) {
  const Tensor *const input = converted(op, first_given(op, {"x", "input", "features", "tensor", "value"}));
  return input != nullptr ? made(op, input->shape, input->dtype, {input}) : made(op, {}, Dtype::Unknown);
}

// sqrt, exp, sigmoid, softmax, …: integers are refused.
Value call_float(Operation &op) {
  const Tensor *const input = converted(op, first_given(op, {"x", "input", "features", "logits"}));
  if (input == nullptr) {
    return made(op, {}, Dtype::Unknown);
  }
  const bool fits = check_floating(op, *input);
  if (const Value axis = first_given(op, {"axis", "dim"}); axis.is(Tag::Int) && axis.dim().is_constant() && fits) {
    axis_of(op, *input, axis.dim().value, "axis");
  }
  return made(op, input->shape, fits ? input->dtype : Dtype::Unknown, {input});
}

Value call_test(Operation &op) { // is_nan, logical_not
  const Tensor *const input = converted(op, "x");
  return made(op, input != nullptr ? input->shape : Shape{}, Dtype::Bool, {input});
}

// What broadcasting gives, whatever the dtypes are; reports it if it cannot be done.
Shape broadcast_of(Operation &op, const Tensor &a, const Tensor &b) {
  Tensor x = a;
  Tensor y = b;
  x.dtype = y.dtype = Dtype::Unknown;
  const Value value = run_as(op, "binary", {{"input", op.in.plain_tensor(x)}, {"other", op.in.plain_tensor(y)}});
  return value.is(Tag::Tensor) ? value.tensor->shape : Shape{};
}

Value two(Operation &op, std::optional<Dtype> result) {
  const Value left = op.arg("x");
  const Value right = op.arg("y");
  const Tensor *const a = converted(op, left);
  const Tensor *const b = converted(op, right);
  if (a == nullptr || b == nullptr) {
    return made(op, {}, result.value_or(Dtype::Unknown), {a, b});
  }
  const bool fits = check_same_dtype(op.in, op.node, *a, *b, op.short_name());
  const Tensor &leader = a->is_weak ? *b : *a; // numbers and arrays become what the tensor is
  const auto combine = [&] { return broadcast_of(op, *a, *b); };
  const Shape shape = fits ? combine() : op.in.quietly(combine);
  const bool is_certain = fits && (!leader.is_weak || a->dtype == b->dtype);
  const Dtype dtype = is_certain ? leader.dtype : Dtype::Unknown;
  return made(op, shape, result.value_or(dtype), {a, b});
}

Value call_binary(Operation &op) { return two(op, {}); }
Value call_compare(Operation &op) { return two(op, Dtype::Bool); }
Value call_divide(Operation &op) {
  const Value value = two(op, {});
  if (value.is(Tag::Tensor) && is_integer(value.tensor->dtype)) {
    return retyped(op, value, kTf, Dtype::Unknown); // float32 or float64, by the size of the integers
  }
  return value;
}

Value call_add_n(Operation &op) {
  std::vector<Value> items;
  if (!op.in.iterate(op.arg("inputs"), items) || items.empty()) {
    return made(op, {}, Dtype::Unknown);
  }
  const Tensor *const first = converted(op, items[0]);
  return first != nullptr ? made(op, first->shape, first->dtype, {first}) : made(op, {}, Dtype::Unknown);
}

Value call_where(Operation &op) {
  const Tensor *const condition = converted(op, "condition");
  const Value x = op.arg("x");
  const Value y = op.arg("y");
  if (!op.is_given("x") || x.is(Tag::None)) {
    const Dim rank = condition != nullptr && condition->shape.is_known()
                         ? Dim::of(static_cast<i64>(condition->shape.rank()))
                         : Dim{};
    return made(op, op.in.heap.shape({Dim{}, rank}), Dtype::Int64, {condition});
  }
  const Tensor *const a = converted(op, x);
  const Tensor *const b = converted(op, y);
  if (a == nullptr || b == nullptr || condition == nullptr) {
    return made(op, {}, Dtype::Unknown);
  }
  const bool fits = check_same_dtype(op.in, op.node, *a, *b, "where");
  const Dtype dtype = !fits ? Dtype::Unknown : a->is_weak ? b->dtype : a->dtype;
  const Shape both = broadcast_of(op, *a, *b);
  // A vector that chooses rows is allowed in TensorFlow 1.
  const bool chooses_rows = condition->shape.has_rank(1) && both.is_known() && both.rank() > 1;
  if (!both.is_known() || !condition->shape.is_known() || chooses_rows) {
    return made(op, both, dtype, {a, b});
  }
  Tensor chosen;
  chosen.shape = both;
  return made(op, broadcast_of(op, *condition, chosen), dtype, {a, b});
}

// tf.experimental.numpy.experimental_enable_numpy_behavior()
Value call_numpy_behavior(Operation &op) {
  op.in.is_promoting = true;
  return Value::none();
}

Value call_assign(Operation &op) {
  const Value target = first_given(op, {"ref", "self"});
  const Tensor *const variable = op.in.as_tensor(target);
  const Tensor *const value = converted(op, first_given(op, {"value", "delta"}));
  if (variable == nullptr || value == nullptr || !variable->shape.is_known() || !value->shape.is_known() ||
      op.is_given("validate_shape") || op.is_given("use_locking")) {
    return target;
  }
  check_same_dtype(op.in, op.node, *variable, *value, op.short_name());
  bool fits = variable->shape.rank() == value->shape.rank();
  for (u32 i = 0; fits && i < value->shape.rank(); ++i) {
    fits = !op.in.terms.differ(variable->shape.dims[i], value->shape.dims[i]);
  }
  if (!fits) {
    if (Problem *problem =
            op.report(Fault::ShapesDoNotFit, fmt::format("a variable of {} cannot be assigned {}",
                                                         op.in.text_of(*variable), op.in.text_of(*value)))) {
      op.in.add_chain(*problem, *variable);
      op.in.add_chain(*problem, *value);
      problem->advice = "a variable keeps its shape: give the value the same one";
    }
  }
  return target;
}

constexpr TransferEntry kTable[] = {
    {"tf_zeros", call_zeros},
    {"tf_fill", call_fill},
    {"tf_constant", call_constant},
    {"tf_placeholder", call_placeholder},
    {"tf_variable", call_variable},
    {"tf_get_variable", call_get_variable},
    {"tf_add_weight", call_add_weight},
    {"tf_range", call_range},
    {"tf_linspace", call_linspace},
    {"tf_eye", call_eye},
    {"tf_like", call_like},
    {"tf_cast", call_cast},
    {"tf_same", call_same},
    {"tf_float", call_float},
    {"tf_test", call_test},
    {"tf_binary", call_binary},
    {"tf_compare", call_compare},
    {"tf_divide", call_divide},
    {"tf_add_n", call_add_n},
    {"tf_where", call_where},
    {"tf_assign", call_assign},
    {"tf_numpy_behavior", call_numpy_behavior},
};

} // namespace
} // namespace tf_operations

std::span<const TransferEntry> tf_operation_transfers() { return tf_operations::kTable; }

} // namespace deepperf::shapes
