// Tensors from sizes, numbers and lists.
#include "shapes/frames.h"
#include "shapes/libraries.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace makers {
namespace {

Tensor fresh_tensor(Operation &op, Dtype otherwise) {
  Tensor tensor;
  tensor.library = Library::Torch;
  tensor.dtype = op.in.is_changed_default_dtype && otherwise == Dtype::Float32 ? Dtype::Unknown : otherwise;
  const Value dtype = op.arg("dtype");
  if (!dtype.is(Tag::None)) {
    tensor.dtype = op.in.as_dtype(dtype);
  }
  const Value device = op.arg("device");
  tensor.device = device.is(Tag::None) ? (op.in.is_changed_default_device ? Device{} : Device{Device::Kind::Cpu})
                                       : op.in.as_device(device);
  const Value grad = op.arg("requires_grad");
  tensor.grad = grad.is_unknown() ? Truth::No : op.in.truth(grad);
  return tensor;
}

Shape given_shape(Operation &op) {
  std::vector<Dim> dims;
  if (op.is_open) {
    return {};
  }
  if (op.rest.size() == 1 && op.rest[0].is_sequence()) {
    return op.in.as_dims(op.rest[0], dims) ? op.in.heap.shape(dims) : Shape{};
  }
  if (op.rest.size() == 1 && !op.rest[0].is(Tag::Int)) {
    return {}; // a number or a list
  }
  if (!op.rest.empty()) {
    for (const Value &value : op.rest) {
      if (!value.is(Tag::Int) && !value.is(Tag::Opaque)) {
        return {};
      }
      dims.push_back(op.in.as_dim(value));
    }
    return op.in.heap.shape(dims);
  }
  const Value size = op.arg("size");
  if (size.is_unknown() || size.is(Tag::Opaque)) {
    return {};
  }
  return op.in.as_dims(size, dims) ? op.in.heap.shape(dims) : Shape{};
}

// Random numbers between 0 and 1, or normal ones, are floats.
void check_random_dtype(Operation &op, const Tensor &tensor) {
  const std::string_view name = op.short_name();
  const bool draws = name == "rand" || name == "randn" || name == "rand_like" || name == "randn_like";
  if (!draws || tensor.library != Library::Torch || (!is_integer(tensor.dtype) && tensor.dtype != Dtype::Bool)) {
    return;
  }
  if (Problem *problem =
          op.report(Fault::DtypeMismatch,
                    fmt::format("{} makes floating-point numbers, but its dtype is {}", name, name_of(tensor.dtype)))) {
    op.in.add_chain(*problem, tensor);
    problem->advice = "pass dtype=torch.float32, or use torch.randint for integers";
  }
}

Value call_sized(Operation &op) {
  Tensor tensor = fresh_tensor(op, Dtype::Float32);
  check_random_dtype(op, tensor);
  tensor.shape = given_shape(op);
  return op.result(tensor, {});
}

Value call_full(Operation &op) {
  const Value fill = op.arg("fill_value");
  Tensor tensor = fresh_tensor(op, fill.is(Tag::Bool)    ? Dtype::Bool
                                   : fill.is(Tag::Int)   ? Dtype::Int64
                                   : fill.is(Tag::Float) ? Dtype::Float32
                                                         : Dtype::Unknown);
  tensor.shape = given_shape(op);
  return op.result(tensor, {});
}

Value call_randint(Operation &op) {
  Tensor tensor = fresh_tensor(op, Dtype::Int64);
  // randint(low, high, size) or randint(high, size)
  Value size = op.arg("size");
  if (size.is_unknown() || size.is(Tag::None)) {
    size = op.arg("high");
  }
  std::vector<Dim> dims;
  if (size.is_sequence() && op.in.as_dims(size, dims)) {
    tensor.shape = op.in.heap.shape(dims);
  }
  return op.result(tensor, {});
}

Value call_randperm(Operation &op) {
  Tensor tensor = fresh_tensor(op, Dtype::Int64);
  tensor.shape = op.in.heap.shape({op.dim("n")});
  return op.result(tensor, {});
}

Value call_like(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  Tensor tensor = *input;
  tensor.is_parameter = false;
  tensor.grad = Truth::No;
  if (const Value dtype = op.arg("dtype"); !dtype.is(Tag::None)) {
    tensor.dtype = op.in.as_dtype(dtype);
  }
  check_random_dtype(op, tensor);
  if (const Value device = op.arg("device"); !device.is(Tag::None)) {
    tensor.device = op.in.as_device(device);
  }
  return op.result(tensor, {input});
}

// x.new_zeros(size): with the dtype and device of x.
Value call_new(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  Tensor tensor = *input;
  tensor.is_parameter = false;
  tensor.grad = Truth::No;
  tensor.step = Tensor::kNoStep;
  if (const Value dtype = op.arg("dtype"); !dtype.is(Tag::None)) {
    tensor.dtype = op.in.as_dtype(dtype);
  }
  if (const Value device = op.arg("device"); !device.is(Tag::None)) {
    tensor.device = op.in.as_device(device);
  }
  tensor.shape = given_shape(op);
  return op.result(tensor, {input});
}

Value call_arange(Operation &op) {
  const Value first = op.arg("start");
  const Value second = op.arg("end");
  const Value step = op.arg("step");
  bool is_float = false;
  for (const Value *value : {&first, &second, &step}) {
    is_float = is_float || value->is(Tag::Float);
  }
  bool is_int = true;
  for (const Value *value : {&first, &second, &step}) {
    is_int = is_int && (value->is(Tag::Int) || value->is(Tag::None));
  }
  Tensor tensor = fresh_tensor(op, is_float ? Dtype::Float32 : is_int ? Dtype::Int64 : Dtype::Unknown);
  Dim count;
  Terms &terms = op.in.terms;
  const Dim start = second.is(Tag::None) ? Dim::of(0) : op.in.as_dim(first);
  const Dim end = op.in.as_dim(second.is(Tag::None) ? first : second);
  const Dim by = op.in.as_dim(step);
  if (!is_float && by.is_constant() && by.value > 0) {
    const Dim length = terms.subtract(end, start);
    count = by.value == 1 ? length : terms.floor_divide(terms.add(length, Dim::of(by.value - 1)), by);
  }
  tensor.shape = op.in.heap.shape({count});
  return op.result(tensor, {});
}

Value call_linspace(Operation &op) {
  Tensor tensor = fresh_tensor(op, Dtype::Float32);
  tensor.shape = op.in.heap.shape({op.dim("steps")});
  return op.result(tensor, {});
}

Value call_eye(Operation &op) {
  Tensor tensor = fresh_tensor(op, Dtype::Float32);
  const Value columns = op.arg("m");
  const Dim rows = op.dim("n");
  tensor.shape = op.in.heap.shape({rows, columns.is(Tag::None) ? rows : op.in.as_dim(columns)});
  return op.result(tensor, {});
}

} // namespace
} // namespace makers

bool measure(Interpreter &in, const Value &value, std::vector<Dim> &dims, Dtype &dtype, u32 depth) {
  const auto add = [&dtype](Dtype more) { dtype = dtype == Dtype::String ? more : promote_torch(dtype, more); };
  if (value.is_sequence()) {
    if (depth > 8) {
      return false;
    }
    const ListContent &content = value.list->content;
    if (content.is_open) {
      dims.emplace_back();
      if (content.items.empty()) {
        return false;
      }
      return measure(in, content.items[0], dims, dtype, depth + 1);
    }
    dims.push_back(Dim::of(static_cast<i64>(content.items.size())));
    if (content.items.empty()) {
      return true;
    }
    std::vector<Dim> inner;
    for (std::size_t i = 0; i < content.items.size(); ++i) {
      std::vector<Dim> one;
      if (!measure(in, content.items[i], one, dtype, depth + 1)) {
        return false;
      }
      if (i > 0 && one != inner) {
        return false;
      }
      inner = std::move(one);
    }
    dims.insert(dims.end(), inner.begin(), inner.end());
    return true;
  }
  switch (value.tag) {
  case Tag::Bool:
    add(Dtype::Bool);
    return true;
  case Tag::Int:
    add(Dtype::Int64);
    return true;
  case Tag::Float:
    add(Dtype::Float32);
    return true;
  case Tag::Tensor:
    add(value.tensor->dtype);
    if (!value.tensor->shape.is_known()) {
      return false;
    }
    dims.insert(dims.end(), value.tensor->shape.dims.begin(), value.tensor->shape.dims.end());
    return true;
  case Tag::Object:
    if (const Tensor *const array = array_in(value)) {
      return measure(in, in.plain_tensor(*array), dims, dtype, depth);
    }
    return false;
  default:
    return false;
  }
}

namespace makers {
namespace {

// torch.tensor([a, b]) takes numbers, or tensors of one element each.
void check_no_tensors(Operation &op, const Value &data) {
  if (!data.is_sequence() || data.list->content.items.empty()) {
    return;
  }
  const Value &first = data.list->content.items[0];
  if (!first.is(Tag::Tensor) || first.tensor->library != Library::Torch || !first.tensor->shape.is_known() ||
      !op.in.terms.is_at_least(numel(op.in, first.tensor->shape), 2)) {
    return;
  }
  if (Problem *problem = op.report(Fault::ShapesDoNotFit,
                                   fmt::format("{} takes numbers or tensors of one element, but gets a list of {}",
                                               op.short_name(), op.in.text_of(*first.tensor)))) {
    op.in.add_chain(*problem, *first.tensor);
    problem->advice = "join the tensors with torch.stack";
  }
}

Value call_tensor(Operation &op) {
  const Value data = op.arg("data");
  Dtype dtype = Dtype::String; // nothing yet
  std::vector<Dim> dims;
  check_no_tensors(op, data);
  const bool is_known = measure(op.in, data, dims, dtype, 0);
  const bool has_array = data.is(Tag::Tensor);
  Tensor tensor = fresh_tensor(op, !is_known                ? (has_array ? data.tensor->dtype : Dtype::Unknown)
                                   : dtype == Dtype::String ? Dtype::Float32
                                                            : dtype);
  if (has_array && op.short_name() == "as_tensor" && op.arg("device").is(Tag::None)) {
    tensor.device = data.tensor->library == Library::Torch ? data.tensor->device : tensor.device;
  }
  tensor.shape = is_known ? op.in.heap.shape(dims) : Shape{};
  if (tensor.grad == Truth::Yes && (is_integer(tensor.dtype) || tensor.dtype == Dtype::Bool)) {
    if (Problem *problem =
            op.report(Fault::DtypeMismatch, "only floating-point tensors can require gradients, but this one is " +
                                                std::string(name_of(tensor.dtype)))) {
      problem->advice = "write the numbers as floats, or pass dtype=torch.float32";
    }
  }
  return op.result(tensor, {});
}

// torch.Tensor(2, 3), torch.FloatTensor([1, 2]): sizes or numbers.
Value legacy(Operation &op, Dtype dtype) {
  Tensor tensor;
  tensor.library = Library::Torch;
  tensor.dtype = dtype;
  tensor.device = {op.api && op.api.text().find(".cuda.") != std::string_view::npos ? Device::Kind::Gpu
                                                                                    : Device::Kind::Cpu};
  tensor.grad = Truth::No;
  if (op.in.is_changed_default_dtype || op.in.is_changed_default_device) {
    tensor.dtype = op.short_name() == "Tensor" ? Dtype::Unknown : dtype;
    tensor.device = {};
  }
  if (op.rest.empty()) {
    tensor.shape = op.in.heap.shape({Dim::of(0)});
  } else if (op.rest.size() == 1 && (op.rest[0].is_sequence() || op.rest[0].is(Tag::Tensor))) {
    std::vector<Dim> dims;
    Dtype ignored = Dtype::String;
    if (measure(op.in, op.rest[0], dims, ignored, 0)) {
      tensor.shape = op.in.heap.shape(dims);
    }
  } else {
    tensor.shape = given_shape(op);
  }
  return op.result(tensor, {});
}

Value call_float_tensor(Operation &op) { return legacy(op, Dtype::Float32); }
Value call_double_tensor(Operation &op) { return legacy(op, Dtype::Float64); }
Value call_long_tensor(Operation &op) { return legacy(op, Dtype::Int64); }
Value call_int_tensor(Operation &op) { return legacy(op, Dtype::Int32); }
Value call_byte_tensor(Operation &op) { return legacy(op, Dtype::UInt8); }
Value call_bool_tensor(Operation &op) { return legacy(op, Dtype::Bool); }
Value call_half_tensor(Operation &op) { return legacy(op, Dtype::Float16); }

Value call_from_numpy(Operation &op) {
  const Tensor *const input = op.tensor("input");
  Tensor tensor;
  if (input != nullptr) {
    tensor = *input;
  }
  tensor.library = Library::Torch;
  tensor.device = {Device::Kind::Cpu};
  tensor.grad = Truth::No;
  tensor.is_parameter = false;
  return op.result(tensor, {input});
}

Value call_parameter(Operation &op) {
  const Value data = op.arg("data");
  Tensor tensor;
  if (data.is(Tag::Tensor)) {
    tensor = *data.tensor;
  } else if (!data.is_unknown()) {
    return {};
  }
  tensor.library = Library::Torch;
  const Value grad = op.arg("requires_grad");
  tensor.grad = op.in.truth(grad);
  tensor.is_parameter = true;
  return op.in.plain_tensor(tensor);
}

Value call_meshgrid(Operation &op) {
  std::vector<Value> given = op.rest;
  if (given.size() == 1 && given[0].is_sequence()) {
    const Value list = given[0];
    given.clear();
    if (!op.in.iterate(list, given)) {
      return {};
    }
  }
  std::vector<Dim> dims;
  const Tensor *first = nullptr;
  for (const Value &value : given) {
    const Tensor *const tensor = op.in.as_tensor(value);
    if (tensor == nullptr || !tensor->shape.has_rank(1)) {
      return {};
    }
    first = first == nullptr ? tensor : first;
    dims.push_back(tensor->shape.dims[0]);
  }
  if (op.in.as_text(op.arg("indexing")) == "xy" && dims.size() >= 2) {
    std::swap(dims[0], dims[1]);
  }
  std::vector<Value> results;
  for (const Value &value : given) {
    results.push_back(op.like(*op.in.as_tensor(value), op.in.heap.shape(dims)));
  }
  return op.in.heap.new_list(std::move(results), Tag::Tuple);
}

Value call_one_hot(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  const Dim classes = op.dim("num_classes");
  const Dim last = classes.is(-1) ? Dim{} : classes;
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  dims.push_back(last);
  if (input->library == Library::Torch && input->dtype != Dtype::Unknown && input->dtype != Dtype::Int64) {
    if (Problem *problem =
            op.report(Fault::DtypeMismatch, "one_hot takes int64, but gets " + std::string(name_of(input->dtype)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "cast it first: .long()";
    }
  }
  return op.like(*input, input->shape.is_known() ? op.in.heap.shape(dims) : op.in.heap.shape({last}, Shape::Kind::Tail),
                 Dtype::Int64);
}

constexpr TransferEntry kTable[] = {
    {"sized", call_sized},
    {"full", call_full},
    {"randint", call_randint},
    {"randperm", call_randperm},
    {"like", call_like},
    {"new", call_new},
    {"arange", call_arange},
    {"linspace", call_linspace},
    {"eye", call_eye},
    {"tensor", call_tensor},
    {"float_tensor", call_float_tensor},
    {"double_tensor", call_double_tensor},
    {"long_tensor", call_long_tensor},
    {"int_tensor", call_int_tensor},
    {"byte_tensor", call_byte_tensor},
    {"bool_tensor", call_bool_tensor},
    {"half_tensor", call_half_tensor},
    {"from_numpy", call_from_numpy},
    {"parameter", call_parameter},
    {"meshgrid", call_meshgrid},
    {"one_hot", call_one_hot},
};

} // namespace
} // namespace makers

std::span<const TransferEntry> maker_transfers() { return makers::kTable; }

} // namespace deepperf::shapes
