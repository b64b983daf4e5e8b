// Operations of TensorFlow that move sizes around or take dimensions away. Most are those of PyTorch under other names.
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace tf_layout {
namespace {

constexpr Library kTf = Library::TensorFlow;

Value tensor_value(Operation &op, const Tensor *tensor) {
  return tensor != nullptr ? op.in.plain_tensor(*tensor) : Value();
}

Value unknown(Operation &op, Dtype dtype = Dtype::Unknown, const Tensor *input = nullptr) {
  return made(op, {}, dtype, {input});
}

// ---- Sizes as values

// tf.shape(x): sizes that can be taken one by one, and used as a shape.
Value call_shape(Operation &op) {
  const Value value = op.arg("input");
  const Tensor *const input = converted(op, value);
  if (input == nullptr) {
    return {};
  }
  if (!input->shape.is_known()) {
    return op.in.shape_value(value, *input);
  }
  std::vector<Value> sizes;
  for (const Dim dim : input->shape.dims) {
    sizes.push_back(Value::of(dim));
  }
  const Value list = op.in.heap.new_list(std::move(sizes), Tag::Tuple);
  list.list->is_array = true;
  return list;
}

// x.get_shape(): sizes that are not known before the graph runs are None, which no symbol is.
Value call_get_shape(Operation &op) {
  const Tensor *const input = op.tensor("self");
  return input != nullptr ? op.in.shape_value(op.arg("self"), *input) : Value();
}

Value call_set_shape(Operation &) { return Value::none(); }

Value call_size(Operation &op) {
  const Tensor *const input = converted(op, "input");
  return input != nullptr ? Value::of(numel(op.in, input->shape)) : Value();
}

Value call_rank(Operation &op) {
  const Tensor *const input = converted(op, "input");
  return input != nullptr && input->shape.is_known() ? Value::of_int(static_cast<i64>(input->shape.rank()))
                                                     : Value::of(Dim{});
}

// ---- Views

// [-1, 3136] of [N, 4, 4, 64]: whether that can be is decided by the batch.
void check_when_fed(Operation &op, const Tensor &input, const Value &shape) {
  std::vector<Dim> dims;
  const Dim total = numel(op.in, input.shape);
  if (!op.in.as_dims(shape, dims) || !total.is_known() || total.is_constant()) {
    return;
  }
  Dim known = Dim::of(1);
  bool has_gap = false;
  for (const Dim dim : dims) {
    has_gap = has_gap || dim.is(-1);
    known = dim.is(-1) ? known : op.in.terms.multiply(known, dim);
  }
  if (has_gap && known.is_constant() && known.value > 1 && !op.in.terms.divide_exactly(total, known)) {
    op.in.later.push_back({Fault::ReshapeSize, op.in.module(), op.node, &input, total, known, true});
  }
}

Value call_reshape(Operation &op) {
  const Tensor *input = converted(op, "tensor");
  if (input == nullptr && op.arg("tensor").is_unknown()) { // whatever it is becomes a tensor
    Tensor some;
    some.library = kTf;
    input = op.in.plain_tensor(some).tensor;
  }
  if (input == nullptr) {
    return unknown(op);
  }
  const Value shape = op.arg("shape");
  check_when_fed(op, *input, shape);
  return retyped(op, run_as(op, "view", {{"input", tensor_value(op, input)}, {"shape", shape}}), kTf);
}

Value call_transpose(Operation &op) {
  const Tensor *const input = converted(op, "a");
  const Value order = op.arg("perm");
  if (input == nullptr) {
    return unknown(op);
  }
  return retyped(op, run_as(op, "axes_transpose", {{"input", tensor_value(op, input)}, {"axes", order}}), kTf);
}

Value call_expand_dims(Operation &op) {
  const Tensor *const input = converted(op, "input");
  const Value axis = first_given(op, {"axis", "dim"});
  if (input == nullptr || !axis.is(Tag::Int)) {
    return unknown(op, input != nullptr ? input->dtype : Dtype::Unknown, input);
  }
  return retyped(op, run_as(op, "unsqueeze", {{"input", tensor_value(op, input)}, {"dim", axis}}), kTf);
}

Value call_squeeze(Operation &op) {
  const Tensor *const input = converted(op, "input");
  if (input == nullptr) {
    return unknown(op);
  }
  const Value axis = first_given(op, {"axis", "squeeze_dims"});
  std::vector<Dim> axes;
  if (input->shape.is_known() && !axis.is_unknown() && op.in.as_dims(axis, axes)) {
    const i64 rank = static_cast<i64>(input->shape.rank());
    for (const Dim at : axes) {
      const i64 place = at.is_constant() ? (at.value < 0 ? at.value + rank : at.value) : -1;
      const Dim size = place >= 0 && place < rank ? input->shape.dims[static_cast<u32>(place)] : Dim::of(1);
      if (size.is_constant() && !size.is(1)) {
        if (Problem *problem =
                op.report(Fault::ReshapeSize, fmt::format("squeeze removes sizes of 1, but dimension {} of {} is {}",
                                                          place, op.in.text_of(*input), size.value))) {
          op.in.add_chain(*problem, *input);
          problem->advice = "name a dimension of size 1, or none to remove all of them";
        }
        return unknown(op, input->dtype);
      }
    }
  }
  const Value which = axis.is(Tag::Undefined) ? Value::none() : axis;
  return retyped(op, run_as(op, "squeeze", {{"input", tensor_value(op, input)}, {"dim", which}}), kTf);
}

// ---- Joins and splits

// Tensors in a list; false if some of them is none.
bool all_tensors(Operation &op, const Value &list, std::vector<const Tensor *> &tensors) {
  if (!list.is_sequence() || list.list->content.is_open || list.list->content.items.empty()) {
    return false;
  }
  for (const Value &item : list.list->content.items) {
    const Tensor *const tensor = converted(op, item);
    if (tensor == nullptr) {
      return false;
    }
    tensors.push_back(tensor);
  }
  return true;
}

bool all_numbers(const Value &list) {
  return list.is_sequence() && !list.list->content.is_open &&
         std::ranges::all_of(list.list->content.items, [](const Value &item) { return item.is(Tag::Int); });
}

Value join(Operation &op, std::string_view transfer, const Value &values, const Value &axis) {
  std::vector<const Tensor *> tensors;
  if (!all_tensors(op, values, tensors)) {
    return unknown(op);
  }
  Dtype dtype = tensors[0]->dtype;
  std::vector<Value> items;
  for (const Tensor *tensor : tensors) {
    if (!check_same_dtype(op.in, op.node, *tensors[0], *tensor, op.short_name())) {
      return unknown(op);
    }
    dtype = tensor->is_weak ? dtype : tensor->dtype;
    items.push_back(op.in.plain_tensor(*tensor));
  }
  const Value list = op.in.heap.new_list(std::move(items));
  return retyped(op, run_as(op, transfer, {{"tensors", list}, {"dim", axis}}), kTf, dtype);
}

Value call_concat(Operation &op) {
  const Value values = op.arg("values");
  if (all_numbers(values)) {
    return {};
  }
  // Shapes are put together from pieces: tf.concat([tf.shape(x)[:1], [5]], 0).
  if (values.is_sequence() && !values.list->content.is_open &&
      std::ranges::all_of(values.list->content.items, [](const Value &item) { return all_numbers(item); })) {
    std::vector<Value> sizes;
    for (const Value &item : values.list->content.items) {
      sizes.insert(sizes.end(), item.list->content.items.begin(), item.list->content.items.end());
    }
    return op.in.heap.new_list(std::move(sizes), Tag::Tuple);
  }
  const Value axis = first_given(op, {"axis", "concat_dim"});
  return join(op, "cat", values, axis);
}

Value call_stack(Operation &op) {
  const Value values = op.arg("values");
  if (all_numbers(values)) { // a shape
    return op.in.heap.new_list(values.list->content.items, Tag::Tuple);
  }
  return join(op, "stack", values, op.arg("axis"));
}

Value call_unstack(Operation &op) {
  const Tensor *const input = converted(op, "value");
  if (input == nullptr) {
    return {};
  }
  return run_as(op, "unbind", {{"input", tensor_value(op, input)}, {"dim", op.arg("axis")}});
}

Value call_split(Operation &op) {
  const Tensor *const input = converted(op, "value");
  const Value how = op.arg("num_or_size_splits");
  const auto given = op.integer("axis");
  if (input == nullptr || input->shape.has_rank(0)) {
    return {};
  }
  if (how.is_sequence()) {
    std::vector<Dim> sizes;
    if (!op.in.as_dims(how, sizes) || std::ranges::any_of(sizes, [](Dim size) { return size.is(-1); })) {
      return {};
    }
    return run_as(op, "split",
                  {{"input", tensor_value(op, input)}, {"split_size_or_sections", how}, {"dim", op.arg("axis")}});
  }
  if (!how.is(Tag::Int) || !how.dim().is_constant() || how.integer < 1 || how.integer > 64 || !given) {
    return {};
  }
  std::vector<Dim> dims = dims_in(input->shape);
  if (input->shape.is_known()) {
    const auto axis = axis_of(op, *input, *given, "axis");
    if (!axis) {
      return {};
    }
    Dim &size = dims[*axis];
    if (size.is_constant() && size.value % how.integer != 0) {
      if (Problem *problem =
              op.report(Fault::ReshapeSize, fmt::format("dimension {} of {} cannot be split into {} equal parts", *axis,
                                                        op.in.text_of(*input), how.integer))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "the number of parts must divide the size, or give a list of sizes";
      }
      return {};
    }
    size = op.in.terms.floor_divide(size, how.dim());
  }
  const Shape shape = input->shape.is_known() ? op.in.heap.shape(dims) : Shape{};
  std::vector<Value> parts;
  for (i64 i = 0; i < how.integer; ++i) {
    parts.push_back(made(op, shape, input->dtype, {input}));
  }
  return op.in.heap.new_list(std::move(parts));
}

Value call_tile(Operation &op) {
  const Tensor *const input = converted(op, "input");
  std::vector<Dim> times;
  if (input == nullptr || !op.in.as_dims(op.arg("multiples"), times) || !input->shape.is_known()) {
    return unknown(op, input != nullptr ? input->dtype : Dtype::Unknown, input);
  }
  if (times.size() != input->shape.rank()) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("tile has {} multiples, but {} has {} dimensions", times.size(),
                                                    op.in.text_of(*input), input->shape.rank()))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "give one multiple for each dimension";
    }
    return unknown(op, input->dtype);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i] = op.in.terms.multiply(dims[i], times[i]);
  }
  return made(op, op.in.heap.shape(dims), input->dtype, {input});
}

Value call_broadcast_to(Operation &op) {
  const Tensor *const input = converted(op, "input");
  const Value shape = op.arg("shape");
  std::vector<Dim> dims;
  if (input == nullptr || !op.in.as_dims(shape, dims)) {
    return unknown(op);
  }
  return retyped(op, run_as(op, "expand", {{"input", tensor_value(op, input)}, {"sizes", shape}}), kTf, input->dtype);
}

Value call_repeat(Operation &op) {
  const Tensor *const input = converted(op, "input");
  const Value times = op.arg("repeats");
  const auto given = op.integer("axis");
  if (input == nullptr || !input->shape.is_known() || !given || !times.is(Tag::Int)) {
    return unknown(op, input != nullptr ? input->dtype : Dtype::Unknown, input);
  }
  const auto axis = axis_of(op, *input, *given, "axis");
  if (!axis || input->shape.rank() == 0) {
    return unknown(op, input->dtype, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims[*axis] = op.in.terms.multiply(dims[*axis], times.dim());
  return made(op, op.in.heap.shape(dims), input->dtype, {input});
}

Value call_pad(Operation &op) {
  const Tensor *const input = converted(op, "tensor");
  const Value margins = op.arg("paddings");
  std::vector<Value> pairs;
  if (input == nullptr || !input->shape.is_known() || !margins.is_sequence() || !op.in.iterate(margins, pairs)) {
    return unknown(op, input != nullptr ? input->dtype : Dtype::Unknown, input);
  }
  if (pairs.size() != input->shape.rank()) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("pad has {} pairs, but {} has {} dimensions", pairs.size(),
                                                    op.in.text_of(*input), input->shape.rank()))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "give one pair for each dimension, [0, 0] where nothing is added";
    }
    return unknown(op, input->dtype);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::vector<Dim> sides;
    const bool is_pair = op.in.as_dims(pairs[i], sides) && sides.size() == 2;
    dims[i] = is_pair ? op.in.terms.add(dims[i], op.in.terms.add(sides[0], sides[1])) : Dim{};
  }
  return made(op, op.in.heap.shape(dims), input->dtype, {input});
}

Value call_slice(Operation &op) {
  const Tensor *const input = converted(op, "input_");
  std::vector<Dim> begin;
  std::vector<Dim> size;
  if (input == nullptr || !input->shape.is_known() || !op.in.as_dims(op.arg("begin"), begin) ||
      !op.in.as_dims(op.arg("size"), size) || begin.size() != size.size()) {
    return unknown(op, input != nullptr ? input->dtype : Dtype::Unknown, input);
  }
  if (size.size() != input->shape.rank()) {
    check_rank_is(op, *input, static_cast<u32>(size.size()), true, "give begin and size for each dimension");
    return unknown(op, input->dtype);
  }
  for (u32 i = 0; i < size.size(); ++i) {
    size[i] = size[i].is(-1) ? op.in.terms.subtract(input->shape.dims[i], begin[i]) : size[i];
  }
  return made(op, op.in.heap.shape(size), input->dtype, {input});
}

// ---- Choosing

Value call_gather(Operation &op) {
  const Tensor *const table = converted(op, first_given(op, {"params"}));
  const Tensor *const places = converted(op, first_given(op, {"indices", "ids"}));
  if (places != nullptr && !check_integer(op, *places, "the indices")) {
    return unknown(op);
  }
  const Value axis = op.arg("axis");
  const bool at_front = axis.is(Tag::None) || axis.is_number(0);
  if (table == nullptr || places == nullptr || !table->shape.is_known() || !places->shape.is_known() ||
      table->shape.rank() == 0 || op.is_given("batch_dims")) {
    return unknown(op, table != nullptr ? table->dtype : Dtype::Unknown, table);
  }
  u32 at = 0;
  if (!at_front) {
    const auto given = op.integer("axis");
    const auto found = given ? axis_of(op, *table, *given, "axis") : std::nullopt;
    if (!found) {
      return unknown(op, table->dtype, table);
    }
    at = *found;
  }
  std::vector<Dim> dims = dims_in(table->shape);
  dims.erase(dims.begin() + at);
  dims.insert(dims.begin() + at, places->shape.dims.begin(), places->shape.dims.end());
  return made(op, op.in.heap.shape(dims), table->dtype, {table, places});
}

Value call_one_hot(Operation &op) {
  const Tensor *const input = converted(op, "indices");
  const Dtype dtype = op.is_given("dtype")                    ? short_dtype(op.in, op.arg("dtype"))
                      : op.is_given("on_value") || op.is_open ? Dtype::Unknown
                                                              : Dtype::Float32;
  if (input != nullptr && !check_integer(op, *input, "the indices")) {
    return unknown(op);
  }
  const auto given = op.integer("axis");
  if (input == nullptr || !input->shape.is_known() || (given && *given != -1) ||
      (!given && !op.arg("axis").is(Tag::None))) {
    return unknown(op, dtype, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims.push_back(op.dim("depth"));
  return made(op, op.in.heap.shape(dims), dtype, {input});
}

Value call_top_k(Operation &op) {
  const Tensor *const input = converted(op, "input");
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() == 0) {
    return {};
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims.back() = op.dim("k");
  const Shape shape = op.in.heap.shape(dims);
  return op.in.named_pair(made(op, shape, input->dtype, {input}), made(op, shape, Dtype::Int32, {input}));
}

// ---- Reductions

Value reduction(Operation &op, std::string_view transfer, std::optional<Dtype> dtype) {
  const Tensor *const input = converted(op, first_given(op, {"input_tensor", "input"}));
  const Value axis = first_given(op, {"axis", "reduction_indices", "dimension"});
  const Value keep = first_given(op, {"keepdims", "keep_dims"});
  if (input == nullptr) {
    return unknown(op, dtype.value_or(Dtype::Unknown));
  }
  const Value which = axis.is(Tag::Undefined) ? Value::none() : axis;
  const Value kept = keep.is(Tag::Undefined) ? Value::of_bool(false) : keep;
  std::vector<Dim> axes;
  if (!which.is(Tag::None) && (!op.in.as_dims(which, axes) || axes.empty())) {
    return unknown(op, dtype.value_or(input->dtype), input);
  }
  return retyped(op, run_as(op, transfer, {{"input", tensor_value(op, input)}, {"dim", which}, {"keepdim", kept}}), kTf,
                 dtype.value_or(input->dtype));
}

Value call_reduce(Operation &op) {
  const Tensor *const input = converted(op, first_given(op, {"input_tensor", "input"}));
  if (input != nullptr && input->dtype == Dtype::Bool) {
    if (Problem *problem =
            op.report(Fault::DtypeMismatch, fmt::format("{} takes numbers, but gets bool", op.short_name()))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "cast it first: tf.cast(x, tf.float32)";
    }
    return unknown(op);
  }
  return reduction(op, "reduce", {});
}

Value call_reduce_bool(Operation &op) { return reduction(op, "reduce", Dtype::Bool); }

Value call_argmax(Operation &op) {
  const Tensor *const input = converted(op, "input");
  Value axis = first_given(op, {"axis", "dimension"});
  axis = axis.is(Tag::Undefined) ? Value::of_int(0) : axis;
  const Dtype dtype = op.is_given("output_type") ? short_dtype(op.in, op.arg("output_type")) : Dtype::Int64;
  if (input == nullptr || !axis.is(Tag::Int)) {
    return unknown(op, dtype, input);
  }
  return retyped(
      op, run_as(op, "argmax", {{"input", tensor_value(op, input)}, {"dim", axis}, {"keepdim", Value::of_bool(false)}}),
      kTf, dtype);
}

Value call_cumulative(Operation &op) {
  const Tensor *const input = converted(op, "x");
  return input != nullptr ? made(op, input->shape, input->dtype, {input}) : unknown(op);
}

// ---- Products

Value call_matmul(Operation &op) {
  const Value left = op.arg("a");
  const Value right = op.arg("b");
  const Tensor *a = converted(op, left);
  const Tensor *b = converted(op, right);
  if (a == nullptr || b == nullptr) {
    return unknown(op);
  }
  // The second one follows the first if it is an array; the first follows nobody.
  Tensor leader = *a;
  leader.is_weak = false;
  if (!check_same_dtype(op.in, op.node, left.is(Tag::Tensor) ? leader : *a, *b, "matmul")) {
    return unknown(op);
  }
  for (const Tensor *tensor : {a, b}) {
    if (!check_rank_is(op, *tensor, 2, false, "add a dimension with tf.expand_dims, or use tf.linalg.matvec")) {
      return unknown(op);
    }
  }
  const auto turned = [&](const Tensor *tensor, std::string_view name, std::string_view other) -> const Tensor * {
    const Truth first = op.truth(name);
    const Truth second = op.truth(other);
    if (first == Truth::No && second == Truth::No) {
      return tensor;
    }
    Tensor result = *tensor;
    if (first == Truth::Unknown || second == Truth::Unknown || !tensor->shape.is_known()) {
      result.shape = {};
    } else {
      std::vector<Dim> dims = dims_in(tensor->shape);
      std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
      result.shape = op.in.heap.shape(dims);
    }
    return op.in.heap.arena.make<Tensor>(result);
  };
  const Dtype dtype = a->dtype;
  a = turned(a, "transpose_a", "adjoint_a");
  b = turned(b, "transpose_b", "adjoint_b");
  return retyped(op, run_as(op, "matmul", {{"input", op.in.plain_tensor(*a)}, {"other", op.in.plain_tensor(*b)}}), kTf,
                 dtype);
}

Value call_einsum(Operation &op) {
  std::vector<Value> operands;
  for (const Value &value : op.rest) {
    const Tensor *const tensor = converted(op, value);
    if (tensor == nullptr) {
      return unknown(op);
    }
    operands.push_back(op.in.plain_tensor(*tensor));
  }
  return retyped(op, run_as(op, "einsum", {{"equation", op.arg("equation")}}, operands), kTf);
}

Value call_resize(Operation &op) {
  const Tensor *const input = converted(op, "images");
  std::vector<Dim> size;
  if (input == nullptr || !input->shape.is_known()) {
    return unknown(op, Dtype::Unknown, input);
  }
  const u32 rank = input->shape.rank();
  if (rank != 3 && rank != 4) {
    check_rank_is(op, *input, 3, rank > 4,
                  "images are [height, width, channels], with a batch before it if there is one");
    return unknown(op);
  }
  if (!op.in.as_dims(op.arg("size"), size) || size.size() != 2 || op.is_given("preserve_aspect_ratio")) {
    return unknown(op, Dtype::Unknown, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims[rank - 3] = size[0];
  dims[rank - 2] = size[1];
  return made(op, op.in.heap.shape(dims), Dtype::Unknown, {input});
}

constexpr TransferEntry kTable[] = {
    {"tf_shape", call_shape},
    {"tf_get_shape", call_get_shape},
    {"tf_set_shape", call_set_shape},
    {"tf_size", call_size},
    {"tf_rank", call_rank},
    {"tf_reshape", call_reshape},
    {"tf_transpose", call_transpose},
    {"tf_expand_dims", call_expand_dims},
    {"tf_squeeze", call_squeeze},
    {"tf_concat", call_concat},
    {"tf_stack", call_stack},
    {"tf_unstack", call_unstack},
    {"tf_split", call_split},
    {"tf_tile", call_tile},
    {"tf_broadcast_to", call_broadcast_to},
    {"tf_repeat", call_repeat},
    {"tf_pad", call_pad},
    {"tf_slice", call_slice},
    {"tf_gather", call_gather},
    {"tf_one_hot", call_one_hot},
    {"tf_top_k", call_top_k},
    {"tf_reduce", call_reduce},
    {"tf_reduce_bool", call_reduce_bool},
    {"tf_argmax", call_argmax},
    {"tf_cumulative", call_cumulative},
    {"tf_matmul", call_matmul},
    {"tf_einsum", call_einsum},
    {"tf_resize", call_resize},
};

} // namespace
} // namespace tf_layout

std::span<const TransferEntry> tf_layout_transfers() { return tf_layout::kTable; }

} // namespace deepperf::shapes
