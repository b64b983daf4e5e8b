// Where data meets a model of Keras: fit, evaluate, predict, and losses.
#include "shapes/keras.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// ---- Losses

// The name of a loss in small letters without underscores; empty if it is not known.
std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : last_part(text)) {
    if (c != '_') {
      name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
  }
  return name == "meansquarederror" ? "mse" : name == "meanabsoluteerror" ? "mae" : name;
}

std::string loss_name(const Value &loss) {
  if (loss.is(Tag::Str) || loss.is(Tag::Api)) {
    return plain_name(loss.text());
  }
  if (loss.is(Tag::Object) && loss.object->type == nullptr && loss.object->content.api) {
    return plain_name(loss.object->content.api.text());
  }
  return {};
}

// Whether a tensor comes out of a sigmoid: versions differ in what they make of other outputs.
bool is_sigmoid(Operation &op, const Tensor &output) {
  if (output.step == Tensor::kNoStep) {
    return false;
  }
  const Step &step = op.in.steps[output.step];
  if (step.layer == nullptr) {
    return step.operation.text().ends_with("sigmoid");
  }
  const Value activation = keras_argument(op.in, *step.layer, "activation");
  return (activation.is(Tag::Str) || activation.is(Tag::Api)) && last_part(activation.text()) == "sigmoid";
}

struct Verdict {
  std::string message;
  std::string advice;
};

Verdict judge(Operation &op, std::string_view name, const Tensor &labels, const Tensor &output, bool adds_column) {
  const Shape &out = output.shape;
  std::vector<Dim> got = dims_in(labels.shape);
  if (got.size() == 1 && adds_column && out.rank() == 2) {
    got.push_back(Dim::of(1));
  }
  if (out.rank() < 2 || got.empty()) {
    return {};
  }
  if (got.size() == out.rank() + 1 && got.back().is(1)) {
    got.pop_back(); // Keras does
  }
  Terms &terms = op.in.terms;
  const Dim classes = out.from_end(0);
  const Dim last = got.back();
  const bool same_rank = got.size() == out.rank();
  const std::string shapes = fmt::format("labels {} and an output of {}", op.in.text_of(labels), op.in.text_of(output));
  // A last dimension of 1 is dropped or added where the ranks differ by one.
  const bool may_be_squeezed =
      (got.size() + 1 == out.rank() && classes.is(1)) || (out.rank() + 1 == got.size() && last.is(1)) ||
      (got.size() + 1 == out.rank() && !classes.is_constant()) || (out.rank() + 1 == got.size() && !last.is_constant());
  const auto differ_inside = [&] {
    for (u32 i = 1; same_rank && i + 1 < out.rank(); ++i) {
      if (terms.differ(got[i], out.dims[i]) && !got[i].is(1) && !out.dims[i].is(1)) {
        return true;
      }
    }
    return false;
  };
  if (name == "categoricalcrossentropy") {
    if (same_rank && (terms.differ(last, classes) || differ_inside())) {
      return {fmt::format("categorical_crossentropy takes one-hot labels, and gets {}", shapes),
              last.is(1) ? "use sparse_categorical_crossentropy, or to_categorical on the labels"
                         : fmt::format("the last layer needs {} units", terms.text(last))};
    }
    if (!same_rank && !may_be_squeezed) {
      return {fmt::format("categorical_crossentropy takes one-hot labels, and gets {}", shapes),
              got.size() < out.rank() && out.rank() > 2
                  ? "put Flatten() or a global pooling layer before the last Dense layers"
                  : "use sparse_categorical_crossentropy for class numbers"};
    }
  } else if (name == "sparsecategoricalcrossentropy") {
    if (same_rank && terms.is_at_least(last, 2) && terms.is_at_least(classes, 2)) {
      return {fmt::format("sparse_categorical_crossentropy takes class numbers, and gets {}", shapes),
              "use categorical_crossentropy for one-hot labels, or argmax(axis=-1) of them"};
    }
    if (out.rank() > 2 && got.size() == 2 && last.is(1) && labels.shape.rank() <= 2 && out.rank() > 3) {
      return {
          fmt::format("sparse_categorical_crossentropy takes one class number for each output, and gets {}", shapes),
          "put Flatten() or a global pooling layer before the last Dense layers"};
    }
  } else if (name == "binarycrossentropy" || name == "mse" || name == "mae") {
    const bool is_binary = name == "binarycrossentropy";
    const bool fits_last = !terms.differ(last, classes) || last.is(1) || classes.is(1);
    const bool is_checked = is_binary && terms.differ(last, classes) && is_sigmoid(op, output);
    if (same_rank && (!fits_last || is_checked || differ_inside())) {
      return {fmt::format("{} compares values one by one, and gets {}",
                          is_binary ? std::string_view("binary_crossentropy") : name, shapes),
              fits_last && !is_checked ? "make the model give the shape of the labels"
                                       : fmt::format("the last layer needs {} units", terms.text(last))};
    }
  }
  return {};
}

void check_labels(Operation &op, std::string_view loss, const Tensor &labels, const Tensor &output, bool adds_column,
                  std::string_view place) {
  if (!labels.shape.is_known() || !output.shape.is_known()) {
    return;
  }
  Verdict verdict = judge(op, loss, labels, output, adds_column);
  if (verdict.message.empty()) {
    return;
  }
  if (Problem *problem = op.in.report(Fault::LossTargetShape, op.place(place), std::move(verdict.message))) {
    op.in.tell_chain(*problem, output);
    op.in.tell_chain(*problem, labels);
    problem->advice = std::move(verdict.advice);
  }
}

// loss_fn(y_true, y_pred), of a class or a function
Value call_loss(Operation &op) {
  const Tensor *const labels = converted(op, "y_true");
  const Tensor *const output = converted(op, "y_pred");
  if (labels != nullptr && output != nullptr) {
    const std::string name =
        plain_name(op.layer != nullptr && op.layer->content.api ? op.layer->content.api.text() : op.api.text());
    check_labels(op, name, *labels, *output, false, "y_true");
  }
  return made(op, {}, Dtype::Unknown, {output});
}

Value call_compile(Operation &op) {
  const Value model = op.arg("self");
  if (model.is(Tag::Object)) {
    const std::string name = loss_name(op.arg("loss"));
    keras_set(op.in, *model.object, "*loss", name.empty() ? Value() : Value::of_text(intern(name)));
  }
  return Value::none();
}

// ---- Inputs

// Whether an array has the shape that the model's input has. Keras adds or drops a last dimension of 1.
bool check_input(Operation &op, const Tensor &wanted, const Tensor &data, const Node *place) {
  if (!wanted.shape.is_known() || !data.shape.is_known()) {
    return true;
  }
  const Shape &want = wanted.shape;
  const Shape &got = data.shape;
  bool fits = true;
  if (want.rank() == got.rank()) {
    for (u32 i = 1; i < want.rank(); ++i) {
      const bool is_last_one = i + 1 == want.rank() && want.dims[i].is(1); // it is not compared
      if (op.in.terms.differ(want.dims[i], got.dims[i]) && want.dims[i].is_constant() && !is_last_one) {
        fits = false;
      }
    }
  } else if (want.rank() + 1 == got.rank()) {
    fits = !got.from_end(0).is_constant() || got.from_end(0).is(1);
  } else if (got.rank() + 1 == want.rank()) {
    fits = !want.from_end(0).is_constant() || want.from_end(0).is(1);
    if (fits && want.from_end(0).is(1)) { // a last dimension is added, and the others must fit
      for (u32 i = 1; i < got.rank(); ++i) {
        fits = fits && !op.in.terms.differ(want.dims[i], got.dims[i]);
      }
    }
  } else {
    fits = got.rank() == 0;
  }
  if (fits) {
    return true;
  }
  if (Problem *problem =
          op.in.report(Fault::DataDoesNotFit, place,
                       fmt::format("the model takes {}, and gets {}", op.in.text_of(want), op.in.text_of(got)))) {
    op.in.tell_chain(*problem, data);
    problem->advice = got.rank() + 1 == want.rank()
                          ? "the first dimension is the batch: add the missing dimension with np.expand_dims or reshape"
                          : "reshape the data, or change the input shape of the model";
  }
  return false;
}

// Tensors in a list, or one of its own.
bool tensors_in(const Value &value, std::vector<const Tensor *> &tensors) {
  if (value.is(Tag::Tensor)) {
    tensors.push_back(value.tensor);
    return true;
  }
  if (!value.is_sequence() || value.list->content.is_open || value.list->content.items.empty()) {
    return false;
  }
  for (const Value &item : value.list->content.items) {
    if (!item.is(Tag::Tensor)) {
      return false;
    }
    tensors.push_back(item.tensor);
  }
  return true;
}

bool check_inputs(Operation &op, const Object &model, const Value &data, std::string_view name) {
  std::vector<const Tensor *> wanted;
  std::vector<const Tensor *> given;
  const Value input = keras_get(model, "input");
  if (!keras_get(model, "outputs").is_unknown()) {
    return true; // the program has cut the model
  }
  if (!tensors_in(input, wanted) || !tensors_in(data, given)) {
    return true;
  }
  if (wanted.size() != given.size()) {
    // A list of rows is one array to some versions.
    const bool is_certain = wanted.size() > 1 && (data.is(Tag::Tensor) || data.is_sequence());
    if (!is_certain) {
      return true;
    }
    if (Problem *problem =
            op.in.report(Fault::DataDoesNotFit, op.place(name),
                         fmt::format("the model takes {} inputs, and gets {}", wanted.size(), given.size()))) {
      op.in.tell_chain(*problem, *given[0]);
      problem->advice = "pass a list with one array for each input";
    }
    return false;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!check_input(op, *wanted[i], *given[i], op.place(name))) {
      return false;
    }
  }
  return true;
}

// As a batch that a model gets: a tensor of TensorFlow, whatever dtype it will have.
Value as_batch(Operation &op, const Value &data) {
  if (data.is(Tag::Tensor)) {
    Tensor tensor = *data.tensor;
    tensor.library = Library::TensorFlow;
    tensor.dtype = Dtype::Unknown;
    if (tensor.shape.is_known() && tensor.shape.rank() > 0) {
      std::vector<Dim> dims = dims_in(tensor.shape);
      dims[0] = op.in.fresh("N");
      tensor.shape = op.in.heap.shape(dims);
    }
    return op.in.plain_tensor(tensor);
  }
  if (data.is_sequence() && !data.list->content.is_open) {
    std::vector<Value> items;
    for (const Value &item : data.list->content.items) {
      items.push_back(as_batch(op, item));
    }
    return op.in.heap.new_list(std::move(items), data.tag);
  }
  return {};
}

// What the model gives for the data. Nothing if it does not take it, which was reported then.
std::optional<Value> run(Operation &op, Object &model, const Value &data, std::string_view name) {
  const std::size_t before = op.in.problems.size();
  if (model.type != nullptr) {
    // A train_step of its own takes data as it likes.
    if (op.in.find_method(*model.type, intern("call")) == nullptr ||
        op.in.find_method(*model.type, intern("train_step")) != nullptr ||
        (!data.is(Tag::Tensor) && !data.is_sequence())) {
      return Value();
    }
    Arguments arguments;
    arguments.positional.push_back(as_batch(op, data));
    const Value output = op.in.call_object(model, arguments, op.node);
    return op.in.problems.size() == before ? std::optional(output) : std::nullopt;
  }
  if (!check_inputs(op, model, data, name)) {
    return {};
  }
  if (model.content.api && model.content.api.text().ends_with("Sequential") && data.is(Tag::Tensor)) {
    const Value output = keras_run_layers(op, model, *data.tensor);
    if (op.in.problems.size() != before) {
      return {};
    }
    if (output.is(Tag::Tensor)) {
      return output;
    }
  }
  return keras_get(model, "output");
}

void check_counts(Operation &op, const Value &data, const Value &labels) {
  std::vector<const Tensor *> given;
  if (!tensors_in(data, given) || !labels.is(Tag::Tensor)) {
    return;
  }
  const Tensor &x = *given[0];
  const Tensor &y = *labels.tensor;
  if (!x.shape.is_known() || !y.shape.is_known() || x.shape.rank() == 0 || y.shape.rank() == 0) {
    return;
  }
  const Dim a = x.shape.dims[0];
  const Dim b = y.shape.dims[0];
  if (a.is_constant() && b.is_constant() && a != b) {
    if (Problem *problem = op.in.report(Fault::DataDoesNotFit, op.place("y"),
                                        fmt::format("there are {} examples and {} labels", a.value, b.value))) {
      op.in.tell_chain(*problem, x);
      op.in.tell_chain(*problem, y);
      problem->advice = "x and y need the same first dimension";
    }
  }
}

void meet(Operation &op, Object &model, const Value &data, const Value &labels, std::string_view name) {
  const auto output = run(op, model, data, name);
  if (!output) {
    return;
  }
  const Value loss = keras_get(model, "*loss");
  if (output->is(Tag::Tensor) && labels.is(Tag::Tensor) && loss.is(Tag::Str)) {
    check_labels(op, loss.text(), *labels.tensor, *output->tensor, true, name == "x" ? "y" : name);
  }
  check_counts(op, data, labels);
}

// The elements of a dataset or generator: batches of examples and labels.
bool element_of(const Value &data, Value &examples, Value &labels) {
  if (!data.is(Tag::Object)) {
    return false;
  }
  const Value element = keras_get(*data.object, "*element");
  if (element.is(Tag::Tuple) && !element.list->content.is_open && element.list->content.items.size() >= 2) {
    examples = element.list->content.items[0];
    labels = element.list->content.items[1];
    return true;
  }
  examples = element;
  return !element.is_unknown();
}

void fit(Operation &op, Object &model, const Value &data, const Value &labels, std::string_view name) {
  Value examples = data;
  Value targets = labels;
  if (data.is(Tag::Object) && !element_of(data, examples, targets)) {
    return;
  }
  meet(op, model, examples, targets, name);
}

Value call_fit(Operation &op) {
  const Value model = op.arg("self");
  if (!model.is(Tag::Object)) {
    return {};
  }
  const std::size_t before = op.in.problems.size();
  fit(op, *model.object, op.arg("x"), op.arg("y"), "x");
  const Value more = op.is_given("validation_data") ? op.arg("validation_data") : Value();
  if (op.in.problems.size() != before) {
    return {};
  }
  if (more.is(Tag::Tuple) && !more.list->content.is_open && more.list->content.items.size() >= 2) {
    fit(op, *model.object, more.list->content.items[0], more.list->content.items[1], "validation_data");
  } else if (more.is(Tag::Object)) {
    fit(op, *model.object, more, {}, "validation_data");
  }
  return {};
}

Value call_predict(Operation &op) {
  const Value model = op.arg("self");
  Value data = op.arg("x");
  Value labels;
  if (!model.is(Tag::Object) || (data.is(Tag::Object) && !element_of(data, data, labels))) {
    return {};
  }
  const auto output = run(op, *model.object, data, "x");
  if (!output || !output->is(Tag::Tensor) || !output->tensor->shape.is_known() || output->tensor->shape.rank() == 0) {
    return {};
  }
  std::vector<const Tensor *> given;
  std::vector<Dim> dims = dims_in(output->tensor->shape);
  const bool has_count = tensors_in(data, given) && given[0]->shape.is_known() && given[0]->shape.rank() > 0 &&
                         !op.arg("x").is(Tag::Object);
  dims[0] = has_count ? given[0]->shape.dims[0] : Dim{};
  Tensor tensor;
  tensor.library = Library::Numpy;
  tensor.dtype = Dtype::Float32;
  tensor.shape = op.in.heap.shape(dims);
  return op.result(tensor, given);
}

// A model that is called as a layer.
Value call_model(Operation &op) {
  const Value inputs = op.arg("inputs");
  if (!check_inputs(op, *op.layer, inputs, "inputs")) {
    return {};
  }
  const Value output = keras_get(*op.layer, "output");
  const Value wanted = keras_get(*op.layer, "input");
  if (!output.is(Tag::Tensor) || !output.tensor->shape.is_known() || output.tensor->shape.rank() == 0) {
    return {};
  }
  std::vector<const Tensor *> given;
  tensors_in(inputs, given);
  std::vector<Dim> dims = dims_in(output.tensor->shape);
  const bool keeps_batch = wanted.is(Tag::Tensor) && wanted.tensor->shape.is_known() &&
                           wanted.tensor->shape.rank() > 0 && wanted.tensor->shape.dims[0] == dims[0];
  dims[0] = keeps_batch && !given.empty() && given[0]->shape.is_known() && given[0]->shape.rank() > 0
                ? given[0]->shape.dims[0]
                : Dim{};
  return made(op, op.in.heap.shape(dims), Dtype::Unknown, given);
}

constexpr TransferEntry kTable[] = {
    {"keras_model", call_model, keras_make_model},
    {"keras_compile", call_compile},
    {"keras_loss", call_loss},
    {"keras_fit", call_fit},
    {"keras_predict", call_predict},
};

} // namespace

std::span<const TransferEntry> keras_fit_transfers() { return kTable; }

} // namespace deepperf::shapes
