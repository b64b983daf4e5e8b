// Where data meets a model of Keras: fit, evaluate, predict, and losses.
#include "shapes/frames.h"
#include "shapes/keras.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace keras_fit {
namespace {

Value call_compile(Operation &op) {
  const Value model = op.arg("self");
  if (model.is(Tag::Object)) {
    const Value loss = op.arg("loss");
    const auto one = [](const Value &value) {
      if (value.is(Tag::Function)) {
        return value; // of the program: it is run where labels meet the output
      }
      const std::string name = keras_loss_name(value);
      return name.empty() ? Value() : Value::of_text(intern(name));
    };
    Value known = one(loss);
    if (loss.is_sequence() && !loss.list->content.is_open) { // one for each output
      std::vector<Value> names;
      for (const Value &value : loss.list->content.items) {
        names.push_back(one(value));
      }
      known = names.size() == 1 ? names[0] : op.in.heap.new_list(std::move(names));
    }
    keras_set(op.in, *model.object, "*loss", known);
  }
  return Value::none();
}

// ---- Inputs

bool sizes_fit(Operation &op, const Shape &want, const Shape &got, u32 count) {
  for (u32 i = 1; i < count; ++i) {
    if (want.dims[i].is_constant() && op.in.terms.differ(want.dims[i], got.dims[i])) {
      return false;
    }
  }
  return true;
}

// Whether an array has the shape that the model's input has. Keras adds or drops a last dimension of 1; old versions do
// not, where arrays are fed.
bool check_input(Operation &op, const Tensor &wanted, const Tensor &data, const Node *place, bool is_fed) {
  if (!wanted.shape.is_known() || !data.shape.is_known()) {
    return true;
  }
  const Shape &want = wanted.shape;
  const Shape &got = data.shape;
  bool fits = true;
  bool depends = false; // on the version
  if (want.rank() == got.rank()) {
    const bool is_column = want.rank() > 1 && want.from_end(0).is(1); // its size is not compared
    fits = sizes_fit(op, want, got, want.rank() - (is_column ? 1 : 0));
    depends = is_column && !got.from_end(0).is(1) && got.from_end(0).is_constant();
  } else if (want.rank() + 1 == got.rank()) {
    fits = !got.from_end(0).is_constant() || got.from_end(0).is(1);
    depends = got.from_end(0).is(1);
  } else if (got.rank() + 1 == want.rank()) {
    fits = !want.from_end(0).is_constant() || want.from_end(0).is(1);
    // A vector becomes a column.
    depends = want.from_end(0).is(1) && got.rank() > 1;
    if (fits && want.from_end(0).is(1)) { // a last dimension is added, and the others must fit
      fits = sizes_fit(op, want, got, got.rank());
    }
  } else {
    fits = got.rank() == 0;
  }
  if (fits && depends && is_fed && keras_is_strict(op.in)) {
    fits = false;
  }
  if (fits) {
    return true;
  }
  if (Problem *problem =
          op.in.report(Fault::DataDoesNotFit, place,
                       fmt::format("the model takes {}, but gets {}", op.in.text_of(want), op.in.text_of(got)))) {
    op.in.add_chain(*problem, data);
    problem->advice = got.rank() + 1 == want.rank()
                          ? "the first dimension is the batch: add the missing dimension with np.expand_dims or reshape"
                          : "reshape the data, or change the input shape of the model";
  }
  return false;
}

// Arrays in a list, or one of its own: of NumPy, of pandas, or lists of numbers.
bool tensors_in(Operation &op, const Value &value, std::vector<const Tensor *> &tensors) {
  if (value.is(Tag::Tensor)) {
    tensors.push_back(value.tensor);
    return true;
  }
  if (const Tensor *const array = array_in(value)) {
    tensors.push_back(array);
    return true;
  }
  if (!value.is_sequence() || value.list->content.is_open || value.list->content.items.empty()) {
    return false;
  }
  const std::vector<Value> &items = value.list->content.items;
  if (std::ranges::all_of(items, [](const Value &item) { return item.is(Tag::Tensor) || is_frame(item); })) {
    for (const Value &item : items) {
      tensors.push_back(op.in.as_tensor(item));
    }
    return true;
  }
  // Rows of numbers are one array, or as many inputs of one dimension, as versions have it: a model that takes neither
  // is the same to all of them.
  const bool are_rows = std::ranges::all_of(items, [](const Value &item) {
    return item.is_sequence() && !item.list->content.is_open && !item.list->content.items.empty() &&
           std::ranges::all_of(item.list->content.items,
                               [](const Value &number) { return number.is(Tag::Int) || number.is(Tag::Float); });
  });
  const Tensor *const array = are_rows ? converted(op, value, Library::Numpy) : nullptr;
  if (array == nullptr || !array->shape.is_known()) {
    return false;
  }
  tensors.push_back(array);
  return true;
}

bool check_inputs(Operation &op, const Object &model, const Value &data, std::string_view name) {
  std::vector<const Tensor *> wanted;
  std::vector<const Tensor *> given;
  const Value input = keras_get(model, "input");
  if (!keras_get(model, "outputs").is_unknown()) {
    return true; // the program has cut the model
  }
  if (!tensors_in(op, input, wanted) || !tensors_in(op, data, given)) {
    return true;
  }
  if (wanted.size() != given.size()) {
    // A list of rows is one array to some versions.
    const bool is_certain = wanted.size() > 1 && (data.is(Tag::Tensor) || is_frame(data) || data.is_sequence());
    if (!is_certain) {
      return true;
    }
    if (Problem *problem =
            op.in.report(Fault::DataDoesNotFit, op.place(name),
                         fmt::format("the model takes {} inputs, but gets {}", wanted.size(), given.size()))) {
      op.in.add_chain(*problem, *given[0]);
      problem->advice = "pass a list with one array for each input";
    }
    return false;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!check_input(op, *wanted[i], *given[i], op.place(name), name != "inputs")) {
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
  if (model.type != nullptr && is_frame(data)) {
    return run(op, model, op.in.plain_tensor(*array_in(data)), name);
  }
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
  std::vector<const Tensor *> given;
  if (model.content.api && model.content.api.text().ends_with("Sequential") && tensors_in(op, data, given) &&
      given.size() == 1) {
    const Value output = keras_run_layers(op, model, *given[0]);
    if (op.in.problems.size() != before) {
      return {};
    }
    if (output.is(Tag::Tensor)) {
      return output;
    }
  }
  return keras_get(model, "output");
}

Dim rows_in(const Tensor &tensor) {
  return tensor.shape.is_known() && tensor.shape.rank() > 0 ? tensor.shape.dims[0] : Dim{};
}

void check_counts(Operation &op, const Value &data, const Value &labels) {
  std::vector<const Tensor *> given;
  std::vector<const Tensor *> targets;
  if (!tensors_in(op, data, given) || !tensors_in(op, labels, targets)) {
    return;
  }
  const Tensor &x = *given[0];
  const Tensor &y = *targets[0];
  const Dim a = rows_in(x);
  const Dim b = rows_in(y);
  if (a.is_constant() && b.is_constant() && a != b) {
    if (Problem *problem = op.in.report(Fault::DataDoesNotFit, op.place("y"),
                                        fmt::format("there are {} examples and {} labels", a.value, b.value))) {
      op.in.add_chain(*problem, x);
      op.in.add_chain(*problem, y);
      problem->advice = "x and y need the same first dimension";
    }
  }
}

// How many examples one step takes: batch_size, or 32; fewer if there are fewer.
Dim batch_of(Operation &op, const Value &data, std::string_view name) {
  std::vector<const Tensor *> given;
  if (name == "generator" || !tensors_in(op, data, given)) {
    return {};
  }
  const Dim rows = rows_in(*given[0]);
  if (op.short_name() == "train_on_batch" || op.short_name() == "test_on_batch") {
    return rows;
  }
  const Value size = op.arg("batch_size");
  const Dim batch = size.is(Tag::Int) ? size.dim() : size.is(Tag::None) ? Dim::of(32) : Dim{};
  return rows.is_constant() && batch.is_constant() ? Dim::of(std::min(rows.value, batch.value)) : batch;
}

// A loss of the program's own, with the labels and the output of one step. Versions differ in what they do to labels of
// another rank than the output.
void run_loss(Operation &op, FunctionObject &loss, const Tensor &labels, const Tensor &output) {
  if (!labels.shape.is_known() || !output.shape.is_known() || labels.shape.rank() != output.shape.rank() ||
      output.shape.rank() < 2) {
    return;
  }
  const Dim batch = op.in.fresh("N");
  Arguments arguments;
  for (const Tensor *tensor : {&labels, &output}) {
    Tensor part = *tensor;
    std::vector<Dim> dims = dims_in(part.shape);
    dims[0] = batch;
    part.shape = op.in.heap.shape(dims);
    part.library = Library::TensorFlow;
    part.dtype = Dtype::Unknown;
    part.is_parameter = false;
    arguments.positional.push_back(op.in.plain_tensor(part));
  }
  op.in.call_function(loss, arguments, op.node);
}

// Several outputs have a list of labels, and one loss or a list of them.
void check_each(Operation &op, const Value &outputs, const Value &labels, const Value &loss, Dim batch,
                std::string_view place) {
  const auto part = [](const Value &value, std::size_t i) {
    if (!value.is_sequence()) {
      return value;
    }
    const ListContent &content = value.list->content;
    return !content.is_open && i < content.items.size() ? content.items[i] : Value();
  };
  const bool are_many = outputs.is_sequence() && !outputs.list->content.is_open;
  const std::size_t count = are_many ? outputs.list->content.items.size() : 1;
  std::vector<const Tensor *> targets;
  if (!tensors_in(op, labels, targets)) {
    return;
  }
  if (targets.size() != count) {
    if (count > 1 && targets.size() == 1 && keras_is_strict(op.in)) {
      if (Problem *problem = op.in.report(Fault::DataDoesNotFit, op.place(place),
                                          fmt::format("the model has {} outputs, but gets labels for one: {}", count,
                                                      op.in.text_of(*targets[0])))) {
        problem->advice = "pass a list with one array for each output";
      }
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Value output = are_many ? part(outputs, i) : outputs;
    const Value name = part(loss, i);
    const std::size_t before = op.in.problems.size();
    if (output.is(Tag::Tensor) && name.is(Tag::Function)) {
      run_loss(op, *name.function, *targets[i], *output.tensor);
    }
    if (!output.is(Tag::Tensor) || !name.is(Tag::Str)) {
      continue;
    }
    const bool is_fed = targets[i]->library == Library::Numpy;
    keras_check_labels(op, name.text(), {*targets[i], *output.tensor, batch, true, is_fed && keras_is_strict(op.in)},
                       place);
    if (op.in.problems.size() != before) {
      return;
    }
  }
}

void meet(Operation &op, Object &model, const Value &data, const Value &labels, std::string_view name, Dim batch) {
  const auto output = run(op, model, data, name);
  if (!output) {
    return;
  }
  check_each(op, *output, labels, keras_get(model, "*loss"), batch, name == "x" ? "y" : name);
  check_counts(op, data, labels);
}

bool is_sequence_class(Operation &op, const Object &object) {
  return object.type != nullptr && (op.in.derives_from(*object.type, "tensorflow.keras.utils.Sequence") ||
                                    op.in.derives_from(*object.type, "tensorflow.keras.utils.PyDataset"));
}

// What one step takes of a dataset, a generator, or a Sequence of the program's own: examples and labels.
bool element_of(Operation &op, const Value &data, Value &examples, Value &labels) {
  Value element;
  if (data.is(Tag::List) && data.list->content.is_open && !data.list->content.items.empty()) {
    element = data.list->content.items[0]; // what a generator yields
    if (!element.is(Tag::Tuple)) {
      return false;
    }
  } else if (data.is(Tag::Object) && is_sequence_class(op, *data.object)) {
    Arguments arguments;
    arguments.positional.push_back(Value::of(op.in.fresh("i", 0)));
    element = op.in.call_method(*data.object, "__getitem__", arguments, nullptr);
  } else if (data.is(Tag::Object)) {
    element = keras_get(*data.object, "*element");
  } else {
    return false;
  }
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
  const bool is_open_list = data.is(Tag::List) && data.list->content.is_open;
  const bool is_generator = is_open_list || (data.is(Tag::Object) && !is_frame(data));
  if (is_generator && !element_of(op, data, examples, targets)) {
    return;
  }
  meet(op, model, examples, targets, name, is_generator ? Dim{} : batch_of(op, data, name));
}

Value call_fit(Operation &op) {
  const Value model = op.arg("self");
  if (!model.is(Tag::Object)) {
    return {};
  }
  const std::size_t before = op.in.problems.size();
  const bool is_named = op.is_given("generator"); // of fit_generator
  fit(op, *model.object, op.arg(is_named ? "generator" : "x"), op.arg("y"), is_named ? "generator" : "x");
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
  if (!model.is(Tag::Object) || (data.is(Tag::Object) && !is_frame(data) && !element_of(op, data, data, labels))) {
    return {};
  }
  const auto output = run(op, *model.object, data, "x");
  if (!output || !output->is(Tag::Tensor) || !output->tensor->shape.is_known() || output->tensor->shape.rank() == 0) {
    return {};
  }
  std::vector<const Tensor *> given;
  std::vector<Dim> dims = dims_in(output->tensor->shape);
  const bool has_count = tensors_in(op, data, given) && given[0]->shape.is_known() && given[0]->shape.rank() > 0 &&
                         (!op.arg("x").is(Tag::Object) || is_frame(op.arg("x")));
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
  tensors_in(op, inputs, given);
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
    {"keras_fit", call_fit},
    {"keras_predict", call_predict},
};

} // namespace
} // namespace keras_fit

std::span<const TransferEntry> keras_fit_transfers() { return keras_fit::kTable; }

} // namespace deepperf::shapes
