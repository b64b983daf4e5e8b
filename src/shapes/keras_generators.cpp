// What feeds models of Keras: tf.data and generators of images. An element is what one iteration gives.
#include "shapes/keras.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace keras_generators {
namespace {

Value dataset_of(Operation &op, std::string_view api, const Value &element) {
  Object *const object = op.in.heap.new_object(nullptr, intern(api));
  object->content.attributes[intern("*element").id] = element;
  return Value::of(object);
}

constexpr std::string_view kDataset = "tensorflow.data.Dataset";
constexpr std::string_view kIterator = "tensorflow.data.Iterator";

Value element_of(const Value &dataset) {
  return dataset.is(Tag::Object) ? keras_get(*dataset.object, "*element") : Value();
}

// Each tensor of a nested structure, changed.
template <class Change> Value each(Operation &op, const Value &value, Change change, u32 depth = 0) {
  if (value.is(Tag::Tensor)) {
    return change(*value.tensor);
  }
  if (depth > 4) {
    return {};
  }
  if (value.is(Tag::Tuple) && !value.list->content.is_open) {
    std::vector<Value> items;
    for (const Value &item : value.list->content.items) {
      items.push_back(each(op, item, change, depth + 1));
    }
    return op.in.heap.new_list(std::move(items), Tag::Tuple);
  }
  if (value.is(Tag::Dict)) {
    DictObject *const dict = op.in.heap.new_dict();
    for (const auto &[key, item] : value.dict->content.items) {
      dict->content.items.emplace_back(key, each(op, item, change, depth + 1));
    }
    dict->content.is_open = value.dict->content.is_open;
    return Value::of(dict);
  }
  if (value.is(Tag::List)) { // numbers
    const Tensor *const tensor = converted(op, value);
    return tensor != nullptr ? change(*tensor) : Value();
  }
  return {};
}

Value call_slices(Operation &op) {
  const Value tensors = op.arg("tensors");
  Dim count;
  bool fits = true;
  const Tensor *other = nullptr;
  const Tensor *first = nullptr;
  const Value element = each(op, tensors, [&](const Tensor &tensor) {
    if (!tensor.shape.is_known() || tensor.shape.rank() == 0) {
      return made(op, {}, tensor.dtype);
    }
    std::vector<Dim> dims = dims_in(tensor.shape);
    if (!count.is_known()) {
      count = dims[0];
      first = &tensor;
    } else if (fits && op.in.terms.differ(count, dims[0])) {
      fits = false;
      other = &tensor;
    }
    dims.erase(dims.begin());
    return made(op, op.in.heap.shape(dims), tensor.dtype, {&tensor});
  });
  if (!fits) {
    if (Problem *problem =
            op.report(Fault::DataDoesNotFit,
                      fmt::format("from_tensor_slices takes arrays with the same number of rows, but gets {} and {}",
                                  op.in.text_of(*first), op.in.text_of(*other)))) {
      op.in.add_chain(*problem, *first);
      op.in.add_chain(*problem, *other);
      problem->advice = "all arrays need the same first dimension";
    }
  }
  return dataset_of(op, kDataset, element);
}

// What output_signature=(tf.TensorSpec((28, 28), tf.float32), …) says of the elements.
Value of_signature(Operation &op, const Value &signature, u32 depth = 0) {
  if (signature.is(Tag::Object) && signature.object->content.api &&
      signature.object->content.api.text() == "tensorflow.TensorSpec") {
    const auto shape = keras_shape(op.in, keras_argument(op.in, *signature.object, "shape"), false);
    const Value dtype = keras_argument(op.in, *signature.object, "dtype");
    return made(op, shape ? *shape : Shape{}, short_dtype(op.in, dtype));
  }
  if (!signature.is_sequence() || signature.list->content.is_open || depth > 4) {
    return {};
  }
  std::vector<Value> items;
  for (const Value &item : signature.list->content.items) {
    items.push_back(of_signature(op, item, depth + 1));
  }
  return op.in.heap.new_list(std::move(items), Tag::Tuple);
}

// The same of output_shapes=([28, 28], []): a list of sizes is a shape, others hold shapes.
Value of_shapes(Operation &op, const Value &shapes, u32 depth = 0) {
  if (!shapes.is_sequence() || shapes.list->content.is_open || depth > 4) {
    return {};
  }
  const std::vector<Value> &items = shapes.list->content.items;
  if (std::ranges::all_of(items, [](const Value &item) { return item.is(Tag::Int) || item.is(Tag::None); })) {
    const auto shape = keras_shape(op.in, shapes, false);
    return made(op, shape ? *shape : Shape{}, Dtype::Unknown);
  }
  std::vector<Value> parts;
  for (const Value &item : items) {
    parts.push_back(of_shapes(op, item, depth + 1));
  }
  return op.in.heap.new_list(std::move(parts), Tag::Tuple);
}

Value call_from_generator(Operation &op) {
  const bool has_signature = op.is_given("output_signature");
  return dataset_of(op, kDataset,
                    has_signature                  ? of_signature(op, op.arg("output_signature"))
                    : op.is_given("output_shapes") ? of_shapes(op, op.arg("output_shapes"))
                                                   : Value());
}

Value call_tensors(Operation &op) {
  return dataset_of(op, kDataset, each(op, op.arg("tensors"), [&](const Tensor &tensor) {
                      return made(op, tensor.shape, tensor.dtype, {&tensor});
                    }));
}

Value call_batch(Operation &op) {
  const bool is_whole = op.truth("drop_remainder") == Truth::Yes;
  const Dim size = is_whole ? op.dim("batch_size") : op.in.fresh("N");
  const bool is_padded = op.short_name() == "padded_batch";
  return dataset_of(op, kDataset, each(op, element_of(op.arg("self")), [&](const Tensor &tensor) {
                      if (!tensor.shape.is_known()) {
                        return made(op, {}, tensor.dtype);
                      }
                      std::vector<Dim> dims = dims_in(tensor.shape);
                      if (is_padded) {
                        dims.assign(dims.size(), Dim{});
                      }
                      dims.insert(dims.begin(), size);
                      return made(op, op.in.heap.shape(dims), tensor.dtype, {&tensor});
                    }));
}

Value call_unbatch(Operation &op) {
  return dataset_of(op, kDataset, each(op, element_of(op.arg("self")), [&](const Tensor &tensor) {
                      if (!tensor.shape.is_known() || tensor.shape.rank() == 0) {
                        return made(op, {}, tensor.dtype);
                      }
                      std::vector<Dim> dims = dims_in(tensor.shape);
                      dims.erase(dims.begin());
                      return made(op, op.in.heap.shape(dims), tensor.dtype, {&tensor});
                    }));
}

Value call_map(Operation &op) {
  const Value function = op.arg("map_func");
  const Value element = element_of(op.arg("self"));
  if (element.is_unknown() || (!function.is(Tag::Function) && !function.is(Tag::Method))) {
    return dataset_of(op, kDataset, {});
  }
  Arguments arguments;
  if (element.is(Tag::Tuple)) {
    arguments.positional = element.list->content.items;
  } else {
    arguments.positional.push_back(element);
  }
  return dataset_of(op, kDataset, op.in.call(function, arguments, op.node));
}

Value call_zip(Operation &op) {
  std::vector<Value> sets = op.rest;
  if (sets.size() == 1 && sets[0].is_sequence()) {
    const Value list = sets[0];
    sets.clear();
    op.in.iterate(list, sets);
  }
  std::vector<Value> elements;
  for (const Value &set : sets) {
    elements.push_back(element_of(set));
  }
  return dataset_of(op, kDataset, elements.size() > 1 ? op.in.heap.new_list(std::move(elements), Tag::Tuple) : Value());
}

// shuffle, repeat, prefetch, …
Value call_same(Operation &op) { return op.arg("self"); }
Value call_iterator(Operation &op) { return dataset_of(op, kIterator, element_of(op.arg("self"))); }
Value call_next(Operation &op) { return element_of(op.arg("self")); }
Value call_nothing(Operation &) { return {}; }

// ---- Images from folders

Value array_of(Operation &op, std::vector<Dim> dims) {
  Tensor tensor;
  tensor.library = Library::Numpy;
  tensor.shape = op.in.heap.shape(dims);
  return op.result(tensor, {});
}

Value pictures(Operation &op, std::string_view size_name, std::string_view mode_name, std::string_view api) {
  const std::vector<Dim> size = op.sizes(size_name, 2);
  const Value color = op.arg("color_mode");
  const Value mode = op.arg(mode_name);
  const Dim channels = !color.is(Tag::Str)           ? Dim{}
                       : color.text() == "rgb"       ? Dim::of(3)
                       : color.text() == "rgba"      ? Dim::of(4)
                       : color.text() == "grayscale" ? Dim::of(1)
                                                     : Dim{};
  const Dim batch = op.in.fresh("N");
  const Value images = op.is_open ? Value() : array_of(op, {batch, size[0], size[1], channels});
  if (op.is_open || mode.is(Tag::None)) {
    return dataset_of(op, api, op.is_open ? Value() : images);
  }
  Value labels;
  if (mode.is(Tag::Str) && mode.number != 0) {
    const std::string_view text = mode.text();
    const bool is_generator = mode_name == "class_mode";
    // A folder holds at least two classes.
    labels = text == "categorical"               ? array_of(op, {batch, op.in.fresh("classes", 2)})
             : text == "sparse" || text == "int" ? array_of(op, {batch})
             : text == "binary"
                 ? array_of(op, is_generator ? std::vector<Dim>{batch} : std::vector<Dim>{batch, Dim::of(1)})
             : text == "input" ? images
                               : Value();
  }
  return dataset_of(op, api, op.in.heap.new_list({images, labels}, Tag::Tuple));
}

Value call_from_directory(Operation &op) { return pictures(op, "image_size", "label_mode", kDataset); }
Value call_flow_from_directory(Operation &op) { return pictures(op, "target_size", "class_mode", kIterator); }

bool check_pictures(Operation &op, const Value &data, std::string_view what) {
  if (!data.is(Tag::Tensor) || !data.tensor->shape.is_known() || data.tensor->shape.rank() == 4) {
    return true;
  }
  if (Problem *problem =
          op.report(Fault::WrongRank, fmt::format("{} takes [images, height, width, channels], but gets {}", what,
                                                  op.in.text_of(*data.tensor)))) {
    op.in.add_chain(*problem, *data.tensor);
    problem->advice = "add the channels: x.reshape(-1, height, width, 1)";
  }
  return false;
}

Value call_generator_fit(Operation &op) {
  check_pictures(op, op.arg("x"), "ImageDataGenerator.fit");
  return Value::none();
}

Value call_flow(Operation &op) {
  const Value x = op.arg("x");
  const Value y = op.arg("y");
  if (!check_pictures(op, x, "ImageDataGenerator.flow") || !x.is(Tag::Tensor)) {
    return dataset_of(op, kIterator, {});
  }
  if (const Tensor *const labels = op.in.as_tensor(y);
      labels != nullptr && labels->shape.is_known() && labels->shape.rank() > 0 && x.tensor->shape.is_known()) {
    const Dim examples = x.tensor->shape.dims[0];
    const Dim count = labels->shape.dims[0];
    if (examples.is_constant() && count.is_constant() && examples != count) {
      if (Problem *problem = op.report(
              Fault::DataDoesNotFit, fmt::format("there are {} examples and {} labels", examples.value, count.value))) {
        op.in.add_chain(*problem, *x.tensor);
        op.in.add_chain(*problem, *labels);
        problem->advice = "x and y need the same first dimension";
      }
      return dataset_of(op, kIterator, {});
    }
  }
  const Dim batch = op.in.fresh("N");
  const auto batched = [&](const Value &value) {
    if (!value.is(Tag::Tensor) || !value.tensor->shape.is_known() || value.tensor->shape.rank() == 0) {
      return Value();
    }
    std::vector<Dim> dims = dims_in(value.tensor->shape);
    dims[0] = batch;
    return array_of(op, dims);
  };
  const Value images = batched(x);
  return dataset_of(op, kIterator, y.is(Tag::None) ? images : op.in.heap.new_list({images, batched(y)}, Tag::Tuple));
}

// pad_sequences(sequences, maxlen=100)
Value call_pad_sequences(Operation &op) {
  std::vector<Value> items;
  const Value sequences = op.arg("sequences");
  const bool is_exact = sequences.is_sequence() && op.in.iterate(sequences, items);
  const bool is_array =
      sequences.is(Tag::Tensor) && sequences.tensor->shape.is_known() && sequences.tensor->shape.rank() > 0;
  const Dim length = op.arg("maxlen").is(Tag::Int) ? op.dim("maxlen") : Dim{};
  Tensor tensor;
  tensor.library = Library::Numpy;
  const Dim count = is_array   ? sequences.tensor->shape.dims[0]
                    : is_exact ? Dim::of(static_cast<i64>(items.size()))
                               : Dim{};
  tensor.shape = op.in.heap.shape({count, length});
  return op.result(tensor, {});
}

constexpr TransferEntry kTable[] = {
    {"tf_slices", call_slices},
    {"tf_tensors", call_tensors},
    {"tf_from_generator", call_from_generator},
    {"tf_batch", call_batch},
    {"tf_unbatch", call_unbatch},
    {"tf_map", call_map},
    {"tf_zip", call_zip},
    {"tf_same_dataset", call_same},
    {"tf_iterator", call_iterator},
    {"tf_next", call_next},
    {"keras_from_directory", call_from_directory},
    {"keras_generator", call_nothing},
    {"keras_flow_from_directory", call_flow_from_directory},
    {"keras_flow", call_flow},
    {"keras_generator_fit", call_generator_fit},
    {"keras_pad_sequences", call_pad_sequences},
};

} // namespace
} // namespace keras_generators

std::span<const TransferEntry> keras_generator_transfers() { return keras_generators::kTable; }

} // namespace deepperf::shapes
