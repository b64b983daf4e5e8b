// Arrays of NumPy and JAX that are put together, repeated and taken apart, and the data that scikit-learn brings.
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace array_joins {
namespace {

Library library_of(const Operation &op) {
  return op.api && op.api.text().starts_with("jax.") ? Library::Jax : Library::Numpy;
}

Value array(Operation &op, const Shape &shape, Dtype dtype, const std::vector<const Tensor *> &inputs = {}) {
  return made(op, shape, dtype, inputs, library_of(op));
}

Value unknown(Operation &op) { return array(op, {}, Dtype::Unknown); }

// Arrays in a list, each with at least so many dimensions.
bool gather(Operation &op, std::vector<const Tensor *> &tensors) {
  const Value given = op.arg("tensors");
  if (!given.is_sequence() || given.list->content.is_open || given.list->content.items.empty()) {
    return false;
  }
  for (const Value &item : given.list->content.items) {
    const Tensor *const tensor =
        item.is(Tag::Tensor) || item.is_sequence() ? converted(op, item, library_of(op)) : nullptr;
    if (tensor == nullptr || !tensor->shape.is_known() || tensor->shape.rank() == 0) {
      return false;
    }
    tensors.push_back(tensor);
  }
  return true;
}

// vstack makes rows of vectors, column_stack columns; hstack joins vectors along their only dimension.
enum class Way : u8 { Rows, Sides, Columns };

Value join(Operation &op, Way way) {
  std::vector<const Tensor *> tensors;
  if (!gather(op, tensors)) {
    return unknown(op);
  }
  std::vector<Value> parts;
  bool all_vectors = true;
  for (const Tensor *tensor : tensors) {
    Tensor part = *tensor;
    all_vectors = all_vectors && tensor->shape.rank() == 1;
    if (tensor->shape.rank() == 1 && way != Way::Sides) {
      const Dim size = tensor->shape.dims[0];
      part.shape =
          op.in.heap.shape(way == Way::Rows ? std::vector<Dim>{Dim::of(1), size} : std::vector<Dim>{size, Dim::of(1)});
    }
    parts.push_back(op.in.plain_tensor(part));
  }
  const i64 axis = way == Way::Rows || (way == Way::Sides && all_vectors) ? 0 : 1;
  const Value list = op.in.heap.new_list(std::move(parts));
  return retyped(op, run_as(op, "cat", {{"tensors", list}, {"dim", Value::of_int(axis)}}), library_of(op));
}

Value call_vstack(Operation &op) { return join(op, Way::Rows); }
Value call_hstack(Operation &op) { return join(op, Way::Sides); }
Value call_column_stack(Operation &op) { return join(op, Way::Columns); }

// append(a, b, axis=None)
Value call_append(Operation &op) {
  const Tensor *const a = converted(op, "input", library_of(op));
  const Tensor *const b = converted(op, "values", library_of(op));
  if (a == nullptr || b == nullptr) {
    return unknown(op);
  }
  if (op.arg("dim").is(Tag::None)) {
    return array(op, op.in.heap.shape({op.in.terms.add(numel(op.in, a->shape), numel(op.in, b->shape))}),
                 Dtype::Unknown);
  }
  const Value list = op.in.heap.new_list({op.in.plain_tensor(*a), op.in.plain_tensor(*b)});
  return retyped(op, run_as(op, "cat", {{"tensors", list}, {"dim", op.arg("dim")}}), library_of(op));
}

Value call_tile(Operation &op) {
  const Tensor *const input = converted(op, "input", library_of(op));
  std::vector<Dim> times;
  if (input == nullptr || !input->shape.is_known() || !op.in.as_dims(op.arg("reps"), times)) {
    return unknown(op);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  while (dims.size() < times.size()) {
    dims.insert(dims.begin(), Dim::of(1));
  }
  while (times.size() < dims.size()) {
    times.insert(times.begin(), Dim::of(1));
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i] = op.in.terms.multiply(dims[i], times[i]);
  }
  return array(op, op.in.heap.shape(dims), input->dtype, {input});
}

Value call_repeat(Operation &op) {
  const Tensor *const input = converted(op, "input", library_of(op));
  const Value times = op.arg("repeats");
  if (input == nullptr || !input->shape.is_known() || !times.is(Tag::Int)) {
    return unknown(op);
  }
  if (op.arg("dim").is(Tag::None)) {
    return array(op, op.in.heap.shape({op.in.terms.multiply(numel(op.in, input->shape), times.dim())}), input->dtype);
  }
  const auto given = op.integer("dim");
  const auto axis = given ? axis_of(op, *input, *given, "dim") : std::nullopt;
  if (!axis || input->shape.rank() == 0) {
    return unknown(op);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims[*axis] = op.in.terms.multiply(dims[*axis], times.dim());
  return array(op, op.in.heap.shape(dims), input->dtype, {input});
}

// ---- scikit-learn

Value pair(Operation &op, Dim rows, Dim columns, bool is_regression) {
  const Value x = array(op, op.in.heap.shape({rows, columns}), Dtype::Float64);
  const Value y = array(op, op.in.heap.shape({rows}), is_regression ? Dtype::Float64 : Dtype::Int64);
  return op.in.heap.new_list({x, y}, Tag::Tuple);
}

// make_classification, make_blobs, make_moons, make_regression
Value call_make_data(Operation &op) {
  if (op.is_open || !op.arg("n_samples").is(Tag::Int) || op.is_given("n_targets")) {
    return {};
  }
  const std::string_view name = op.short_name();
  const bool is_plane = name == "make_moons" || name == "make_circles";
  return pair(op, op.dim("n_samples"), is_plane ? Dim::of(2) : op.dim("n_features"), name == "make_regression");
}

// load_iris() and the like: an object with data and target, or both of them.
Value call_load(Operation &op) {
  struct Known {
    std::string_view name;
    i64 rows;
    i64 columns;
    bool is_regression;
  };
  static constexpr Known kKnown[] = {{"load_iris", 150, 4, false},
                                     {"load_digits", 1797, 64, false},
                                     {"load_boston", 506, 13, true},
                                     {"load_breast_cancer", 569, 30, false},
                                     {"load_wine", 178, 13, false},
                                     {"load_diabetes", 442, 10, true},
                                     {"fetch_california_housing", 20640, 8, true}};
  const auto *const known = std::ranges::find(kKnown, op.short_name(), &Known::name);
  const Truth is_pair = op.is_given("return_X_y") ? op.truth("return_X_y") : Truth::No;
  if (known == std::end(kKnown) || op.is_open || is_pair == Truth::Unknown || op.is_given("as_frame") ||
      op.is_given("n_class")) {
    return {};
  }
  const Value both = pair(op, Dim::of(known->rows), Dim::of(known->columns), known->is_regression);
  if (is_pair == Truth::Yes) {
    return both;
  }
  Object *const bunch = op.in.heap.new_object(nullptr, intern("sklearn.utils.Bunch"));
  bunch->content.attributes[intern("data").id] = both.list->content.items[0];
  bunch->content.attributes[intern("target").id] = both.list->content.items[1];
  bunch->content.keys = {intern("data"), intern("target")};
  bunch->content.items = both.list->content.items;
  return Value::of(bunch);
}

// fit() returns the object itself.
Value call_fit(Operation &op) { return op.arg("self"); }

// Scikit-learn computes in the precision of its input, and in float64 where that are not floats.
Dtype float_of(const Tensor *x) {
  const bool is_known = x != nullptr && x->dtype != Dtype::Unknown;
  return !is_known ? Dtype::Unknown : is_floating(x->dtype) ? x->dtype : Dtype::Float64;
}

// A scaler gives what it got, in floats.
Value call_transform(Operation &op) {
  const Tensor *const x = op.tensor("X");
  return x != nullptr ? array(op, x->shape, float_of(x), {x}) : Value();
}

// How many examples there are in an array, frame or list.
Dim rows_of(Operation &op, const Value &data) {
  const Tensor *const array = op.in.as_tensor(data);
  if (array != nullptr) {
    return array->shape.is_known() && array->shape.rank() > 0 ? array->shape.dims[0] : Dim{};
  }
  return data.is_sequence() && !data.list->content.is_open ? Dim::of(static_cast<i64>(data.list->content.items.size()))
                                                           : Dim{};
}

// LabelEncoder: a number for each label.
Value call_encode(Operation &op) { return array(op, op.in.heap.shape({rows_of(op, op.arg("y"))}), Dtype::Int64); }

// LabelBinarizer: a column for each class, and one alone for two.
Value call_binarize(Operation &op) {
  return array(op, op.in.heap.shape({rows_of(op, op.arg("y")), op.in.fresh("classes")}), Dtype::Int64);
}

// OneHotEncoder gives a matrix that has toarray(), or an array.
Value call_one_hot(Operation &op) {
  return array(op, op.in.heap.shape({rows_of(op, op.arg("X")), op.in.fresh("classes")}), Dtype::Float64);
}

// PCA(n_components=2) and the like: so many columns
Value call_reduce_columns(Operation &op) {
  const Value self = op.arg("self");
  const Value count =
      self.is(Tag::Object) && !self.object->content.args.empty() ? self.object->content.args[0] : Value();
  return array(op, op.in.heap.shape({rows_of(op, op.arg("X")), count.is(Tag::Int) ? count.dim() : Dim{}}),
               float_of(op.tensor("X")));
}

// for train, test in KFold(5).split(X): numbers of rows
Value call_folds(Operation &op) {
  const Value rows = array(op, op.in.heap.shape({Dim{}}), Dtype::Int64);
  return op.in.heap.new_open_list(op.in.heap.new_list({rows, rows}, Tag::Tuple));
}

// shuffle(X, y): the same arrays in another order
Value call_shuffle(Operation &op) {
  if (op.rest.size() == 1) {
    return op.rest[0];
  }
  for (const Value &value : op.rest) {
    if (op.in.as_tensor(value) == nullptr) {
      return {};
    }
  }
  return op.in.heap.new_list(op.rest);
}

Value call_nothing(Operation &) { return {}; }

// default_rng(): a Generator.
Value call_generator(Operation &op) {
  return Value::of(op.in.heap.new_object(nullptr, intern("numpy.random.Generator")));
}

constexpr TransferEntry kTable[] = {
    {"array_vstack", call_vstack},
    {"array_hstack", call_hstack},
    {"array_column_stack", call_column_stack},
    {"array_append", call_append},
    {"array_tile", call_tile},
    {"array_repeat", call_repeat},
    {"sklearn_make", call_make_data},
    {"sklearn_load", call_load},
    {"sklearn_fit", call_fit},
    {"sklearn_transform", call_transform},
    {"sklearn_encode", call_encode},
    {"sklearn_binarize", call_binarize},
    {"sklearn_one_hot", call_one_hot},
    {"sklearn_columns", call_reduce_columns},
    {"sklearn_folds", call_folds},
    {"sklearn_shuffle", call_shuffle},
    {"sklearn_scaler", call_nothing},
    {"random_generator", call_generator},
};

} // namespace
} // namespace array_joins

std::span<const TransferEntry> array_join_transfers() { return array_joins::kTable; }

} // namespace deepperf::shapes
