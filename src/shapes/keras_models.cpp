// Models of Keras: Input, Sequential, Model, and where data meets them: fit, evaluate, predict.
#include "shapes/keras.h"

#include <fmt/format.h>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

std::vector<Dim> dims_of(const Shape &shape) { return {shape.dims.begin(), shape.dims.end()}; }

Value get(const Object &object, std::string_view name) {
  const auto found = object.content.attributes.find(intern(name).id);
  return found != object.content.attributes.end() ? found->second : Value();
}

void set(Operation &op, Object &object, std::string_view name, const Value &value) {
  op.in.heap.change(object).attributes[intern(name).id] = value;
}

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

// Runs a layer on what comes out of the model so far.
void add_layer(Operation &op, Object &model, const Value &layer, const Expr *node) {
  const bool is_first = model.content.items.empty();
  op.in.heap.change(model).items.push_back(layer);
  if (layer.is(Tag::Tensor)) { // Input(...)
    set(op, model, "input", is_first ? layer : Value());
    set(op, model, "output", is_first ? layer : Value());
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
    Value input = shape ? tensor_of(op, *shape) : get(*layer.object, "input");
    set(op, model, "input", input);
    set(op, model, "output", input);
    if (is_input_layer(layer)) {
      return;
    }
  }
  const Value before = get(model, "output");
  if (!before.is(Tag::Tensor)) {
    return;
  }
  Arguments arguments;
  arguments.positional.push_back(before);
  const Value after = op.in.call(layer, arguments, node);
  set(op, model, "output", after.is(Tag::Tensor) ? after : Value());
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
    set(op, *model.object, "input", {});
    set(op, *model.object, "output", {});
  }
  return {};
}

// Runs the layers on a tensor; Keras adds a last dimension of 1 where it is missing.
Value run_layers(Operation &op, Object &model, const Tensor &input) {
  if (model.content.is_open || !input.shape.is_known()) {
    return {};
  }
  Tensor tensor = input;
  tensor.library = input.library == Library::Torch ? Library::Torch : Library::TensorFlow; // PyTorch as backend
  const Value wanted = get(model, "input");
  if (wanted.is(Tag::Tensor) && wanted.tensor->shape.is_known() && wanted.tensor->shape.rank() != tensor.shape.rank()) {
    return {};
  }
  Value value = op.in.plain_tensor(tensor);
  const std::vector<Value> layers = model.content.items;
  for (const Value &layer : layers) {
    if (layer.is(Tag::Tensor) || is_input_layer(layer)) {
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

Value call_sequential(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  return input != nullptr ? run_layers(op, *op.layer, *input) : Value();
}

void make_model(Operation &op) {
  // By name, because its call has an argument `inputs` as well.
  set(op, *op.layer, "input", keras_argument(op.in, *op.layer, "inputs"));
  set(op, *op.layer, "output", keras_argument(op.in, *op.layer, "outputs"));
}

// What a model gives for so many examples.
Value output_for(Operation &op, const Object &model, const Tensor *input, Library library) {
  const Value output = get(model, "output");
  const Value wanted = get(model, "input");
  if (!output.is(Tag::Tensor) || !output.tensor->shape.is_known() || output.tensor->shape.rank() == 0) {
    return {};
  }
  std::vector<Dim> dims = dims_of(output.tensor->shape);
  const bool keeps_batch = wanted.is(Tag::Tensor) && wanted.tensor->shape.is_known() &&
                           wanted.tensor->shape.rank() > 0 && wanted.tensor->shape.dims[0] == dims[0];
  dims[0] = keeps_batch && input != nullptr && input->shape.is_known() && input->shape.rank() > 0 ? input->shape.dims[0]
                                                                                                  : Dim{};
  Tensor tensor;
  tensor.library = library;
  tensor.dtype = library == Library::Numpy ? Dtype::Float32 : Dtype::Unknown;
  tensor.shape = op.in.heap.shape(dims);
  return op.result(tensor, {input});
}

// Whether an array has the shape that the model's input has. Keras adds or drops a last dimension of 1.
bool check_data(Operation &op, const Object &model, const Tensor &data, std::string_view name) {
  const Value wanted = get(model, "input");
  if (!wanted.is(Tag::Tensor) || !wanted.tensor->shape.is_known() || !data.shape.is_known()) {
    return true;
  }
  const Shape &want = wanted.tensor->shape;
  const Shape &got = data.shape;
  bool fits = true;
  if (want.rank() == got.rank()) {
    for (u32 i = 1; i < want.rank(); ++i) {
      const bool is_last_one = i + 1 == want.rank() && (want.dims[i].is(1) || got.dims[i].is(1));
      if (want.dims[i].is_constant() && got.dims[i].is_constant() && want.dims[i] != got.dims[i] && !is_last_one) {
        fits = false;
      }
    }
  } else if (want.rank() + 1 == got.rank()) {
    fits = !got.from_end(0).is_constant() || got.from_end(0).is(1);
  } else if (got.rank() + 1 == want.rank()) {
    fits = !want.from_end(0).is_constant() || want.from_end(0).is(1);
  } else {
    fits = got.rank() == 0;
  }
  if (fits) {
    return true;
  }
  if (Problem *problem =
          op.in.report(Fault::DataDoesNotFit, op.place(name),
                       fmt::format("the model takes {}, and gets {}", op.in.text_of(want), op.in.text_of(got)))) {
    op.in.tell_chain(*problem, data);
    problem->advice = got.rank() + 1 == want.rank()
                          ? "the first dimension is the batch: add the missing dimension with np.expand_dims or reshape"
                          : "reshape the data, or change the input shape of the model";
  }
  return false;
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// The name of a loss in small letters without underscores; empty if it is not known.
std::string loss_name(const Value &loss) {
  std::string_view text;
  if (loss.is(Tag::Str) || loss.is(Tag::Api)) {
    text = loss.text();
  } else if (loss.is(Tag::Object) && loss.object->content.api) {
    text = loss.object->content.api.text();
  }
  std::string name;
  for (const char c : last_part(text)) {
    if (c != '_') {
      name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
  }
  return name == "meansquarederror" ? "mse" : name == "meanabsoluteerror" ? "mae" : name;
}

Value call_compile(Operation &op) {
  const Value model = op.arg("self");
  if (model.is(Tag::Object)) {
    const std::string name = loss_name(op.arg("loss"));
    set(op, *model.object, "*loss", name.empty() ? Value() : Value::of_text(intern(name)));
  }
  return Value::none();
}

void check_labels(Operation &op, const Object &model, const Tensor &labels) {
  const Value output = get(model, "output");
  const Value loss = get(model, "*loss");
  if (!output.is(Tag::Tensor) || !output.tensor->shape.is_known() || !labels.shape.is_known() || !loss.is(Tag::Str)) {
    return;
  }
  const Shape &out = output.tensor->shape;
  std::vector<Dim> got = dims_of(labels.shape);
  if (got.size() == 1) {
    got.push_back(Dim::of(1)); // Keras does
  }
  if (out.rank() < 2 || got.empty() || !out.from_end(0).is_constant()) {
    return;
  }
  const i64 classes = out.from_end(0).value;
  const bool same_rank = got.size() == out.rank();
  const Dim last = got.back();
  const std::string_view name = loss.text();
  std::string message;
  std::string advice;
  const std::string shapes =
      fmt::format("labels {} and an output of {}", op.in.text_of(labels), op.in.text_of(*output.tensor));
  if (name == "categoricalcrossentropy") {
    if (same_rank && last.is_constant() && last.value != classes) {
      message = fmt::format("categorical_crossentropy takes one-hot labels, and gets {}", shapes);
      advice = last.is(1) ? "use sparse_categorical_crossentropy, or to_categorical on the labels"
                          : fmt::format("the last layer needs {} units", last.value);
    }
  } else if (name == "sparsecategoricalcrossentropy") {
    if (same_rank && last.is_constant() && last.value > 1 && classes > 1) {
      message = fmt::format("sparse_categorical_crossentropy takes class numbers, and gets {}", shapes);
      advice = "use categorical_crossentropy for one-hot labels, or argmax(axis=-1) of them";
    }
  } else if (name == "binarycrossentropy" || name == "mse" || name == "mae") {
    const bool is_binary = name == "binarycrossentropy";
    if (same_rank && last.is_constant() && last.value != classes && !last.is(1) && (classes != 1 || is_binary)) {
      message = fmt::format("{} compares values one by one, and gets {}",
                            is_binary ? std::string_view("binary_crossentropy") : name, shapes);
      advice = fmt::format("the last layer needs {} units", last.value);
    }
  }
  if (message.empty()) {
    return;
  }
  if (Problem *problem = op.in.report(Fault::LossTargetShape, op.place("y"), std::move(message))) {
    op.in.tell_chain(*problem, *output.tensor);
    op.in.tell_chain(*problem, labels);
    problem->advice = std::move(advice);
  }
}

bool meet(Operation &op, std::string_view input_name) {
  const Value model = op.arg("self");
  const Value data = op.arg(input_name);
  if (!model.is(Tag::Object) || !data.is(Tag::Tensor)) {
    return false;
  }
  if (!check_data(op, *model.object, *data.tensor, input_name)) {
    return false;
  }
  if (model.object->content.api.text().ends_with("Sequential")) {
    const std::size_t before = op.in.problems.size();
    run_layers(op, *model.object, *data.tensor);
    return op.in.problems.size() == before;
  }
  return true;
}

Value call_fit(Operation &op) {
  const Value model = op.arg("self");
  const Value data = op.arg("x");
  const Value labels = op.arg("y");
  if (!meet(op, "x") && data.is(Tag::Tensor)) {
    return {};
  }
  if (!model.is(Tag::Object) || !labels.is(Tag::Tensor)) {
    return {};
  }
  check_labels(op, *model.object, *labels.tensor);
  if (data.is(Tag::Tensor) && data.tensor->shape.is_known() && labels.tensor->shape.is_known() &&
      data.tensor->shape.rank() > 0 && labels.tensor->shape.rank() > 0) {
    const Dim a = data.tensor->shape.dims[0];
    const Dim b = labels.tensor->shape.dims[0];
    if (a.is_constant() && b.is_constant() && a != b) {
      if (Problem *problem = op.in.report(Fault::DataDoesNotFit, op.place("y"),
                                          fmt::format("there are {} examples and {} labels", a.value, b.value))) {
        op.in.tell_chain(*problem, *data.tensor);
        op.in.tell_chain(*problem, *labels.tensor);
        problem->advice = "x and y need the same first dimension";
      }
    }
  }
  return {};
}

Value call_predict(Operation &op) {
  const Value model = op.arg("self");
  const Value data = op.arg("x");
  const bool fits = meet(op, "x");
  if (!fits || !model.is(Tag::Object)) {
    return {};
  }
  return output_for(op, *model.object, data.tensor, Library::Numpy);
}

Value call_model(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  if (input != nullptr && !check_data(op, *op.layer, *input, "inputs")) {
    return {};
  }
  return output_for(op, *op.layer, input, Library::TensorFlow);
}

Value call_to_categorical(Operation &op) {
  const Tensor *const labels = op.tensor("y");
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
    dims.push_back(op.dim("num_classes"));
    tensor.shape = op.in.heap.shape(dims);
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
Value call_train_test_split(Operation &op) {
  std::vector<Value> parts;
  for (const Value &value : op.rest) {
    const Tensor *const tensor = value.is(Tag::Tensor) ? value.tensor : nullptr;
    for (int i = 0; i < 2; ++i) {
      if (tensor == nullptr) {
        parts.emplace_back();
        continue;
      }
      Shape shape = tensor->shape;
      if (shape.is_known() && shape.rank() > 0) {
        std::vector<Dim> dims = dims_of(shape);
        dims[0] = Dim{};
        shape = op.in.heap.shape(dims);
      } else {
        shape = {};
      }
      parts.push_back(op.like(*tensor, shape));
    }
  }
  return op.in.heap.new_list(std::move(parts));
}

constexpr TransferEntry kTable[] = {
    {"keras_input", call_input},
    {"keras_sequential", call_sequential, make_sequential},
    {"keras_model", call_model, make_model},
    {"keras_add", call_add},
    {"keras_forget", call_forget},
    {"keras_compile", call_compile},
    {"keras_fit", call_fit},
    {"keras_predict", call_predict},
    {"to_categorical", call_to_categorical},
    {"keras_mnist", call_mnist},
    {"keras_cifar", call_cifar},
    {"train_test_split", call_train_test_split},
};

} // namespace

std::span<const TransferEntry> keras_model_transfers() { return kTable; }

} // namespace deepperf::shapes
