// What calls of PyTorch give: kinds, gradients, devices, and what numbers come out.
#include "base/known_names.h"
#include "model/call_arguments.h"
#include "python/call.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

// The result of a forward pass is part of an autograd graph, also where it is a tuple of tensors, and stands where the
// module's weights do.
Value Transfer::with_gradient_of_module(const Value &value, u8 device) {
  if (value.is_kind(Kind::TorchTensor) && value.alternatives == nullptr) {
    Value result = value;
    result.grad = around_.no_grad ? kNoGradient : kGradient;
    if (device != 0) {
      result.device = device & 7U;
    }
    return result;
  }
  if (value.is(Value::Tag::Tuple) && value.alternatives == nullptr) {
    const std::size_t first = items_.size();
    for (u32 i = 0; i < value.number; ++i) {
      items_.push_back(with_gradient_of_module(value.items[i], device));
    }
    Value result = make_tuple(std::span<const Value>(items_).subspan(first), value.uniform, arena_);
    items_.resize(first);
    result.few = value.few;
    result.open = value.open;
    result.none = value.none;
    return result;
  }
  if (value.alternatives != nullptr) {
    Value joined = value.open ? Value{} : Value::bottom();
    for_each_alternative(value, [&](const Value &one) { joined = join(joined, with_gradient_of_module(one, device)); });
    joined.none |= value.none && joined.known();
    return joined;
  }
  return value;
}

Value Transfer::call_torch_module(const Call *call, const Value &callee, const Arguments &arguments) {
  // What is only called like a model may be a class of models: `model = model(width=3)`.
  if (callee.kind == Kind::TorchModule && callee.maker() == nullptr && !callee.name() &&
      (call->args.empty() || has_hidden_arguments(*call))) {
    return {};
  }
  Value result = Value::made_by(Kind::TorchTensor, call, callee.name());
  // A loss of PyTorch has no weights: without a graph behind what it compares, there is none behind its result.
  const bool is_plain_loss = callee.kind == Kind::TorchLoss && callee.name() && callee.alternatives == nullptr &&
                             !call->args.empty() && call->keywords.empty() && !has_hidden_arguments(*call);
  bool may_have_graph = !is_plain_loss;
  // The classes that these two compare with are numbers of no graph, wherever they come from.
  const bool has_classes = is_plain_loss && (callee.name().text().ends_with("CrossEntropyLoss") ||
                                             callee.name().text().ends_with("NLLLoss"));
  for (u32 i = 0; i < (has_classes ? 1U : call->args.size()) && !may_have_graph; ++i) {
    const Value given = arguments.at(i);
    may_have_graph = !given.is_kind(Kind::TorchTensor) || given.alternatives != nullptr || given.grad != kNoGradient;
  }
  result.grad = around_.no_grad || !may_have_graph ? kNoGradient : kGradient;
  result.device = callee.device;
  result.output = callee.output != Output::Same ? callee.output : arguments.first().output;
  // Of a model that we know nothing of, and of the layers that return pairs, the result may be a tuple.
  const std::string_view name = callee.name() ? callee.name().text() : std::string_view{};
  const bool is_layer = name.starts_with("torch.nn.") && !name.ends_with("Parallel");
  const bool gives_pair = name.ends_with("LSTM") || name.ends_with("GRU") || name.ends_with("RNN") ||
                          name.ends_with("MultiheadAttention") || name.ends_with("LSTMCell");
  result.container =
      callee.kind == Kind::TorchModule && (gives_pair || (!is_layer && result.output == Output::Unknown));
  return result;
}

// What calling a module gives.
Output Transfer::module_output(const Value &module) {
  if (!module.is(Value::Tag::Object)) {
    return module.output;
  }
  read(units_.of_class(*module.type));
  const Value forward = module.type->kind == Kind::TorchModule ? member_of(module.type, known::sym_forward) : Value{};
  if (!forward.is(Value::Tag::Function)) {
    return Output::Unknown;
  }
  const Value returned = returns_of(*forward.function);
  return returned.is_kind(Kind::TorchTensor) ? returned.output : Output::Unknown;
}

// The same of an element of a list, which may be anything.
Output Transfer::layer_output(const Value &layer) {
  const bool is_layer =
      layer.alternatives == nullptr &&
      (layer.is_kind(Kind::TorchModule) || (layer.is(Value::Tag::Object) && layer.type->kind == Kind::TorchModule));
  return is_layer ? module_output(layer) : Output::Unknown;
}

// What the last layer gives that a call of Sequential is made of, also in an OrderedDict of names and layers, or in a
// list that was filled before: `Sequential(*layers)`.
Output Transfer::layers_output(const Call *call, const Arguments &arguments) {
  if (call->args.empty() || !call->keywords.empty()) {
    return Output::Unknown;
  }
  const Expr *const last = call->args.back();
  if (const auto *starred = as<Starred>(last)) {
    const Value layers = peek(starred->value);
    return layers.is(Value::Tag::Tuple) && layers.alternatives == nullptr && !layers.open ? layers.output
                                                                                          : Output::Unknown;
  }
  if (const auto *dict = as<Call>(last); dict != nullptr && dict->args.size() == 1 && call->args.size() == 1) {
    if (const auto *items = as<List>(dict->args[0]); items != nullptr && !items->elts.empty()) {
      const auto *pair = as<Tuple>(items->elts.back());
      if (pair != nullptr && pair->elts.size() == 2) {
        return module_output(peek(pair->elts[1]));
      }
    }
  }
  return module_output(arguments.last());
}

// Where `.to(…)`, `.cuda()` and `device=…` put a tensor. A device that is not written down counts as the GPU: people
// do not name the host's memory by a variable.
u8 Transfer::device_of(const Call *call, const Arguments &arguments, const Value &operand) {
  const Expr *named = call->args.empty() ? nullptr : call->args[0];
  for (const Keyword *keyword : call->keywords) {
    named = keyword->name && keyword->name.text() == "device" ? keyword->value : named;
  }
  if (const auto *made = as<Call>(named); made != nullptr && made->args.size() == 1) { // torch.device("cpu")
    named = made->args[0];
  }
  if (const StringConstant *text = as_string(named)) {
    return module_->parsed->source.part(text->start, text->end).find("cpu") != std::string_view::npos ? u8{kOnCpu}
                                                                                                      : u8{kOnGpu};
  }
  if (named != nullptr && named->kind == NodeKind::Name) {
    if (const Value place = peek(named); place.is_kind(Kind::TorchDevice) && place.maker() != nullptr &&
                                         place.alternatives == nullptr && !place.open && place.device == kOnCpu) {
      return kOnCpu;
    }
  }
  const Value first = arguments.first();
  if (named != nullptr && first.is(Value::Tag::Api) && first.name().text().starts_with("torch.")) { // a dtype
    return operand.device & 7U;
  }
  if (named != nullptr && !call->args.empty() && first.is_kind(Kind::TorchTensor)) { // .to(other)
    return first.device & 7U;
  }
  return kOnGpu;
}

// What a PyTorch function or method gives: with a gradient if something that goes in has one.
Value Transfer::torch_result(const ApiInfo &info, const Call *call, const Arguments &arguments, Symbol name,
                             const Value &receiver) {
  Value result = Value::made_by(info.returns, call, name);
  // load_dataset(name, split="train") gives that split alone.
  result.container =
      info.has(kContainerOf) && !(info.returns == Kind::HfDataset && keyword_argument(*call, "split") != nullptr);
  result.output = info.output;
  if (info.output == Output::LastArgument) {
    result.output = layers_output(call, arguments);
  } else if (info.output == Output::Same && info.returns != Kind::TorchModule) {
    result.output = receiver.known() ? receiver.output : arguments.first().output;
  }
  if (info.returns != Kind::TorchTensor) {
    result.device = info.has(kMoves) ? u8{kOnGpu} : receiver.device;
    if (info.returns == Kind::TorchDevice && device_of(call, arguments, {}) == kOnCpu) {
      result.device = kOnCpu; // torch.device("cpu"), under whatever name
    }
    return result;
  }
  const std::string_view text = name.text();
  const bool is_pair = text == "max" || text == "min" || text == "median" || text == "mode";
  if (is_pair && receiver.known() && (!call->args.empty() || !call->keywords.empty())) {
    result.container = true; // values and indices
  }
  bool has_gradient = receiver.has_gradient();
  bool is_unknown = false;  // something goes in of which nothing is known
  Value operand = receiver; // what stands for all operands when it comes to the device
  for (u32 i = 0; i < call->args.size(); ++i) {
    const Value value = arguments.at(i);
    const Value element = value.is(Value::Tag::Tuple) ? element_of(value) : value;
    has_gradient |= value.has_gradient() || element.has_gradient();
    is_unknown |= value.is_unknown();
    if (element.is_kind(Kind::TorchTensor)) {
      const u8 device = common_device(operand, element);
      operand = element;
      operand.device = device & 7U;
    }
  }
  bool is_placed = info.has(kMoves);
  for (const Keyword *keyword : call->keywords) {
    const std::string_view given = keyword->name ? keyword->name.text() : std::string_view{};
    has_gradient |= given == "requires_grad" && is_constant(keyword->value, ConstantKind::True);
    is_placed |= given == "device";
  }
  has_gradient |= text == "torch.nn.Parameter" || text == "torch.nn.parameter.Parameter";
  const bool is_cut = around_.no_grad || info.has(kNoGrads);
  result.grad = kNoGradient;
  if (!is_cut && (has_gradient || (is_unknown && info.has(kOp)))) {
    result.grad = has_gradient ? u8{kGradient} & 3U : 0U;
  }
  // What is made of numbers, or decoded from a file, is in the host's memory unless something else is said.
  const bool is_fresh = !receiver.known() && !operand.is_kind(Kind::TorchTensor) &&
                        (info.has(kConstant | kRandom) || (info.has(kIo) && info.has(kDecode))) &&
                        text.find(".cuda.") == std::string_view::npos;
  const u8 device = text == "cpu" || (is_fresh && !is_placed) ? u8{kOnCpu}
                    : is_placed                               ? device_of(call, arguments, operand)
                                                              : u8{operand.device};
  result.device = device & 7U;
  return result;
}

} // namespace deepperf::model
