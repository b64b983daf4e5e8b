// Values as tensors: their attributes, their sizes, and what is learnt of those from outside.
#include "shapes/frames.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

const Tensor *Interpreter::as_tensor(const Value &value) {
  if (value.is(Tag::Tensor)) {
    return value.tensor;
  }
  if (value.is(Tag::Opaque) && value.opaque->may_be_tensor && !value.opaque->content.number.is_known()) {
    if (value.opaque->content.tensor == nullptr) {
      heap.change(*value.opaque).tensor = heap.arena.make<Tensor>();
    }
    return value.opaque->content.tensor;
  }
  return value.is(Tag::Object) ? array_in(value) : nullptr;
}

void Interpreter::refine(const Value &value, const Shape &shape) {
  if (!value.is(Tag::Opaque) || value.opaque->content.tensor == nullptr) {
    return;
  }
  Tensor tensor = *value.opaque->content.tensor;
  if (tensor.shape.is_known()) {
    return;
  }
  tensor.shape = shape;
  heap.change(*value.opaque).tensor = heap.arena.make<Tensor>(tensor);
}

void Interpreter::refine_dtype(const Value &value, Dtype dtype) {
  if (!value.is(Tag::Opaque) || value.opaque->content.tensor == nullptr ||
      value.opaque->content.tensor->dtype != Dtype::Unknown) {
    return;
  }
  Tensor tensor = *value.opaque->content.tensor;
  tensor.dtype = dtype;
  heap.change(*value.opaque).tensor = heap.arena.make<Tensor>(tensor);
}

Dtype Interpreter::as_dtype(const Value &value) {
  if (value.is(Tag::Dtype)) {
    return value.dtype();
  }
  if (value.is(Tag::Api)) {
    const std::string_view name = value.text();
    return name == "float"  ? Dtype::Float64
           : name == "int"  ? Dtype::Int64
           : name == "bool" ? Dtype::Bool
                            : Dtype::Unknown;
  }
  if (value.is(Tag::Str)) {
    return dtype_named(value.text());
  }
  return Dtype::Unknown;
}

Device Interpreter::as_device(const Value &value) {
  if (value.is(Tag::Device)) {
    return value.device();
  }
  if (value.is(Tag::Str)) {
    return device_named(value.text());
  }
  if (value.is(Tag::Int) && value.dim().is_constant() && value.integer >= 0 && value.integer < 100) {
    return {Device::Kind::Gpu, static_cast<std::int8_t>(value.integer)};
  }
  return {};
}

Dim Interpreter::size_at(const Value &holder, const Tensor &tensor, i64 axis) {
  const Shape &shape = tensor.shape;
  if (shape.is_known()) {
    const i64 at = axis < 0 ? axis + static_cast<i64>(shape.rank()) : axis;
    return at >= 0 && at < static_cast<i64>(shape.rank()) ? shape.dims[static_cast<u32>(at)] : Dim{};
  }
  if (axis < 0) {
    if (const Dim dim = shape.from_end(static_cast<u32>(-axis - 1)); dim.is_known()) {
      return dim;
    }
  }
  // The same size has the same name each time that it is asked for.
  if (holder.is(Tag::Opaque)) {
    const Symbol key = intern(fmt::format("*size{}", axis));
    const auto known = holder.opaque->content.attributes.find(key.id);
    if (known != holder.opaque->content.attributes.end()) {
      return known->second.dim();
    }
    const Dim dim = terms.symbol(axis == 0 ? "N" : fmt::format("{}{}", holder.opaque->name, axis));
    heap.change(*holder.opaque).attributes[key.id] = Value::of(dim);
    return dim;
  }
  return terms.symbol(axis == 0 ? "N" : "n");
}

Value Interpreter::shape_value(const Value &holder, const Tensor &tensor) {
  if (tensor.shape.is_known()) {
    std::vector<Value> sizes;
    for (const Dim dim : tensor.shape.dims) {
      // A size that is not known is some number all the same, and one and the same wherever it goes. In a graph of
      // TensorFlow it is None.
      const bool may_be_none = tensor.library == Library::TensorFlow && !dim.is_constant();
      sizes.push_back(may_be_none ? Value() : Value::of(dim.is_known() ? dim : Dim{}));
    }
    const Value list = heap.new_list(std::move(sizes), Tag::Tuple);
    list.list->is_shape = !holder.is(Tag::Opaque); // of what comes from outside, the rank is a guess
    return list;
  }
  const Value list = heap.new_open_list(Value::of(Dim{}), Tag::Tuple);
  list.list->holder = holder;
  return list;
}

Value Interpreter::tensor_attribute(const Value &value, const Tensor &tensor, Symbol name, const Expr *node) {
  if (tensor.library == Library::Jax && name.text() == "at") {
    Object *const places = heap.new_object(nullptr, intern("jax.Array.at"));
    places->content.attributes[intern("*array").id] = value;
    return Value::of(places);
  }
  const std::string_view text = name.text();
  if (text == "shape") {
    return shape_value(value, tensor);
  }
  if (text == "ndim") {
    return tensor.shape.is_known() ? Value::of_int(static_cast<i64>(tensor.shape.rank())) : Value::of(Dim{});
  }
  if (text == "dtype") {
    return Value::of(tensor.dtype);
  }
  if (text == "device") {
    return Value::of(tensor.device);
  }
  if (text == "requires_grad") {
    return Value::of(tensor.grad);
  }
  if (text == "T" || text == "mT" || text == "H") {
    Tensor turned = tensor;
    if (tensor.shape.is_known()) {
      std::vector<Dim> dims(tensor.shape.dims.begin(), tensor.shape.dims.end());
      if (text == "T") {
        std::ranges::reverse(dims);
      } else if (dims.size() >= 2) {
        std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
      }
      turned.shape = heap.shape(dims);
    } else {
      turned.shape = {};
    }
    turned.is_parameter = false;
    return make_tensor(turned, intern("T"), node, {&tensor});
  }
  if (text == "data" || text == "real" || text == "grad") {
    Tensor same = tensor;
    same.grad = text == "real" ? tensor.grad : Truth::No;
    same.is_parameter = false;
    return text == "data" || text == "grad" ? make_tensor(same, intern(text), node, {&tensor}) : plain_tensor(same);
  }
  if (text == "size" && tensor.library == Library::Numpy) {
    return Value::of(numel(*this, tensor.shape));
  }
  if (text == "is_cuda" || text == "is_leaf" || text == "names" || text == "flags" || text == "itemsize") {
    return {};
  }
  return bound(value, name);
}

Dim numel(Interpreter &in, const Shape &shape) {
  if (!shape.is_known()) {
    return {};
  }
  Dim product = Dim::of(1);
  for (const Dim dim : shape.dims) {
    product = in.terms.multiply(product, dim);
  }
  return product;
}

std::optional<u32> axis_of(Operation &operation, const Tensor &tensor, i64 axis, std::string_view name, bool for_new) {
  if (!tensor.shape.is_known()) {
    return {};
  }
  const i64 rank = static_cast<i64>(tensor.shape.rank()) + (for_new ? 1 : 0);
  const i64 least = std::max<i64>(rank, 1);
  if (axis >= -least && axis < least) {
    return static_cast<u32>(axis < 0 ? axis + least : axis);
  }
  if (Problem *problem = operation.in.report(Fault::WrongRank, operation.place(name),
                                             fmt::format("{} {} is out of range for {}, which has {} dimension{}", name,
                                                         axis, operation.in.text_of(tensor), tensor.shape.rank(),
                                                         tensor.shape.rank() == 1 ? "" : "s"))) {
    operation.in.add_chain(*problem, tensor);
    problem->advice = fmt::format("use a dimension from {} to {}", -least, least - 1);
  }
  return {};
}

} // namespace deepperf::shapes
