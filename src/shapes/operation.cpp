// What transfer functions ask for.
#include "shapes/registry.h"

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

// The place of an argument in a signature; -1 if it has none of that name.
int place_in(const std::vector<SpecParam> &params, std::string_view name) {
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].name.text() == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

} // namespace

Value Operation::arg(std::string_view name) const {
  if (const int at = place_in(spec.call, name); at >= 0) {
    const auto place = static_cast<std::size_t>(at);
    if (place < args.size() && !args[place].is(Tag::Undefined)) {
      return args[place];
    }
    return is_open ? Value() : in.default_of(spec.call[place]);
  }
  if (layer != nullptr) {
    if (const int at = place_in(spec.make, name); at >= 0) {
      const auto place = static_cast<std::size_t>(at);
      const std::vector<Value> &made = layer->content.args;
      if (place < made.size() && !made[place].is(Tag::Undefined)) {
        return made[place];
      }
    }
  }
  return {};
}

bool Operation::is_given(std::string_view name) const {
  const int at = place_in(spec.call, name);
  return at >= 0 && static_cast<std::size_t>(at) < args.size() &&
         !args[static_cast<std::size_t>(at)].is(Tag::Undefined);
}

std::optional<i64> Operation::integer(std::string_view name) const {
  const Value value = arg(name);
  if (value.is(Tag::Int) && value.dim().is_constant()) {
    return value.dim().value;
  }
  return {};
}

std::vector<Dim> Operation::sizes(std::string_view name, u32 count) const {
  const Value value = arg(name);
  std::vector<Dim> dims;
  if (value.is_sequence()) {
    if (in.as_dims(value, dims)) {
      if (dims.size() == 1) {
        dims.resize(count, dims[0]);
      }
      if (dims.size() == count) {
        return dims;
      }
    }
    return std::vector<Dim>(count);
  }
  return std::vector<Dim>(count, in.as_dim(value));
}

const Node *Operation::place(std::string_view name) const {
  const auto *call = as<Call>(node);
  if (call != nullptr) {
    for (const Keyword *keyword : call->keywords) {
      if (keyword->name.text() == name) {
        return keyword->value;
      }
    }
    if (const int at = place_in(spec.call, name); at >= 0) {
      const bool is_method = call->func->kind == NodeKind::Attribute && layer == nullptr && spec.call.size() > 0 &&
                             in.is_method_call(call);
      const u32 position = static_cast<u32>(at) - (is_method ? 1 : 0);
      if (is_method && at == 0) {
        return static_cast<const Attribute *>(call->func)->value;
      }
      if (position < call->args.size()) {
        return call->args[position];
      }
    }
  }
  return node;
}

Value Operation::like(const Tensor &input, const Shape &shape) const { return like(input, shape, input.dtype); }

Value Operation::like(const Tensor &input, const Shape &shape, Dtype dtype) const {
  Tensor tensor = input;
  tensor.shape = shape;
  tensor.dtype = dtype;
  tensor.is_parameter = false;
  tensor.is_weak = false;
  if (!in.records_gradients() || (dtype != Dtype::Unknown && !is_floating(dtype))) {
    tensor.grad = Truth::No;
  }
  return result(tensor, {&input});
}

Value Operation::result(const Tensor &tensor, const std::vector<const Tensor *> &inputs) const {
  if (tensor.shape.kind == Shape::Kind::Unknown) {
    for (const Tensor *input : inputs) {
      if (input != nullptr && input->shape.is_known()) {
        in.lose(node, api ? api.text() : "?");
      }
    }
  }
  return in.make_tensor(tensor, api, node, inputs, layer);
}

Value Operation::unknown_tensor(const Tensor *input) const {
  Tensor tensor;
  std::vector<const Tensor *> inputs;
  if (input != nullptr) {
    tensor.library = input->library;
    tensor.device = input->device;
    inputs.push_back(input);
  } else {
    tensor.library = Library::Torch;
  }
  return result(tensor, inputs);
}

Problem *Operation::report(Fault fault, std::string message) const {
  return in.report(fault, node, std::move(message));
}

std::string_view Operation::short_name() const {
  if (layer != nullptr && layer->name) {
    return layer->name.text();
  }
  const std::string_view text = api ? api.text() : std::string_view("this");
  return text.substr(text.rfind('.') + 1);
}

} // namespace deepperf::shapes
