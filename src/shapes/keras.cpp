// What the files about Keras share: what layers were given, and layers of the program's own.
#include "shapes/keras.h"

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

Value keras_argument(Interpreter &in, const Object &layer, std::string_view name) {
  const Spec *const spec = layer.content.api ? in.spec_of(layer.content.api) : nullptr;
  if (spec != nullptr) {
    for (std::size_t i = 0; i < spec->make.size() && i < layer.content.args.size(); ++i) {
      if (spec->make[i].name.text() == name) {
        return layer.content.args[i];
      }
    }
  }
  return {};
}

bool is_keras(const Value &value) {
  return value.is(Tag::Object) && value.object->content.api &&
         value.object->content.api.text().starts_with("tensorflow.keras.");
}

std::optional<Shape> keras_shape(Interpreter &in, const Value &value, bool with_batch) {
  if (!value.is_sequence() || value.list->content.is_open) {
    return {};
  }
  std::vector<Dim> dims;
  if (with_batch) {
    dims.push_back(in.fresh("N"));
  }
  for (const Value &item : value.list->content.items) {
    if (!item.is(Tag::Int) && !item.is(Tag::None) && !item.is_unknown() && !item.is(Tag::Opaque)) {
      return {};
    }
    const Dim dim = item.is(Tag::Int) ? item.dim() : Dim{};
    dims.push_back(dim.is_constant() && dim.value < 1 ? Dim{} : dim);
  }
  return in.heap.shape(dims);
}

std::optional<Shape> keras_input_shape(Interpreter &in, const Object &layer) {
  if (const Value shape = keras_argument(in, layer, "input_shape"); shape.is_sequence()) {
    return keras_shape(in, shape, true);
  }
  if (const Value shape = keras_argument(in, layer, "batch_input_shape"); shape.is_sequence()) {
    return keras_shape(in, shape, false);
  }
  const Value length = keras_argument(in, layer, "input_length");
  const bool is_embedding = layer.content.api && layer.content.api.text().ends_with(".Embedding");
  if (is_embedding) {
    return in.heap.shape({in.fresh("N"), length.is(Tag::Int) ? length.dim() : Dim{}});
  }
  if (const Value size = keras_argument(in, layer, "input_dim"); size.is(Tag::Int)) {
    if (length.is(Tag::Int)) {
      return in.heap.shape({in.fresh("N"), length.dim(), size.dim()});
    }
    const std::string_view api = layer.content.api.text();
    if (api.ends_with(".Dense")) {
      return in.heap.shape({in.fresh("N"), size.dim()});
    }
  }
  return {};
}

void keras_prepare(Interpreter &in, Object &layer, Arguments &arguments) {
  for (Value &value : arguments.positional) {
    if (value.is(Tag::Tensor) && value.tensor->library == Library::Numpy) {
      Tensor tensor = *value.tensor;
      tensor.library = Library::TensorFlow;
      tensor.dtype = Dtype::Unknown; // floats become those of the layer
      value = in.plain_tensor(tensor);
    }
  }
  FunctionObject *const build = in.find_method(*layer.type, intern("build"));
  if (build == nullptr || arguments.positional.empty() || keras_get(layer, "*prepared").is(Tag::Bool)) {
    return;
  }
  keras_set(in, layer, "*prepared", Value::of_bool(true));
  const auto shape_of = [&](const Value &value) {
    const Tensor *const tensor = in.as_tensor(value);
    return tensor != nullptr ? in.shape_value(value, *tensor) : Value();
  };
  const Value first = arguments.positional[0];
  Value shape = shape_of(first);
  if (first.is_sequence() && !first.list->content.is_open) {
    std::vector<Value> shapes;
    for (const Value &item : first.list->content.items) {
      shapes.push_back(shape_of(item));
    }
    shape = in.heap.new_list(std::move(shapes));
  }
  Arguments given;
  given.positional = {Value::of(&layer), shape};
  in.call_function(*build, given, nullptr);
}

Value keras_get(const Object &object, std::string_view name) {
  const auto found = object.content.attributes.find(intern(name).id);
  return found != object.content.attributes.end() ? found->second : Value();
}

void keras_set(Interpreter &in, Object &object, std::string_view name, const Value &value) {
  in.heap.change(object).attributes[intern(name).id] = value;
}

} // namespace deepperf::shapes
