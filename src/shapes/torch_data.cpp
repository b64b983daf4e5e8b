// Datasets, loaders and what is done to pictures on the way.
#include "shapes/torch.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace torch_data {
namespace {

Symbol element_key() { return intern("*element"); }
Symbol item_key() { return intern("*item"); }

Value stored(const Object &object, Symbol key) {
  const auto found = object.content.attributes.find(key.id);
  return found != object.content.attributes.end() ? found->second : Value();
}

// One example of a dataset.
Value example_of(Interpreter &in, const Value &dataset) {
  if (dataset.is(Tag::Tensor)) { // its rows
    const Shape &shape = dataset.tensor->shape;
    if (!shape.is_known() || shape.rank() == 0) {
      return {};
    }
    Tensor row = *dataset.tensor;
    row.is_parameter = false;
    row.shape.dims = {shape.dims.items + 1, shape.rank() - 1};
    return in.plain_tensor(row);
  }
  if (dataset.is(Tag::Object)) {
    Object &object = *dataset.object;
    if (object.type != nullptr && in.find_method(*object.type, intern("__getitem__")) != nullptr) {
      return in.subscript(dataset, Value::of(in.fresh("index", 0)), nullptr);
    }
    return stored(object, item_key());
  }
  if (dataset.is_sequence()) {
    std::vector<Value> items;
    in.iterate(dataset, items);
    Value all(Tag::Undefined);
    for (const Value &item : items) {
      all = in.heap.join(all, item);
    }
    return all.is(Tag::Undefined) ? Value() : all;
  }
  return {};
}

// What the __iter__ of a dataset yields, if that is of one form.
Value yielded_by(Interpreter &in, const Value &dataset) {
  std::vector<Value> items;
  in.iterate(dataset, items);
  return items.size() == 1 ? items[0] : Value();
}

// What the default collate function makes of a batch of examples.
Value collated(Interpreter &in, const Value &example, Dim batch, u32 depth) {
  if (depth > 6) {
    return {};
  }
  switch (example.tag) {
  case Tag::Tensor: {
    Tensor tensor = *example.tensor;
    tensor.is_parameter = false;
    tensor.library = Library::Torch;
    if (tensor.shape.is_known()) {
      std::vector<Dim> dims(tensor.shape.dims.begin(), tensor.shape.dims.end());
      dims.insert(dims.begin(), batch);
      tensor.shape = in.heap.shape(dims);
    } else {
      tensor.shape = {};
    }
    return in.make_tensor(tensor, intern("torch.utils.data.DataLoader"), in.current_node, {});
  }
  case Tag::Int:
  case Tag::Float:
  case Tag::Bool: {
    Tensor tensor;
    tensor.library = Library::Torch;
    tensor.dtype = example.is(Tag::Float) ? Dtype::Float64 : Dtype::Int64;
    tensor.device = {Device::Kind::Cpu};
    tensor.grad = Truth::No;
    tensor.shape = in.heap.shape({batch});
    return in.make_tensor(tensor, intern("torch.utils.data.DataLoader"), in.current_node, {});
  }
  case Tag::Tuple:
  case Tag::List: {
    std::vector<Value> items;
    if (!in.iterate(example, items)) {
      return {};
    }
    for (Value &item : items) {
      item = collated(in, item, batch, depth + 1);
    }
    return in.heap.new_list(std::move(items), Tag::List);
  }
  case Tag::Dict: {
    DictObject *const dict = in.heap.new_dict();
    dict->content = example.dict->content;
    for (auto &item : dict->content.items) {
      item.second = collated(in, item.second, batch, depth + 1);
    }
    return Value::of(dict);
  }
  default:
    return {};
  }
}

// How many examples; not known if it is no constant.
Dim length_of(Interpreter &in, const Value &dataset) {
  Value length;
  if (dataset.is(Tag::Tensor)) {
    length = dataset.tensor->shape.is_known() && dataset.tensor->shape.rank() > 0
                 ? Value::of(dataset.tensor->shape.dims[0])
                 : Value();
  } else if (dataset.is_sequence() && !dataset.list->content.is_open) {
    length = Value::of_int(static_cast<i64>(dataset.list->content.items.size()));
  } else if (dataset.is(Tag::Object)) {
    Object &object = *dataset.object;
    if (FunctionObject *const method =
            object.type != nullptr ? in.find_method(*object.type, intern("__len__")) : nullptr) {
      Arguments self;
      self.positional.push_back(dataset);
      length = in.quietly([&] { return in.call_function(*method, self, nullptr); });
    } else {
      length = stored(object, intern("*length"));
    }
  }
  return length.is(Tag::Int) && length.dim().is_constant() ? length.dim() : Dim{};
}

// Do two examples certainly have tensors of other shapes at the same place? Then the default collate function cannot
// stack them.
bool differ_in_shape(Interpreter &in, const Value &a, const Value &b, const Tensor *&left, const Tensor *&right,
                     u32 depth = 0) {
  if (a.is(Tag::Tensor) && b.is(Tag::Tensor)) {
    left = a.tensor;
    right = b.tensor;
    if (!left->shape.is_known() || !right->shape.is_known()) {
      return false;
    }
    bool is_same = left->shape.rank() == right->shape.rank();
    for (u32 i = 0; is_same && i < left->shape.rank(); ++i) {
      is_same = !in.terms.differ(left->shape.dims[i], right->shape.dims[i]);
    }
    return !is_same;
  }
  constexpr u32 kDeepest = 3;
  if (a.tag != b.tag || depth > kDeepest) {
    return false;
  }
  if (a.is_sequence() && !a.list->content.is_open && !b.list->content.is_open) {
    const std::vector<Value> &x = a.list->content.items;
    const std::vector<Value> &y = b.list->content.items;
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
      if (differ_in_shape(in, x[i], y[i], left, right, depth + 1)) {
        return true;
      }
    }
  } else if (a.is(Tag::Dict)) {
    for (const auto &[key, value] : a.dict->content.items) {
      for (const auto &[other_key, other] : b.dict->content.items) {
        if (key.is(Tag::Str) && key.number != 0 && other_key.is(Tag::Str) && other_key.number == key.number &&
            differ_in_shape(in, value, other, left, right, depth + 1)) {
          return true;
        }
      }
    }
  }
  return false;
}

// Examples of different shapes in one batch. Without shuffling a batch has neighbours; with it, any two meet.
void check_examples(Operation &op, const Value &dataset, Dim length, Dim batch) {
  constexpr i64 kMost = 4;
  const bool has_order = op.arg("sampler").is(Tag::None);
  if (!length.is_constant() || !batch.is_constant() || batch.value < 2 || !has_order || op.in.is_quiet()) {
    return;
  }
  std::vector<Value> examples;
  op.in.quietly([&] {
    for (i64 i = 0; i < std::min({length.value, batch.value, kMost}); ++i) {
      examples.push_back(op.in.subscript(dataset, Value::of_int(i), nullptr));
    }
    return 0;
  });
  for (std::size_t i = 1; i < examples.size(); ++i) {
    const Tensor *left = nullptr;
    const Tensor *right = nullptr;
    if (!differ_in_shape(op.in, examples[0], examples[i], left, right)) {
      continue;
    }
    if (Problem *problem =
            op.report(Fault::ShapesDoNotFit, "a batch stacks examples of one shape, but this dataset has " +
                                                 op.in.text_of(*left) + " and " + op.in.text_of(*right))) {
      op.in.add_chain(*problem, *left);
      problem->advice =
          "pad them in a collate_fn: torch.nn.utils.rnn.pad_sequence, or bring all to one size in the dataset";
    }
    return;
  }
}

// The size of a batch: a constant if all have the same, else a symbol, with a note of what the last one has.
Dim batch_size(Operation &op, Dim length, Dim count) {
  if (op.truth("drop_last") == Truth::Yes || count.is(1)) {
    return count;
  }
  const Dim batch = op.in.fresh("N");
  const bool is_known = length.is_constant() && count.is_constant() && count.value > 0 && length.value > count.value &&
                        op.arg("sampler").is(Tag::None) && op.truth("drop_last") == Truth::No;
  if (is_known && length.value % count.value > 1) { // a batch of one broadcasts
    op.in.loader_batches.push_back({batch, count.value, length.value % count.value});
  }
  return batch;
}

void make_loader(Operation &op) {
  Object &object = *op.layer;
  if (op.is_open || !op.arg("collate_fn").is(Tag::None) || !op.arg("batch_sampler").is(Tag::None)) {
    return;
  }
  const Value dataset = op.arg("dataset");
  const bool is_own = dataset.is(Tag::Object) && dataset.object->type != nullptr;
  if (is_own && dataset.object->type->has_unknown_base) {
    return;
  }
  const bool is_iterable = is_own && op.in.find_method(*dataset.object->type, intern("__iter__")) != nullptr;
  const Value example =
      op.in.quietly([&] { return is_iterable ? yielded_by(op.in, dataset) : example_of(op.in, dataset); });
  const Value size = op.arg("batch_size");
  const Expr *const before = std::exchange(op.in.current_node, op.node);
  Value batch;
  if (size.is(Tag::None)) {
    batch = example;
  } else {
    const Dim count = op.in.as_dim(size);
    const Dim length = is_iterable ? Dim{} : length_of(op.in, dataset);
    if (!is_iterable) {
      check_examples(op, dataset, length, count);
    }
    batch = collated(op.in, example, batch_size(op, length, count), 0);
  }
  op.in.current_node = before;
  op.in.heap.change(object).attributes[element_key().id] = batch;
}

void make_tensor_dataset(Operation &op) {
  std::vector<Value> parts;
  Dim length;
  const Tensor *first = nullptr;
  for (const Value &value : op.rest) {
    const Tensor *const tensor = op.in.as_tensor(value);
    if (tensor == nullptr || !tensor->shape.is_known() || tensor->shape.rank() == 0) {
      parts.emplace_back();
      continue;
    }
    if (first == nullptr) {
      first = tensor;
      length = tensor->shape.dims[0];
    } else if (op.in.terms.differ(length, tensor->shape.dims[0])) {
      if (Problem *problem =
              op.report(Fault::DataDoesNotFit, "TensorDataset takes tensors of the same length, but gets " +
                                                   op.in.terms.text(length) + " and " +
                                                   op.in.terms.text(tensor->shape.dims[0]))) {
        op.in.add_chain(*problem, *first);
        op.in.add_chain(*problem, *tensor);
        problem->advice = "all tensors must have the same first size";
      }
    }
    Tensor part = *tensor;
    part.is_parameter = false;
    part.shape.dims = {tensor->shape.dims.items + 1, tensor->shape.rank() - 1};
    parts.push_back(op.in.plain_tensor(part));
  }
  ObjectContent &content = op.in.heap.change(*op.layer);
  if (!op.is_open) {
    content.attributes[item_key().id] = op.in.heap.new_list(std::move(parts), Tag::Tuple);
    content.attributes[intern("*length").id] = Value::of(length);
  }
}

// Subset and ConcatDataset: elements are those of what they are made of.
void make_subset(Operation &op) {
  const Value example = op.in.quietly([&] { return example_of(op.in, op.arg("dataset")); });
  const Dim length = length_of(op.in, op.arg("indices"));
  op.in.heap.change(*op.layer).attributes[intern("*length").id] = Value::of(length);
  op.in.heap.change(*op.layer).attributes[item_key().id] = example;
}

void make_concat_dataset(Operation &op) {
  std::vector<Value> parts;
  if (!op.in.iterate(op.arg("datasets"), parts)) {
    return;
  }
  Value example(Tag::Undefined);
  Dim length = Dim::of(0);
  for (const Value &part : parts) {
    example = op.in.heap.join(example, op.in.quietly([&] { return example_of(op.in, part); }));
    length = op.in.terms.add(length, length_of(op.in, part));
  }
  ObjectContent &content = op.in.heap.change(*op.layer);
  content.attributes[item_key().id] = example.is(Tag::Undefined) ? Value() : example;
  content.attributes[intern("*length").id] = Value::of(length);
}

Value call_random_split(Operation &op) {
  const Value dataset = op.arg("dataset");
  const Value example = op.in.quietly([&] { return example_of(op.in, dataset); });
  std::vector<Value> lengths;
  const bool is_exact = op.in.iterate(op.arg("lengths"), lengths);
  const auto make = [&](const Value &length) {
    Object *const object = op.in.heap.new_object(nullptr, intern("torch.utils.data.Subset"));
    if (length.is(Tag::Int)) {
      object->content.attributes[intern("*length").id] = length;
    }
    object->content.attributes[item_key().id] = example;
    object->content.attributes[intern("indices").id] = op.in.heap.new_open_list(Value::of(Dim{}));
    return Value::of(object);
  };
  if (!is_exact) {
    return op.in.heap.new_open_list(make(Value()));
  }
  std::vector<Value> parts;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    parts.push_back(make(lengths[i]));
  }
  return op.in.heap.new_list(std::move(parts));
}

// ---- torchvision ----------------------------------------------------------------------------------------------------

// A picture before it is a tensor: an array of [H, W, C] with the library Numpy, or of [H, W].
Value picture(Interpreter &in, i64 channels, i64 side) {
  Tensor tensor;
  tensor.library = Library::Numpy;
  tensor.dtype = Dtype::UInt8;
  tensor.device = {Device::Kind::Cpu};
  tensor.grad = Truth::No;
  const Dim size = side > 0 ? Dim::of(side) : Dim{};
  tensor.shape =
      channels > 1 ? in.heap.shape({size, side > 0 ? size : Dim{}, Dim::of(channels)}) : in.heap.shape({size, size});
  return in.plain_tensor(tensor);
}

void make_vision_dataset(Operation &op) {
  const std::string_view api = op.api.text();
  const std::string_view name = api.substr(api.rfind('.') + 1);
  i64 channels = 3;
  i64 side = 0;
  if (name == "MNIST" || name == "FashionMNIST" || name == "KMNIST" || name == "QMNIST" || name == "EMNIST") {
    channels = 1;
    side = 28;
  } else if (name == "CIFAR10" || name == "CIFAR100" || name == "SVHN") {
    side = 32;
  } else if (name == "STL10") {
    side = 96;
  }
  Value image = side > 0 || name == "ImageFolder" || name == "FakeData" ? picture(op.in, channels, side) : Value();
  std::vector<Dim> size;
  if (name == "FakeData" && op.in.as_dims(op.arg("image_size"), size) && size.size() == 3) {
    Tensor tensor = *image.tensor; // which Pillow has without channels if there is one
    tensor.shape = size[0].is(1) ? op.in.heap.shape({size[1], size[2]}) : op.in.heap.shape({size[1], size[2], size[0]});
    image = op.in.plain_tensor(tensor);
  } else if (name == "FakeData") {
    image = Value();
  }
  Value label = Value::of(op.in.fresh("label", 0));
  const Value transform = op.arg("transform");
  if (!transform.is(Tag::None)) {
    Arguments arguments;
    arguments.positional.push_back(image);
    image = op.in.quietly([&] { return op.in.call(transform, arguments, nullptr); });
  } else {
    image = Value(); // a PIL picture
  }
  const Value target_transform = op.arg("target_transform");
  if (!target_transform.is(Tag::None)) {
    Arguments arguments;
    arguments.positional.push_back(label);
    label = op.in.quietly([&] { return op.in.call(target_transform, arguments, nullptr); });
  }
  if (op.is_open) {
    return;
  }
  ObjectContent &content = op.in.heap.change(*op.layer);
  content.attributes[item_key().id] = op.in.heap.new_list({image, label}, Tag::Tuple);
  const Truth is_train = op.truth("train");
  const i64 tested = name == "FakeData" || name == "SVHN" || name == "STL10" || name == "ImageFolder" ? 0 : 10'000;
  if (tested != 0 && is_train != Truth::Unknown) {
    const i64 trained = name.starts_with("CIFAR") ? 50'000 : 60'000;
    content.attributes[intern("*length").id] = Value::of_int(is_train == Truth::Yes ? trained : tested);
  } else if (name == "FakeData") {
    content.attributes[intern("*length").id] = op.arg("size");
  }
}

Value call_compose(Operation &op) {
  std::vector<Value> steps;
  if (!op.in.iterate(op.arg("transforms"), steps)) {
    return {};
  }
  Value value = op.arg("img");
  for (const Value &step : steps) {
    Arguments arguments;
    arguments.positional.push_back(value);
    value = op.in.call(step, arguments, op.node);
  }
  return value;
}

bool is_picture(const Tensor &tensor) { return tensor.library == Library::Numpy; }

Value call_to_tensor(Operation &op) {
  const Tensor *const input = op.tensor("img");
  Tensor result;
  result.library = Library::Torch;
  result.dtype = Dtype::Float32;
  result.device = {Device::Kind::Cpu};
  result.grad = Truth::No;
  if (input != nullptr && input->shape.has_rank(3)) {
    result.shape = op.in.heap.shape({input->shape.dims[2], input->shape.dims[0], input->shape.dims[1]});
    result.dtype = input->dtype == Dtype::UInt8 ? Dtype::Float32 : input->dtype;
  } else if (input != nullptr && input->shape.has_rank(2)) {
    result.shape = op.in.heap.shape({Dim::of(1), input->shape.dims[0], input->shape.dims[1]});
    result.dtype = input->dtype == Dtype::UInt8 ? Dtype::Float32 : input->dtype;
  }
  return op.in.plain_tensor(result);
}

// Resize, CenterCrop, RandomCrop, RandomResizedCrop: two numbers give both sides, one number both for crops.
Value call_resize(Operation &op) {
  const Tensor *const input = op.tensor("img");
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() < 2) {
    return input != nullptr ? op.in.plain_tensor(*input) : Value();
  }
  const Value size = op.arg("size");
  const bool keeps_ratio = op.short_name() == "Resize" || op.short_name() == "resize" || op.short_name() == "Scale";
  std::vector<Dim> sides(2);
  if (size.is_sequence()) {
    sides = op.sizes("size", 2);
  }
  const bool is_array = is_picture(*input);
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  const std::size_t height = is_array ? 0 : dims.size() - 2;
  if (!size.is_sequence()) {
    const Dim side = op.in.as_dim(size);
    const bool is_square = dims[height].is_known() && dims[height] == dims[height + 1];
    sides = keeps_ratio && !is_square ? std::vector<Dim>(2) : std::vector<Dim>(2, side);
  }
  dims[height] = sides[0];
  dims[height + 1] = sides[1];
  Tensor result = *input;
  result.shape = op.in.heap.shape(dims);
  return op.in.plain_tensor(result);
}

Value call_grayscale(Operation &op) {
  const Tensor *const input = op.tensor("img");
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() < 2) {
    return {};
  }
  Tensor result = *input;
  const Dim channels = op.dim("num_output_channels");
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  if (is_picture(*input)) {
    dims.resize(2);
    if (!channels.is(1)) {
      dims.push_back(channels);
    }
  } else {
    dims[dims.size() - 3] = channels;
  }
  result.shape = op.in.heap.shape(dims);
  return op.in.plain_tensor(result);
}

Value call_same_picture(Operation &op) { return op.arg("img"); }

Value call_lambda_transform(Operation &op) {
  Arguments arguments;
  arguments.positional.push_back(op.arg("img"));
  return op.in.call(op.arg("lambd"), arguments, op.node);
}

Value call_nothing(Operation &) { return {}; }

constexpr TransferEntry kTable[] = {
    {"loader", call_nothing, make_loader},
    {"tensor_dataset", call_nothing, make_tensor_dataset},
    {"subset", call_nothing, make_subset},
    {"concat_dataset", call_nothing, make_concat_dataset},
    {"random_split", call_random_split},
    {"vision_dataset", call_nothing, make_vision_dataset},
    {"compose", call_compose},
    {"to_tensor", call_to_tensor},
    {"resize", call_resize},
    {"grayscale", call_grayscale},
    {"same_picture", call_same_picture},
    {"lambda_transform", call_lambda_transform},
};

} // namespace
} // namespace torch_data

std::span<const TransferEntry> torch_data_transfers() { return torch_data::kTable; }

} // namespace deepperf::shapes
