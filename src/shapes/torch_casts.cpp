// Dtypes and devices of tensors: to(), cuda(), float(), numpy().
#include "shapes/registry.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace torch_casts {
namespace {

Value call_to(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  Tensor tensor = *input;
  tensor.is_parameter = false;
  std::vector<Value> given = op.rest;
  given.push_back(op.arg("device"));
  given.push_back(op.arg("dtype"));
  if (op.is_open) {
    tensor.dtype = Dtype::Unknown;
    tensor.device = {};
  }
  for (const Value &value : given) {
    switch (value.tag) {
    case Tag::None:
    case Tag::Bool:
      break;
    case Tag::Dtype:
      tensor.dtype = value.dtype();
      break;
    case Tag::Device:
    case Tag::Int:
      tensor.device = op.in.as_device(value);
      break;
    case Tag::Str:
      tensor.device = device_named(value.text());
      break;
    case Tag::Tensor:
      tensor.dtype = value.tensor->dtype;
      tensor.device = value.tensor->device;
      break;
    default: // a device or a dtype
      tensor.device = {};
      tensor.dtype = Dtype::Unknown;
    }
  }
  return op.result(tensor, {input});
}

Value cast(Operation &op, Dtype dtype) {
  const Tensor *const input = op.tensor("input");
  return input != nullptr ? op.like(*input, input->shape, dtype) : Value();
}

Value call_float(Operation &op) { return cast(op, Dtype::Float32); }
Value call_double(Operation &op) { return cast(op, Dtype::Float64); }
Value call_half(Operation &op) { return cast(op, Dtype::Float16); }
Value call_bfloat(Operation &op) { return cast(op, Dtype::BFloat16); }
Value call_long(Operation &op) { return cast(op, Dtype::Int64); }
Value call_int(Operation &op) { return cast(op, Dtype::Int32); }
Value call_bool(Operation &op) { return cast(op, Dtype::Bool); }
Value call_byte(Operation &op) { return cast(op, Dtype::UInt8); }

Value call_type(Operation &op) {
  const Value dtype = op.arg("dtype");
  const Tensor *const input = op.tensor("input");
  if (input == nullptr || dtype.is(Tag::None)) {
    return {};
  }
  Dtype wanted = op.in.as_dtype(dtype);
  if (wanted == Dtype::Unknown) {
    const std::string_view name = dtype.is(Tag::Api) || dtype.is(Tag::Str) ? dtype.text() : std::string_view{};
    struct Legacy {
      std::string_view name;
      Dtype dtype;
    };
    static constexpr Legacy kLegacy[] = {{"torch.FloatTensor", Dtype::Float32},  {"torch.LongTensor", Dtype::Int64},
                                         {"torch.DoubleTensor", Dtype::Float64}, {"torch.IntTensor", Dtype::Int32},
                                         {"torch.BoolTensor", Dtype::Bool},      {"torch.HalfTensor", Dtype::Float16},
                                         {"torch.ByteTensor", Dtype::UInt8}};
    for (const Legacy &legacy : kLegacy) {
      if (legacy.name == name) {
        wanted = legacy.dtype;
      }
    }
    Tensor tensor = *input;
    tensor.dtype = wanted;
    tensor.is_parameter = false;
    tensor.device = wanted == Dtype::Unknown ? Device{} : input->device;
    return op.result(tensor, {input});
  }
  return op.like(*input, input->shape, wanted);
}

Value call_type_as(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const other = op.tensor("other");
  if (input == nullptr) {
    return {};
  }
  Tensor tensor = *input;
  tensor.is_parameter = false;
  tensor.dtype = other != nullptr ? other->dtype : Dtype::Unknown;
  tensor.device = other != nullptr ? other->device : Device{};
  return op.result(tensor, {input});
}

Value move(Operation &op, Device device) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  Tensor tensor = *input;
  tensor.is_parameter = false;
  tensor.device = device;
  return op.result(tensor, {input});
}

Value call_cpu(Operation &op) { return move(op, {Device::Kind::Cpu}); }
Value call_cuda(Operation &op) {
  const Value device = op.arg("device");
  return move(op, device.is(Tag::None) ? Device{Device::Kind::Gpu} : op.in.as_device(device));
}

Value call_detach(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  Tensor tensor = *input;
  tensor.is_parameter = false;
  tensor.grad = Truth::No;
  return op.result(tensor, {input});
}

Value call_numpy(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  const bool on_gpu = input->device.kind == Device::Kind::Gpu || input->device.kind == Device::Kind::Variable;
  const bool is_forced = op.truth("force") != Truth::No;
  if (input->library == Library::Torch && !is_forced && (input->grad == Truth::Yes || on_gpu)) {
    if (Problem *problem =
            op.report(Fault::NumpyOfGrad, input->grad == Truth::Yes
                                              ? "numpy() cannot be called on a tensor that requires grad"
                                              : "numpy() cannot be called on a tensor that is not on the CPU")) {
      op.in.add_chain(*problem, *input);
      problem->advice = input->grad == Truth::Yes && on_gpu ? "use .detach().cpu().numpy()"
                        : input->grad == Truth::Yes         ? "use .detach().numpy()"
                                                            : "use .cpu().numpy()";
      const auto *call = as<Call>(op.node);
      const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
      if (method != nullptr) {
        const std::string text = std::string(input->grad == Truth::Yes ? ".detach()" : "") + (on_gpu ? ".cpu()" : "");
        problem->fix = Problem::Edit{{method->value->end, method->value->end}, text};
      }
    }
  }
  Tensor tensor = *input;
  tensor.library = Library::Numpy;
  tensor.device = {Device::Kind::Cpu};
  tensor.grad = Truth::No;
  tensor.is_parameter = false;
  return op.result(tensor, {input});
}

Value call_requires_grad(Operation &op) {
  const Value receiver = op.arg("input");
  const Tensor *const input = op.in.as_tensor(receiver);
  if (input == nullptr) {
    return {};
  }
  Tensor tensor = *input;
  tensor.grad = op.truth("requires_grad");
  if (tensor.grad != Truth::Yes) {
    op.in.is_frozen_somewhere = true; // it may be a parameter of any layer
  }
  return op.in.plain_tensor(tensor);
}

// torch.device("cuda"), torch.device(0)
Value call_device(Operation &op) {
  const Value type = op.arg("type");
  Device device = op.in.as_device(type);
  if (const auto index = op.integer("index"); index && device.kind == Device::Kind::Gpu) {
    device.index = static_cast<std::int8_t>(std::clamp<i64>(*index, 0, 100));
  }
  return Value::of(device);
}

Value call_has_gpu(Operation &) { return Value(Tag::HasGpu); }
Value call_default_dtype(Operation &op) {
  op.in.is_changed_default_dtype = true;
  return Value::none();
}
Value call_default_device(Operation &op) {
  op.in.is_changed_default_device = true;
  op.in.is_changed_default_dtype = true;
  return Value::none();
}
Value call_identity(Operation &op) { return op.arg("input"); }
// torch.set_grad_enabled(…): who records gradients from now on is not followed.
void make_grad_mode(Operation &op) { op.in.is_frozen_somewhere = true; }

constexpr TransferEntry kTable[] = {
    {"to", call_to},
    {"to_float", call_float},
    {"to_double", call_double},
    {"to_half", call_half},
    {"to_bfloat16", call_bfloat},
    {"to_long", call_long},
    {"to_int", call_int},
    {"to_bool", call_bool},
    {"to_byte", call_byte},
    {"type", call_type},
    {"type_as", call_type_as},
    {"cpu", call_cpu},
    {"cuda", call_cuda},
    {"detach", call_detach},
    {"numpy", call_numpy},
    {"requires_grad", call_requires_grad},
    {"device", call_device},
    {"has_gpu", call_has_gpu},
    {"default_dtype", call_default_dtype},
    {"default_device", call_default_device},
    {"identity", call_identity},
    {"grad_mode", nullptr, make_grad_mode},
};

} // namespace
} // namespace torch_casts

std::span<const TransferEntry> torch_cast_transfers() { return torch_casts::kTable; }

} // namespace deepperf::shapes
