// Models of Keras: Input, Sequential, Model, and where data meets them: fit, evaluate, predict.
#include "shapes/frames.h"
#include "shapes/keras.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <cmath>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace keras_models {
namespace {

std::vector<Dim> dims_of(const Shape &shape) { return {shape.dims.begin(), shape.dims.end()}; }

Value tensor_of(Operation &op, const Shape &shape, Library library = Library::TensorFlow) {
  Tensor tensor;
  tensor.library = library;
  tensor.shape = shape;
  return op.result(tensor, {});
}

Value call_input(Operation &op) {
  if (const auto whole = keras_shape(op.in, op.arg("batch_shape"), false)) {
    return tensor_of(op, *whole);
  }
  const auto shape = keras_shape(op.in, op.arg("shape"), true);
  // Programs ask shape[-1] of an Input without sizes whether it is None, which a symbol never is.
  return tensor_of(op, shape && shape->rank() > 1 ? *shape : Shape{});
}

bool is_input_layer(const Value &value) {
  return is_keras(value) && value.object->content.api.text().ends_with(".InputLayer");
}

} // namespace
} // namespace keras_models

// Runs the layers on a tensor; Keras adds a last dimension of 1 where it is missing.
Value keras_run_layers(Operation &op, Object &model, const Tensor &input) {
  if (model.content.is_open || model.content.items.empty() || !input.shape.is_known()) {
    return {};
  }
  Tensor tensor = input;
  tensor.library = input.library == Library::Torch ? Library::Torch : Library::TensorFlow; // PyTorch as backend
  const Value wanted = keras_get(model, "input");
  if (wanted.is(Tag::Tensor) && wanted.tensor->shape.is_known() && wanted.tensor->shape.rank() != tensor.shape.rank()) {
    return {};
  }
  Value value = op.in.plain_tensor(tensor);
  const std::vector<Value> layers = model.content.items;
  for (const Value &layer : layers) {
    if (layer.is(Tag::Tensor) || keras_models::is_input_layer(layer)) {
      continue;
    }
    if (!value.is(Tag::Tensor)) {
      return {};
    }
    Arguments arguments;
    arguments.positional.push_back(value);
    value = op.in.call(layer, arguments, op.node);
  }
  return value;
}

void keras_make_model(Operation &op) {
  // By name, because its call has an argument `inputs` as well.
  keras_set(op.in, *op.layer, "input", keras_argument(op.in, *op.layer, "inputs"));
  keras_set(op.in, *op.layer, "output", keras_argument(op.in, *op.layer, "outputs"));
}

namespace keras_models {
namespace {

// Runs a layer on what comes out of the model so far.
void add_layer(Operation &op, Object &model, const Value &layer, const Expr *node) {
  const bool is_first = model.content.items.empty();
  op.in.heap.change(model).items.push_back(layer);
  if (layer.is(Tag::Tensor)) { // Input(...)
    keras_set(op.in, model, "input", is_first ? layer : Value());
    keras_set(op.in, model, "output", is_first ? layer : Value());
    return;
  }
  if (is_first && is_keras(layer)) {
    std::optional<Shape> shape = keras_input_shape(op.in, *layer.object);
    if (is_input_layer(layer)) {
      if (const auto whole = keras_shape(op.in, keras_argument(op.in, *layer.object, "batch_shape"), false)) {
        shape = whole;
      } else if (const auto one = keras_shape(op.in, keras_argument(op.in, *layer.object, "shape"), true)) {
        shape = one;
      }
    }
    Value input = shape ? tensor_of(op, *shape) : keras_get(*layer.object, "input");
    keras_set(op.in, model, "input", input);
    keras_set(op.in, model, "output", input);
    if (is_input_layer(layer)) {
      return;
    }
  }
  const Value before = keras_get(model, "output");
  if (!before.is(Tag::Tensor)) {
    return;
  }
  Arguments arguments;
  arguments.positional.push_back(before);
  const std::size_t problems = op.in.problems.size();
  const Value after = op.in.call(layer, arguments, node);
  keras_set(op.in, model, "output", after.is(Tag::Tensor) ? after : Value());
  if (op.in.problems.size() != problems) { // what is wrong was said
    op.in.heap.change(model).is_open = true;
    keras_set(op.in, model, "input", {});
  }
}

void make_sequential(Operation &op) {
  Object &model = *op.layer;
  const Value layers = op.arg("layers");
  if (layers.is(Tag::None)) {
    return;
  }
  if (!layers.is_sequence() || layers.list->content.is_open) {
    op.in.heap.change(model).is_open = true;
    return;
  }
  const std::vector<Value> items = layers.list->content.items;
  for (const Value &layer : items) {
    const bool is_here =
        layer.is(Tag::Object) && layer.object->maker != nullptr && layer.object->module == op.in.module();
    add_layer(op, model, layer, is_here ? layer.object->maker : op.node);
  }
}

Value call_add(Operation &op) {
  const Value model = op.arg("self");
  if (model.is(Tag::Object) && !model.object->content.is_open) {
    add_layer(op, *model.object, op.arg("layer"), op.node);
  }
  return Value::none();
}

// pop() and whatever else changes the layers.
Value call_forget(Operation &op) {
  const Value model = op.arg("self");
  if (model.is(Tag::Object)) {
    op.in.heap.change(*model.object).is_open = true;
    keras_set(op.in, *model.object, "input", {});
    keras_set(op.in, *model.object, "output", {});
  }
  return {};
}

Value call_sequential(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  return input != nullptr ? keras_run_layers(op, *op.layer, *input) : Value();
}

Value call_to_categorical(Operation &op) {
  const Value given = op.arg("y");
  const Tensor *const labels = given.is_sequence() ? converted(op, given, Library::Numpy) : op.in.as_tensor(given);
  Tensor tensor;
  tensor.library = Library::Numpy;
  if (labels != nullptr && labels->shape.is_known()) {
    std::vector<Dim> dims = dims_of(labels->shape);
    if (dims.size() > 1 && !dims.back().is_constant()) {
      return op.result(tensor, {labels});
    }
    if (dims.size() > 1 && dims.back().is(1)) {
      dims.pop_back();
    }
    // Labels of one class alone are nothing to learn.
    dims.push_back(op.arg("num_classes").is(Tag::None) ? op.in.fresh("classes", 2) : op.dim("num_classes"));
    tensor.shape = op.in.heap.shape(dims);
  } else if (op.arg("num_classes").is(Tag::Int)) {
    tensor.shape = op.in.heap.shape({op.dim("num_classes")}, Shape::Kind::Tail);
  }
  return op.result(tensor, {labels});
}

Value dataset(Operation &op, const std::vector<i64> &sizes, i64 train, i64 test, bool column) {
  const auto array = [&](i64 count, bool is_label) {
    Tensor tensor;
    tensor.library = Library::Numpy;
    std::vector<Dim> dims = {Dim::of(count)};
    for (const i64 size : sizes) {
      if (!is_label) {
        dims.push_back(Dim::of(size));
      }
    }
    if (is_label && column) {
      dims.push_back(Dim::of(1));
    }
    tensor.shape = op.in.heap.shape(dims);
    return op.result(tensor, {});
  };
  const auto pair = [&](i64 count) {
    return op.in.heap.new_list({array(count, false), array(count, true)}, Tag::Tuple);
  };
  return op.in.heap.new_list({pair(train), pair(test)}, Tag::Tuple);
}

Value call_mnist(Operation &op) { return dataset(op, {28, 28}, 60000, 10000, false); }
Value call_cifar(Operation &op) { return dataset(op, {32, 32, 3}, 50000, 10000, true); }

// Halves of each array, with a first dimension that is not known.
// How many of so many rows are for training (0) and for testing (1). Nothing is said where a size is not known.
Dim rows_of_part(Operation &op, Dim rows, int part) {
  const Value size = op.arg("test_size");
  if (op.is_open || !rows.is_constant() || !op.arg("train_size").is(Tag::None)) {
    return {};
  }
  constexpr double kUsual = 0.25;
  i64 tested = 0;
  if (size.is(Tag::Int) && size.dim().is_constant()) {
    tested = size.dim().value;
  } else if ((size.is(Tag::Float) && size.small != 0) || size.is(Tag::None)) {
    const double share = size.is(Tag::None) ? kUsual : size.real;
    if (!(share > 0 && share < 1)) {
      return {};
    }
    tested = static_cast<i64>(std::ceil(share * static_cast<double>(rows.value)));
  }
  return tested > 0 && tested < rows.value ? Dim::of(part == 0 ? rows.value - tested : tested) : Dim{};
}

Value call_train_test_split(Operation &op) {
  std::vector<Value> parts;
  for (const Value &value : op.rest) {
    const Tensor *const tensor = value.is(Tag::Tensor) ? value.tensor : array_in(value);
    for (int i = 0; i < 2; ++i) {
      if (tensor == nullptr) {
        parts.emplace_back();
        continue;
      }
      Shape shape = tensor->shape;
      if (shape.is_known() && shape.rank() > 0) {
        std::vector<Dim> dims = dims_of(shape);
        dims[0] = rows_of_part(op, dims[0], i);
        shape = op.in.heap.shape(dims);
      } else {
        shape = {};
      }
      if (is_frame(value)) {
        Tensor part = *tensor;
        part.shape = shape;
        parts.push_back(frame_of(op.in, part));
        continue;
      }
      parts.push_back(op.like(*tensor, shape));
    }
  }
  return op.in.heap.new_list(std::move(parts));
}

// By its name or its place.
Value call_get_layer(Operation &op) {
  const Value model = op.arg("self");
  if (!model.is(Tag::Object) || model.object->content.is_open) {
    return {};
  }
  const Value name = op.arg("name");
  const Value index = op.arg("index");
  i64 at = 0;
  Value found;
  u32 count = 0;
  for (const Value &layer : model.object->content.items) {
    if (layer.is(Tag::Tensor) || is_input_layer(layer) || !is_keras(layer)) {
      continue;
    }
    const Value own = keras_argument(op.in, *layer.object, "name");
    const bool is_named = name.is(Tag::Str) && name.number != 0 && own.is(Tag::Str) && own.number == name.number;
    if (is_named || (name.is(Tag::None) && index.is_number(at))) {
      found = layer;
      ++count;
    }
    ++at;
  }
  return count == 1 ? found : Value();
}

constexpr TransferEntry kTable[] = {
    {"keras_get_layer", call_get_layer},
    {"keras_input", call_input},
    {"keras_sequential", call_sequential, make_sequential},
    {"keras_add", call_add},
    {"keras_forget", call_forget},
    {"to_categorical", call_to_categorical},
    {"keras_mnist", call_mnist},
    {"keras_cifar", call_cifar},
    {"train_test_split", call_train_test_split},
};

} // namespace
} // namespace keras_models

std::span<const TransferEntry> keras_model_transfers() { return keras_models::kTable; }

} // namespace deepperf::shapes
