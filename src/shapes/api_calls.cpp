// Calls of APIs, by the signatures of the tables.
#include "shapes/frames.h"
#include "shapes/keras.h"
#include "shapes/module_checks.h"
#include "shapes/registry.h"

#include "frameworks/shape_column.h"
#include "python/literals.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

std::unique_ptr<Spec> read(std::string_view column) {
  if (column.empty()) {
    return nullptr;
  }
  auto spec = std::make_unique<Spec>();
  std::string error;
  return read_spec(column, *spec, error) ? std::move(spec) : nullptr;
}

Kind kind_of(Library library) {
  switch (library) {
  case Library::Torch:
    return Kind::TorchTensor;
  case Library::Numpy:
    return Kind::NumpyArray;
  case Library::TensorFlow:
    return Kind::Variable; // which has the methods of a tensor as well
  case Library::Jax:
    return Kind::JaxArray;
  default:
    return Kind::Unknown;
  }
}

} // namespace

const Spec *Interpreter::spec_of(Symbol api) {
  const auto [place, is_new] = specs_.try_emplace(api.id);
  if (is_new) {
    place->second = read(shape_column(Kind::Unknown, api));
  }
  return place->second.get();
}

const Spec *Interpreter::method_spec(Library library, Symbol method) {
  const Kind kind = kind_of(library == Library::Unknown ? Library::Torch : library);
  const auto [place, is_new] = method_specs_.try_emplace((u64{static_cast<u8>(kind)} << 32) | method.id);
  if (is_new) {
    place->second = read(shape_column(kind, method));
  }
  return place->second.get();
}

Value Interpreter::default_of(const SpecParam &param) {
  const std::string_view text = param.text_default;
  if (text.empty()) {
    return {};
  }
  if (text == "None") {
    return Value::none();
  }
  if (text == "True" || text == "False") {
    return Value::of_bool(text == "True");
  }
  if (text.front() == '\'') {
    return Value::of_text(intern(text.substr(1, text.size() - 2)));
  }
  if (text.find('.') != std::string_view::npos || text.find('e') != std::string_view::npos) {
    return Value::of_float(float_value(text));
  }
  const bool is_negative = text.front() == '-';
  const auto number = int_value(is_negative ? text.substr(1) : text);
  return number ? Value::of_int(is_negative ? -*number : *number) : Value();
}

namespace {

// Puts arguments in the order of a signature. False if they do not fit it.
bool order(const std::vector<SpecParam> &params, const Arguments &arguments, std::vector<Value> &args,
           std::vector<Value> &rest, std::vector<std::pair<Symbol, Value>> &more) {
  args.assign(params.size(), Value(Tag::Undefined));
  std::size_t at = 0;
  for (const Value &value : arguments.positional) {
    if (at < params.size() && params[at].takes_rest) {
      rest.push_back(value);
      continue;
    }
    if (at >= params.size() || params[at].takes_keywords) {
      return false;
    }
    args[at++] = value;
  }
  for (const auto &[name, value] : arguments.keywords) {
    // NumPy's names for what PyTorch calls otherwise.
    const std::string_view text = name.text();
    const Symbol other = text == "axis" ? intern("dim") : text == "keepdims" ? intern("keepdim") : name;
    const auto found =
        std::ranges::find_if(params, [&](const SpecParam &param) { return param.name == name || param.name == other; });
    if (found != params.end()) {
      args[static_cast<std::size_t>(found - params.begin())] = value;
    } else {
      more.emplace_back(name, value);
    }
  }
  return true;
}

// A keyword that the signature does not name may change anything, unless it is one of these.
bool has_unknown_keyword(const std::vector<SpecParam> &params, const std::vector<std::pair<Symbol, Value>> &more) {
  if (std::ranges::any_of(params, &SpecParam::takes_keywords)) {
    return false;
  }
  static constexpr std::string_view kHarmless[] = {"out",
                                                   "generator",
                                                   "layout",
                                                   "pin_memory",
                                                   "memory_format",
                                                   "non_blocking",
                                                   "copy",
                                                   "names",
                                                   "name",
                                                   "inplace",
                                                   "device",
                                                   "dtype",
                                                   "timeout",
                                                   "worker_init_fn",
                                                   "prefetch_factor",
                                                   "multiprocessing_context",
                                                   "persistent_workers",
                                                   "help",
                                                   "choices",
                                                   "metavar",
                                                   "pin_memory_device",
                                                   "antialias",
                                                   "interpolation",
                                                   "padding_idx",
                                                   "max_norm",
                                                   "sparse",
                                                   "scale_grad_by_freq",
                                                   "norm_type",
                                                   "align_corners"};
  return std::ranges::any_of(more, [](const auto &keyword) {
    return std::ranges::find(kHarmless, keyword.first.text()) == std::end(kHarmless);
  });
}

// A function or loss of PyTorch that takes tensors gets what a module gives several of.
void check_no_tuple(Operation &op) {
  const std::string_view api = op.api ? op.api.text() : std::string_view{};
  if (!api.starts_with("torch.") || api.find("atleast_") != std::string_view::npos) {
    return;
  }
  for (std::size_t i = 0; i < op.spec.call.size() && i < op.args.size() && i < 2; ++i) {
    const std::string_view name = op.spec.call[i].name.text();
    const bool is_tensor = (name == "input" && (op.layer == nullptr || api.ends_with("Loss"))) || name == "target";
    const Value &value = op.args[i];
    if (!is_tensor || !value.is(Tag::Tuple) || value.list->content.is_open || value.list->content.items.size() < 2 ||
        value.list->holder.tag != Tag::Unknown) {
      continue;
    }
    const std::vector<Value> &items = value.list->content.items;
    if (!std::ranges::all_of(items, [](const Value &item) { return item.is(Tag::Tensor); })) {
      continue;
    }
    if (Problem *problem = op.report(
            Fault::Arity, fmt::format("{} takes a tensor, but gets a tuple of {}", op.short_name(), items.size()))) {
      op.in.add_chain(*problem, *items[0].tensor);
      problem->advice = "pass one of its elements";
    }
    return;
  }
}

// A layer that takes one tensor gets more: nothing else is taken from a call of it.
void check_layer_arity(Operation &op, const Arguments &arguments) {
  const std::string_view api = op.api ? op.api.text() : std::string_view{};
  const bool takes_one = op.spec.call.size() == 1 && op.spec.call[0].name.text() == "input";
  if (op.layer == nullptr || op.layer->type != nullptr || !api.starts_with("torch.nn.") || !takes_one ||
      arguments.is_open || arguments.positional.size() < 2 || !arguments.keywords.empty()) {
    return;
  }
  if (Problem *problem = op.report(Fault::Arity, fmt::format("{} takes 1 argument, but gets {}", op.short_name(),
                                                             arguments.positional.size()))) {
    problem->advice = "pass one tensor; options of the layer belong where it is created";
  }
}

// x.transpose(0, 2, 1): of PyTorch it takes two dimensions, as NumPy's takes all of them.
void check_transpose(Operation &op, const Arguments &arguments) {
  const bool is_torch = !arguments.positional.empty() && arguments.positional[0].is(Tag::Tensor) &&
                        arguments.positional[0].tensor->library == Library::Torch;
  if (!is_torch || op.short_name() != "transpose" || op.layer != nullptr || arguments.positional.size() < 4) {
    return;
  }
  if (Problem *problem = op.report(
          Fault::Arity, fmt::format("transpose takes 2 dimensions, but gets {}", arguments.positional.size() - 1))) {
    op.in.add_chain(*problem, *arguments.positional[0].tensor);
    problem->advice = "use permute to name all dimensions";
  }
}

// A layer that takes several tensors gets fewer: attention without a value, a loss without a target.
void check_missing(Operation &op, const Arguments &arguments) {
  const std::string_view api = op.api ? op.api.text() : std::string_view{};
  const bool is_checked = api.starts_with("torch.nn.") || api == "tensorflow.keras.layers.MultiHeadAttention";
  if (!is_checked || op.layer == nullptr || op.layer->type != nullptr || arguments.is_open || !op.more.empty() ||
      !op.rest.empty() || arguments.node == nullptr) {
    return;
  }
  std::string names;
  std::size_t required = 0;
  for (std::size_t i = 0; i < op.spec.call.size(); ++i) {
    const SpecParam &param = op.spec.call[i];
    const bool is_required = param.text_default.empty() && !param.takes_rest && !param.takes_keywords;
    required += is_required ? 1 : 0;
    if (is_required && op.args[i].is(Tag::Undefined)) {
      names += (names.empty() ? "" : ", ") + std::string(param.name.text());
    }
  }
  if (names.empty() || required < 2) {
    return;
  }
  if (Problem *problem = op.report(Fault::Arity, fmt::format("{} is called without {}", op.short_name(), names))) {
    problem->advice = api.ends_with("Attention") || api.ends_with("attention")
                          ? "self-attention takes the same tensor as query, key and value"
                          : "pass the missing argument";
  }
}

} // namespace

Value Interpreter::call_spec(const Spec &spec, Symbol api, Arguments &arguments, const Expr *node, Object *layer) {
  Operation operation{*this, spec, api, node, layer};
  operation.is_open = arguments.is_open;
  if (!order(spec.call, arguments, operation.args, operation.rest, operation.more)) {
    check_layer_arity(operation, arguments);
    check_transpose(operation, arguments);
    escape(arguments);
    return {};
  }
  operation.is_open = operation.is_open || has_unknown_keyword(spec.call, operation.more);
  check_no_tuple(operation);
  check_missing(operation, arguments);
  check_kind_of_input(operation);
  check_sizes_of_call(operation);
  if (!spec.pattern.empty()) {
    return call_pattern(operation);
  }
  const TransferEntry *const transfer = find_transfer(spec.transfer);
  return transfer != nullptr && transfer->call != nullptr ? transfer->call(operation) : Value();
}

void Interpreter::construct(Object &object, Symbol api, Arguments &arguments) {
  ObjectContent &content = heap.change(object);
  content.api = api;
  const Spec *const spec = spec_of(api);
  if (spec == nullptr || !spec->is_class) {
    content.is_open = true;
    return;
  }
  if (api.text().starts_with("tensorflow.keras.")) {
    keras_modernize(*this, api, arguments);
  }
  Operation operation{*this, *spec, api, arguments.node, &object};
  std::vector<Value> args;
  if (!order(spec->make, arguments, args, operation.rest, operation.more)) {
    content.is_open = true;
    content.args.clear();
    return;
  }
  operation.is_open = arguments.is_open || has_unknown_keyword(spec->make, operation.more);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].is(Tag::Undefined)) {
      args[i] = operation.is_open ? Value() : default_of(spec->make[i]);
    }
  }
  for (const auto &[name, value] : arguments.keywords) {
    if (name.text() == "device" && !value.is(Tag::None)) {
      content.device = as_device(value);
    } else if (name.text() == "dtype" && !value.is(Tag::None)) {
      content.dtype = as_dtype(value);
      if (content.dtype == Dtype::Unknown) {
        content.attributes[intern("*dtype").id] = Value::none();
      }
    }
  }
  check_sizes_of_layer(operation, args);
  content.args = std::move(args);
  const TransferEntry *const transfer = find_transfer(spec->transfer);
  if (transfer != nullptr && transfer->make != nullptr) {
    transfer->make(operation);
  }
}

Value Interpreter::call_api(Symbol api, Arguments &arguments, const Expr *node) {
  const std::string_view name = api.text();
  if (name.find('.') == std::string_view::npos) {
    bool is_known = true;
    const Value value = call_builtin(name, arguments, node, is_known);
    if (is_known) {
      return value;
    }
  }
  check_optimizer(*this, api, arguments, node);
  if (const Spec *const spec = spec_of(api)) {
    if (!spec->is_class) {
      return call_spec(*spec, api, arguments, node, nullptr);
    }
    Object *const object = heap.new_object(nullptr, api);
    object->content.device = is_changed_default_device ? Device{} : object->content.device;
    object->maker = arguments.node;
    object->module = module();
    construct(*object, api, arguments);
    return Value::of(object);
  }
  const ApiInfo *const info = find_api(api);
  // A progress bar gives what it goes over, and a compiled model computes what the model does.
  const bool is_same = name == "torch.compile" || name.starts_with("tqdm.");
  if (is_same && info != nullptr && (info->has(kPassesOn) || name == "torch.compile") &&
      !arguments.positional.empty()) {
    return arguments.positional[0];
  }
  escape(arguments);
  if (info == nullptr) {
    return {};
  }
  switch (info->returns) {
  case Kind::TorchTensor: {
    Tensor tensor;
    tensor.library = Library::Torch;
    std::vector<const Tensor *> inputs;
    for (const Value &value : arguments.positional) {
      if (value.is(Tag::Tensor)) {
        inputs.push_back(value.tensor);
      }
    }
    if (!inputs.empty()) {
      lose(node, name);
    }
    return plain_tensor(tensor);
  }
  case Kind::TorchModule:
  case Kind::TorchLoss:
  case Kind::NoGrad:
  case Kind::Autocast: {
    Object *const object = heap.new_object(nullptr, api);
    object->content.device = is_changed_default_device ? Device{} : object->content.device;
    object->maker = arguments.node;
    object->module = module();
    object->content.is_open = true;
    return Value::of(object);
  }
  default:
    return {};
  }
}

Value Interpreter::call_api_method(const Value &receiver, Symbol name, Arguments &arguments, const Expr *node) {
  bool is_known = true;
  Value value;
  switch (receiver.tag) {
  case Tag::List:
  case Tag::Tuple:
  case Tag::Set:
    value = call_list_method(receiver, name.text(), arguments, is_known);
    break;
  case Tag::Dict:
    value = call_dict_method(receiver, name.text(), arguments, is_known);
    break;
  case Tag::Str:
    value = call_text_method(receiver, name.text(), arguments, is_known);
    break;
  case Tag::Object: {
    value = call_module_method(*receiver.object, name, arguments, node, is_known);
    break;
  }
  case Tag::Class: { // a class method of an API's class
    const Symbol dotted = intern(std::string(receiver.type->api.text()) + "." + std::string(name.text()));
    const Spec *const spec = receiver.type->api ? spec_of(dotted) : nullptr;
    if (spec != nullptr && !spec->is_class && (spec->call.empty() || spec->call[0].name.text() != "self")) {
      return call_spec(*spec, dotted, arguments, node, nullptr);
    }
    is_known = false;
    break;
  }
  case Tag::Tensor:
  case Tag::Opaque: {
    const Tensor *const tensor = as_tensor(receiver);
    if (tensor == nullptr) {
      is_known = false;
      break;
    }
    if (name.text() == "shape" && receiver.is(Tag::Tensor) && tensor->library == Library::Torch) {
      report_shape_is_called(*this, node);
      return {};
    }
    if (const Spec *const spec = method_spec(tensor->library, name)) {
      arguments.positional.insert(arguments.positional.begin(), receiver);
      return call_spec(*spec, name, arguments, node, nullptr);
    }
    const ApiInfo *const info = deepperf::find_method(kind_of(tensor->library), name);
    if (tensor->shape.is_known() && (info == nullptr || info->returns != Kind::Unknown)) {
      lose(node, name.text());
    }
    if (name.text().ends_with("_") && !name.text().ends_with("__")) { // in place
      return receiver;
    }
    if (info != nullptr && (info->returns == Kind::TorchTensor || info->returns == Kind::NumpyArray)) {
      Tensor some;
      some.library = info->returns == Kind::TorchTensor ? Library::Torch : Library::Numpy;
      return plain_tensor(some);
    }
    is_known = false;
    break;
  }
  default:
    is_known = false;
  }
  if (!is_known) {
    escape(arguments);
    return {};
  }
  return value;
}

void Interpreter::escape(const Arguments &arguments) {
  const auto forget = [this](const Value &value) {
    if (value.is(Tag::List)) {
      ListContent &content = heap.change(*value.list);
      Value all(Tag::Undefined);
      for (const Value &item : content.items) {
        all = heap.join(all, item);
      }
      content.is_open = true;
      content.items.assign(1, all.is(Tag::Undefined) ? Value() : all);
    } else if (value.is(Tag::Dict)) {
      heap.change(*value.dict).is_open = true;
    } else if (is_frame(value)) {
      frame_change(*this, *value.object);
    }
  };
  for (const Value &value : arguments.positional) {
    forget(value);
  }
  for (const auto &[name, value] : arguments.keywords) {
    forget(value);
  }
}

} // namespace deepperf::shapes
