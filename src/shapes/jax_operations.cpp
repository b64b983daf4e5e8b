// JAX: random arrays, lax, and functions that take functions: vmap, grad, scan, cond, while_loop.
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace jax_operations {
namespace {

constexpr Library kJax = Library::Jax;

Value array(Operation &op, const Shape &shape, Dtype dtype, const std::vector<const Tensor *> &inputs = {}) {
  return made(op, shape, dtype, inputs, kJax);
}

Value unknown(Operation &op, const Tensor *input = nullptr) { return array(op, {}, Dtype::Unknown, {input}); }

Dtype dtype_or(Operation &op, Dtype otherwise) {
  const Value dtype = op.arg("dtype");
  return op.is_given("dtype") && !dtype.is(Tag::None) ? short_dtype(op.in, dtype)
         : op.is_open                                 ? Dtype::Unknown
                                                      : otherwise;
}

Shape shape_given(Operation &op, const Value &value) {
  std::vector<Dim> dims;
  return !op.is_open && op.in.as_dims(value, dims) ? op.in.heap.shape(dims) : Shape{};
}

// ---- Random

Value key(Operation &op) { return unknown(op); } // two numbers, or one of a type of its own
Value call_key(Operation &op) { return key(op); }

Value call_split(Operation &op) {
  const Value count = op.arg("num");
  if (!count.is(Tag::Int) || !count.dim().is_constant() || count.integer < 1 || count.integer > 64 || op.is_open) {
    return op.in.heap.new_open_list(key(op), Tag::Tuple);
  }
  std::vector<Value> keys;
  for (i64 i = 0; i < count.integer; ++i) {
    keys.push_back(key(op));
  }
  return op.in.heap.new_list(std::move(keys), Tag::Tuple);
}

Value call_random(Operation &op) {
  const Value shape = op.arg("shape");
  if (!op.is_given("shape")) {
    return array(op, op.is_open ? Shape{} : op.in.heap.shape({}), dtype_or(op, Dtype::Float32));
  }
  return array(op, shape_given(op, shape), dtype_or(op, Dtype::Float32));
}

Value call_random_int(Operation &op) { return array(op, shape_given(op, op.arg("shape")), dtype_or(op, Dtype::Int32)); }

Value call_bernoulli(Operation &op) {
  const Value shape = op.arg("shape");
  return array(op, op.is_given("shape") ? shape_given(op, shape) : Shape{}, Dtype::Bool);
}

Value call_permutation(Operation &op) {
  const Value x = op.arg("x");
  if (x.is(Tag::Int)) {
    return array(op, op.in.heap.shape({x.dim()}), Dtype::Int32);
  }
  const Tensor *const input = converted(op, x, kJax);
  return input != nullptr ? array(op, input->shape, input->dtype, {input}) : unknown(op);
}

// ---- lax

Value call_one_hot(Operation &op) {
  const Tensor *const input = converted(op, "x", kJax);
  if (input == nullptr || !input->shape.is_known() || op.is_given("axis")) {
    return unknown(op, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims.push_back(op.dim("num_classes"));
  return array(op, op.in.heap.shape(dims), dtype_or(op, Dtype::Float32), {input});
}

// lax does not promote; whether a number has 32 or 64 bits is a matter of configuration.
bool differ_in_kind(Dtype a, Dtype b) {
  const auto is_whole = [](Dtype dtype) { return is_integer(dtype) || dtype == Dtype::Bool; };
  return (is_whole(a) && is_floating(b)) || (is_floating(a) && is_whole(b));
}

Value call_lax_binary(Operation &op) {
  const Tensor *const a = converted(op, "x", kJax);
  const Tensor *const b = converted(op, "y", kJax);
  if (a == nullptr || b == nullptr) {
    return unknown(op);
  }
  if (!a->is_weak && !b->is_weak && differ_in_kind(a->dtype, b->dtype)) {
    if (Problem *problem =
            op.report(Fault::DtypeMismatch, fmt::format("lax.{} takes arrays of the same dtype, but gets {} and {}",
                                                        op.short_name(), name_of(a->dtype), name_of(b->dtype)))) {
      op.in.add_chain(*problem, *a);
      op.in.add_chain(*problem, *b);
      problem->advice = "cast one of them with astype, or use jax.numpy, which promotes dtypes";
    }
    return unknown(op);
  }
  return retyped(op, run_as(op, "binary", {{"input", op.in.plain_tensor(*a)}, {"other", op.in.plain_tensor(*b)}}),
                 kJax);
}

bool numbers_in(Operation &op, const Value &value, std::vector<Dim> &numbers) {
  return op.in.as_dims(value, numbers) && std::ranges::all_of(numbers, [](Dim dim) { return dim.is_constant(); });
}

// dot_general(a, b, (((contracted a), (contracted b)), ((batch a), (batch b))))
Value call_dot_general(Operation &op) {
  const Tensor *const a = converted(op, "lhs", kJax);
  const Tensor *const b = converted(op, "rhs", kJax);
  const Value numbers = op.arg("dimension_numbers");
  std::vector<Dim> axes[4];
  const auto pair_of = [](const Value &value, std::size_t at) {
    return value.is_sequence() && !value.list->content.is_open && value.list->content.items.size() == 2
               ? value.list->content.items[at]
               : Value();
  };
  for (std::size_t i = 0; i < 4; ++i) {
    if (!numbers_in(op, pair_of(pair_of(numbers, i / 2), i % 2), axes[i])) {
      return unknown(op, a);
    }
  }
  if (a == nullptr || b == nullptr || !a->shape.is_known() || !b->shape.is_known()) {
    return unknown(op, a);
  }
  std::vector<Dim> dims;
  for (std::size_t k = 0; k < 4; k += 2) {
    for (std::size_t i = 0; i < axes[k].size() && i < axes[k + 1].size(); ++i) {
      const i64 x = axes[k][i].value;
      const i64 y = axes[k + 1][i].value;
      if (x < 0 || y < 0 || x >= static_cast<i64>(a->shape.rank()) || y >= static_cast<i64>(b->shape.rank())) {
        return unknown(op, a);
      }
      const Dim left = a->shape.dims[static_cast<u32>(x)];
      const Dim right = b->shape.dims[static_cast<u32>(y)];
      if (op.in.terms.differ(left, right)) {
        if (Problem *problem =
                op.report(Fault::ShapesDoNotFit,
                          fmt::format("dot_general of {} and {} is invalid: size {} of dimension {} meets {} of {}",
                                      op.in.text_of(*a), op.in.text_of(*b), op.in.terms.text(left), x,
                                      op.in.terms.text(right), y))) {
          op.in.add_chain(*problem, *a);
          op.in.add_chain(*problem, *b);
          problem->advice = "dimensions that are contracted or batched together must have the same size";
        }
        return unknown(op, a);
      }
      if (k == 2) {
        dims.push_back(left);
      }
    }
  }
  const auto rest = [&](const Tensor &tensor, const std::vector<Dim> &first, const std::vector<Dim> &second) {
    for (u32 i = 0; i < tensor.shape.rank(); ++i) {
      const Dim at = Dim::of(static_cast<i64>(i));
      if (std::ranges::find(first, at) == first.end() && std::ranges::find(second, at) == second.end()) {
        dims.push_back(tensor.shape.dims[i]);
      }
    }
  };
  rest(*a, axes[0], axes[2]);
  rest(*b, axes[1], axes[3]);
  return array(op, op.in.heap.shape(dims), a->dtype, {a, b});
}

// conv(lhs, rhs, window_strides, padding) and conv_general_dilated: NCHW and OIHW unless something else is said.
Value call_conv(Operation &op) {
  const Tensor *const input = converted(op, "lhs", kJax);
  const Tensor *const weights = converted(op, "rhs", kJax);
  if (input == nullptr || weights == nullptr || !input->shape.is_known() || !weights->shape.is_known()) {
    return unknown(op, input);
  }
  const u32 rank = input->shape.rank();
  if (weights->shape.rank() != rank || rank < 3) {
    if (Problem *problem = op.report(
            Fault::WrongRank, fmt::format("{} takes arrays with the same number of dimensions, but gets {} and {}",
                                          op.short_name(), op.in.text_of(*input), op.in.text_of(*weights)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "both have a batch or output dimension, one of channels, and the spatial ones";
    }
    return unknown(op, input);
  }
  u32 channels = 1;
  u32 inputs = 1;
  if (op.is_given("dimension_numbers") && !op.arg("dimension_numbers").is(Tag::None)) {
    std::vector<Value> names;
    if (!op.in.iterate(op.arg("dimension_numbers"), names) || names.size() < 2 || !names[0].is(Tag::Str) ||
        !names[1].is(Tag::Str)) {
      return unknown(op, input);
    }
    const std::size_t c = names[0].text().find('C');
    const std::size_t i = names[1].text().find('I');
    if (c >= rank || i >= rank) {
      return unknown(op, input);
    }
    channels = static_cast<u32>(c);
    inputs = static_cast<u32>(i);
  }
  const Dim groups = op.is_given("feature_group_count") ? op.dim("feature_group_count") : Dim::of(1);
  const Dim got = input->shape.dims[channels];
  const Dim wanted = op.in.terms.multiply(weights->shape.dims[inputs], groups);
  if (op.in.terms.differ(got, wanted)) {
    if (Problem *problem = op.report(Fault::LayerInputSize,
                                     fmt::format("{} with a kernel of {} takes {} channels, but gets {} of {}",
                                                 op.short_name(), op.in.text_of(*weights), op.in.terms.text(wanted),
                                                 op.in.terms.text(got), op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *weights);
      problem->advice = "arrays are [batch, channels, height, width] unless dimension_numbers says otherwise";
    }
  }
  return unknown(op, input);
}

Value call_dynamic_slice(Operation &op) {
  const Tensor *const input = converted(op, "operand", kJax);
  const Value starts = op.arg("start_indices");
  std::vector<Dim> sizes;
  if (input == nullptr || !input->shape.is_known()) {
    return unknown(op, input);
  }
  const bool has_starts = starts.is_sequence() && !starts.list->content.is_open;
  const std::size_t count = has_starts ? starts.list->content.items.size() : input->shape.rank();
  if (count != input->shape.rank()) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("dynamic_slice has {} start indices, but {} has {} dimensions",
                                                    count, op.in.text_of(*input), input->shape.rank()))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "give a start and a size for each dimension";
    }
    return unknown(op, input);
  }
  if (!op.in.as_dims(op.arg("slice_sizes"), sizes) || sizes.size() != input->shape.rank()) {
    return unknown(op, input);
  }
  return array(op, op.in.heap.shape(sizes), input->dtype, {input});
}

// ---- Functions of functions

bool is_function(const Value &value) {
  return value.is(Tag::Function) || value.is(Tag::Method) || (value.is(Tag::Object)) || value.is(Tag::Api);
}

Value leaf(Operation &op, const Value &value) { // numbers are arrays without dimensions
  if (value.is(Tag::Int) || value.is(Tag::Float) || value.is(Tag::Bool)) {
    const Tensor *const tensor = converted(op, value, kJax);
    return tensor != nullptr ? op.in.plain_tensor(*tensor) : Value();
  }
  return value;
}

// What goes in must come out: the carry of a loop, or the results of two branches.
bool check_same_type(Operation &op, const Value &given_before, const Value &given_after, std::string_view what,
                     u32 depth = 0) {
  const Value before = leaf(op, given_before);
  const Value after = leaf(op, given_after);
  if (depth > 4) {
    return true;
  }
  const auto is_pack = [](const Value &value) { return value.is_sequence() && !value.list->content.is_open; };
  if (is_pack(before) && is_pack(after) && before.list->content.items.size() == after.list->content.items.size()) {
    for (std::size_t i = 0; i < before.list->content.items.size(); ++i) {
      if (!check_same_type(op, before.list->content.items[i], after.list->content.items[i], what, depth + 1)) {
        return false;
      }
    }
    return true;
  }
  if (!before.is(Tag::Tensor) || !after.is(Tag::Tensor)) {
    return true;
  }
  const Tensor &a = *before.tensor;
  const Tensor &b = *after.tensor;
  bool fits = true;
  if (a.shape.is_known() && b.shape.is_known()) {
    fits = a.shape.rank() == b.shape.rank();
    for (u32 i = 0; fits && i < a.shape.rank(); ++i) {
      fits = !op.in.terms.differ(a.shape.dims[i], b.shape.dims[i]);
    }
  }
  const bool same_kind = a.is_weak || b.is_weak || !differ_in_kind(a.dtype, b.dtype);
  if (fits && same_kind) {
    return true;
  }
  const auto text = [&](const Tensor &tensor) {
    return fits ? std::string(name_of(tensor.dtype)) : op.in.text_of(tensor);
  };
  if (Problem *problem = op.report(fits ? Fault::DtypeMismatch : Fault::ShapesDoNotFit,
                                   fmt::format("{}: {} and {}", what, text(a), text(b)))) {
    op.in.add_chain(*problem, a);
    op.in.add_chain(*problem, b);
    problem->advice = fits ? "begin with a value of the resulting dtype, such as 0.0 or jnp.zeros"
                           : "begin with a value of the resulting shape";
  }
  return false;
}

// Each array of a nested structure, changed.
template <class Change> Value each(Operation &op, const Value &value, Change change, u32 depth = 0) {
  if (value.is(Tag::Tensor)) {
    return change(*value.tensor);
  }
  if (value.is_sequence() && !value.list->content.is_open && depth < 4) {
    std::vector<Value> items;
    for (const Value &item : value.list->content.items) {
      items.push_back(each(op, item, change, depth + 1));
    }
    return op.in.heap.new_list(std::move(items), value.tag);
  }
  if (value.is(Tag::Dict) && !value.dict->content.is_open && depth < 4) {
    DictObject *const dict = op.in.heap.new_dict();
    for (const auto &[key, item] : value.dict->content.items) {
      dict->content.items.emplace_back(key, each(op, item, change, depth + 1));
    }
    return Value::of(dict);
  }
  return value.is(Tag::None) ? value : Value();
}

Value without_axis(Operation &op, const Tensor &tensor, i64 axis) {
  const i64 rank = static_cast<i64>(tensor.shape.rank());
  const i64 at = axis < 0 ? axis + rank : axis;
  if (!tensor.shape.is_known() || at < 0 || at >= rank) {
    return array(op, {}, tensor.dtype);
  }
  std::vector<Dim> dims = dims_in(tensor.shape);
  dims.erase(dims.begin() + at);
  return array(op, op.in.heap.shape(dims), tensor.dtype);
}

Value with_front(Operation &op, const Tensor &tensor, Dim size) {
  if (!tensor.shape.is_known()) {
    return array(op, {}, tensor.dtype);
  }
  std::vector<Dim> dims = dims_in(tensor.shape);
  dims.insert(dims.begin(), size);
  return array(op, op.in.heap.shape(dims), tensor.dtype);
}

Value call_scan(Operation &op) {
  const Value function = op.arg("f");
  const Value init = op.arg("init");
  const Value xs = op.arg("xs");
  if (!is_function(function)) {
    return {};
  }
  Dim length;
  const Value row = each(op, xs, [&](const Tensor &tensor) {
    length = tensor.shape.is_known() && tensor.shape.rank() > 0 ? tensor.shape.dims[0] : length;
    return without_axis(op, tensor, 0);
  });
  Arguments arguments;
  arguments.positional = {leaf(op, init), row};
  const Value result = op.in.call(function, arguments, op.node);
  if (!result.is_sequence() || result.list->content.is_open || result.list->content.items.size() != 2) {
    return op.in.heap.new_list({init, Value()}, Tag::Tuple);
  }
  check_same_type(op, init, result.list->content.items[0],
                  "scan must return a carry of the same type that it received");
  const Value outputs =
      each(op, result.list->content.items[1], [&](const Tensor &tensor) { return with_front(op, tensor, length); });
  return op.in.heap.new_list({leaf(op, init), outputs}, Tag::Tuple);
}

Value call_while(Operation &op) {
  const Value body = op.arg("body_fun");
  const Value init = op.arg("init_val");
  if (is_function(body)) {
    Arguments arguments;
    arguments.positional = {each(op, leaf(op, init), [&](const Tensor &tensor) { return op.in.plain_tensor(tensor); })};
    if (init.is_sequence()) {
      arguments.positional = {init};
    }
    const Value result = op.in.call(body, arguments, op.node);
    check_same_type(op, init, result, "while_loop must return the same type that it received");
  }
  return leaf(op, init);
}

Value call_fori(Operation &op) {
  const Value body = op.arg("body_fun");
  const Value init = op.arg("init_val");
  if (is_function(body)) {
    Arguments arguments;
    arguments.positional = {Value::of(Dim{}), leaf(op, init)};
    const Value result = op.in.call(body, arguments, op.node);
    check_same_type(op, init, result, "fori_loop must return the same type that it received");
  }
  return leaf(op, init);
}

Value call_cond(Operation &op) {
  const Value first = op.arg("true_fun");
  const Value second = op.arg("false_fun");
  if (!is_function(first) || !is_function(second)) {
    return {};
  }
  Arguments arguments;
  arguments.positional = op.rest;
  Arguments again = arguments;
  const Value a = op.in.call(first, arguments, op.node);
  const Value b = op.in.call(second, again, op.node);
  return check_same_type(op, a, b, "both branches of cond must return the same type") ? op.in.heap.join(a, b) : Value();
}

Value call_vmap(Operation &op) {
  const Value function = op.arg("fun");
  const Value axes = op.arg("in_axes");
  if (!is_function(function) || op.is_open || !op.more.empty()) {
    return {};
  }
  Dim count;
  const Tensor *first = nullptr;
  bool fits = true;
  Arguments arguments;
  for (std::size_t i = 0; i < op.rest.size(); ++i) {
    Value axis = axes;
    if (axes.is_sequence()) {
      const ListContent &content = axes.list->content;
      axis = !content.is_open && i < content.items.size() ? content.items[i] : Value();
    }
    if (axis.is(Tag::None)) {
      arguments.positional.push_back(op.rest[i]);
      continue;
    }
    if (!axis.is(Tag::Int) || !axis.dim().is_constant()) {
      arguments.positional.emplace_back();
      continue;
    }
    arguments.positional.push_back(each(op, leaf(op, op.rest[i]), [&](const Tensor &tensor) {
      const i64 rank = static_cast<i64>(tensor.shape.rank());
      const i64 at = axis.integer < 0 ? axis.integer + rank : axis.integer;
      if (tensor.shape.is_known() && (at < 0 || at >= rank) && fits) {
        fits = false;
        if (Problem *problem = op.report(
                Fault::WrongRank, fmt::format("vmap maps over dimension {} of {}, which has {} dimension{}",
                                              axis.integer, op.in.text_of(tensor), rank, rank == 1 ? "" : "s"))) {
          op.in.add_chain(*problem, tensor);
          problem->advice = "pass in_axes=None for an argument that is the same for all";
        }
      }
      if (fits && tensor.shape.is_known()) {
        const Dim size = tensor.shape.dims[static_cast<u32>(at)];
        if (op.in.terms.differ(count, size)) {
          fits = false;
          if (Problem *problem =
                  op.report(Fault::ShapesDoNotFit,
                            fmt::format("vmap maps over {} of {} and {} of {}", op.in.terms.text(count),
                                        op.in.text_of(*first), op.in.terms.text(size), op.in.text_of(tensor)))) {
            op.in.add_chain(*problem, *first);
            op.in.add_chain(*problem, tensor);
            problem->advice = "dimensions that are mapped over together must have the same size";
          }
        }
        first = first == nullptr ? &tensor : first;
        count = count.is_known() ? count : size;
      }
      return without_axis(op, tensor, axis.integer);
    }));
  }
  if (!fits) {
    return {};
  }
  const Value result = op.in.call(function, arguments, op.node);
  if (!op.arg("out_axes").is_number(0)) {
    return {};
  }
  return each(op, leaf(op, result), [&](const Tensor &tensor) { return with_front(op, tensor, count); });
}

// The arguments that a gradient is taken of.
Value call_grad(Operation &op) {
  const Value function = op.arg("fun");
  if (!is_function(function) || op.is_open || op.rest.empty()) {
    return {};
  }
  const auto at = op.integer("argnums");
  const bool is_single = at && *at >= 0 && *at < static_cast<i64>(op.rest.size());
  if (is_single && op.truth("allow_int") == Truth::No) {
    const Value &given = op.rest[static_cast<std::size_t>(*at)];
    const bool is_whole = (given.is(Tag::Int) && given.dim().is_constant()) ||
                          (given.is(Tag::Tensor) && given.tensor->library == kJax && is_integer(given.tensor->dtype));
    if (is_whole) {
      if (Problem *problem =
              op.report(Fault::DtypeMismatch, "grad takes floating-point arguments, but gets integers")) {
        if (given.is(Tag::Tensor)) {
          op.in.add_chain(*problem, *given.tensor);
        }
        problem->advice = "make it a float: jnp.arange(4.0), x.astype(jnp.float32)";
      }
      return {};
    }
  }
  Arguments arguments;
  arguments.positional = op.rest;
  arguments.keywords = op.more;
  const Value result = op.in.call(function, arguments, op.node);
  const Truth has_aux = op.truth("has_aux");
  const Value value = has_aux == Truth::Yes && result.is_sequence() && !result.list->content.items.empty()
                          ? result.list->content.items[0]
                      : has_aux == Truth::No ? result
                                             : Value();
  if (value.is(Tag::Tensor) && value.tensor->shape.is_known() && value.tensor->shape.rank() > 0) {
    if (Problem *problem = op.report(
            Fault::WrongRank, fmt::format("grad takes a function that returns one number, but this one returns {}",
                                          op.in.text_of(*value.tensor)))) {
      op.in.add_chain(*problem, *value.tensor);
      problem->advice = "reduce the result with jnp.mean or jnp.sum, or use jax.jacobian";
    }
    return {};
  }
  const Value gradient = is_single ? op.rest[static_cast<std::size_t>(*at)] : Value();
  if (op.api.text().ends_with("value_and_grad")) {
    return op.in.heap.new_list({result, gradient}, Tag::Tuple);
  }
  return has_aux == Truth::No ? gradient : Value();
}

Value call_first(Operation &op) { return op.arg("fun"); }

// ---- optax

Value call_softmax_loss(Operation &op) {
  const Tensor *const logits = converted(op, "logits", kJax);
  const Tensor *const labels = converted(op, "labels", kJax);
  if (logits == nullptr || labels == nullptr || !logits->shape.is_known() || !labels->shape.is_known() ||
      logits->shape.rank() == 0) {
    return unknown(op, logits);
  }
  const bool is_sparse = op.short_name() == "softmax_cross_entropy_with_integer_labels";
  bool fits = is_sparse ? labels->shape.rank() + 1 == logits->shape.rank() ||
                              (labels->shape.rank() == logits->shape.rank() && !labels->shape.from_end(0).is_constant())
                        : broadcast(op.in, logits->shape, labels->shape).fits;
  if (!fits) {
    if (Problem *problem = op.report(Fault::LossTargetShape,
                                     fmt::format("{} takes {}, but gets labels {} for logits {}", op.short_name(),
                                                 is_sparse ? "one class index for each row" : "one-hot labels",
                                                 op.in.text_of(*labels), op.in.text_of(*logits)))) {
      op.in.add_chain(*problem, *logits);
      op.in.add_chain(*problem, *labels);
      problem->advice = is_sparse ? "use softmax_cross_entropy for one-hot labels"
                                  : "use softmax_cross_entropy_with_integer_labels, or jax.nn.one_hot of the labels";
    }
    return unknown(op, logits);
  }
  std::vector<Dim> dims = dims_in(logits->shape);
  dims.pop_back();
  return array(op, op.in.heap.shape(dims), logits->dtype, {logits});
}

// x.at[i].set(y): x, if y can be broadcast to what the index takes of it.
Value call_at_update(Operation &op) {
  const Value self = op.arg("self");
  if (!self.is(Tag::Object)) {
    return {};
  }
  const auto stored = [&](std::string_view name) {
    const auto found = self.object->content.attributes.find(intern(name).id);
    return found != self.object->content.attributes.end() ? found->second : Value();
  };
  const Value array = stored("*array");
  const Value part = stored("*part");
  const Value given = op.arg("values");
  if (!array.is(Tag::Tensor)) {
    return {};
  }
  if (part.is(Tag::Tensor) && given.is(Tag::Tensor) && part.tensor->shape.is_known() &&
      given.tensor->shape.is_known()) {
    const Shape &to = part.tensor->shape;
    const Shape &from = given.tensor->shape;
    for (u32 i = 0; i < from.rank() && i < to.rank(); ++i) {
      const Dim size = from.from_end(i);
      if (size.is(1) || !op.in.terms.differ(size, to.from_end(i)) || !op.in.terms.differ(size, Dim::of(1))) {
        continue;
      }
      if (Problem *problem = op.report(Fault::ShapesDoNotFit,
                                       fmt::format("{} of a part of {} takes values that broadcast to it, but gets {}",
                                                   op.short_name(), op.in.text_of(to), op.in.text_of(from)))) {
        op.in.add_chain(*problem, *array.tensor);
        op.in.add_chain(*problem, *given.tensor);
        problem->advice = "give it the shape of the part that the index selects";
      }
      break;
    }
  }
  return op.like(*array.tensor, array.tensor->shape);
}

constexpr TransferEntry kTable[] = {
    {"jax_at_update", call_at_update},
    {"jax_key", call_key},
    {"jax_split", call_split},
    {"jax_random", call_random},
    {"jax_random_int", call_random_int},
    {"jax_bernoulli", call_bernoulli},
    {"jax_permutation", call_permutation},
    {"jax_one_hot", call_one_hot},
    {"jax_lax_binary", call_lax_binary},
    {"jax_dot_general", call_dot_general},
    {"jax_conv", call_conv},
    {"jax_dynamic_slice", call_dynamic_slice},
    {"jax_scan", call_scan},
    {"jax_while", call_while},
    {"jax_fori", call_fori},
    {"jax_cond", call_cond},
    {"jax_vmap", call_vmap},
    {"jax_grad", call_grad},
    {"jax_first", call_first},
    {"optax_softmax_loss", call_softmax_loss},
};

} // namespace
} // namespace jax_operations

std::span<const TransferEntry> jax_transfers() { return jax_operations::kTable; }

} // namespace deepperf::shapes
