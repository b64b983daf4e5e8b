#include "shapes/module_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

bool is_float(const Value &value) { return value.is(Tag::Float); }

// In Python 2, 8 / 2 is an integer.
bool divides_to_floats(const Interpreter &in) {
  return in.module() != nullptr && !in.module()->parsed->tree.is_python2;
}

} // namespace

void check_kind_of_input(Operation &op) {
  const std::string_view api = op.api ? op.api.text() : std::string_view{};
  if (!api.starts_with("torch.nn.") || op.spec.call.empty() || op.spec.call[0].name.text() != "input" ||
      op.args.empty() || (op.layer != nullptr && op.layer->type != nullptr)) {
    return;
  }
  const bool has_target = op.spec.call.size() > 1 && op.spec.call[1].name.text() == "target";
  if (!has_target && (op.layer == nullptr || op.spec.weights.empty())) {
    return;
  }
  const Value &value = op.args[0];
  std::string_view kind;
  if (value.is(Tag::None)) {
    kind = "None";
  } else if (value.is(Tag::Dict)) {
    kind = "a dictionary";
  } else if (value.is(Tag::Tensor) && value.tensor->library == Library::Numpy &&
             value.tensor->step < op.in.steps.size() &&
             op.in.steps[value.tensor->step].operation.text().starts_with("numpy.")) { // made here
    kind = "an array of NumPy";
  } else if (value.is(Tag::List) && !value.list->content.is_open && !value.list->content.items.empty() &&
             std::ranges::all_of(value.list->content.items,
                                 [](const Value &item) { return item.is(Tag::Int) || item.is(Tag::Float); })) {
    kind = "a list of numbers";
  } else {
    return;
  }
  if (Problem *problem =
          op.report(Fault::Arity, fmt::format("{} takes a tensor, but gets {}", op.short_name(), kind))) {
    if (value.is(Tag::Tensor)) {
      op.in.add_chain(*problem, *value.tensor);
    }
    problem->advice = value.is(Tag::None)   ? "the function that made it returns nothing: return its result"
                      : value.is(Tag::Dict) ? "pass the tensor that it holds under its key"
                                            : "convert it first: torch.as_tensor(x, dtype=torch.float32)";
  }
}

void check_sizes_of_layer(Operation &op, const std::vector<Value> &args) {
  static constexpr std::string_view kSizes[] = {
      "in_features", "out_features", "in_channels",  "out_channels",   "num_embeddings", "embedding_dim",
      "input_size",  "hidden_size",  "num_features", "num_layers",     "embed_dim",      "num_heads",
      "d_model",     "nhead",        "kernel_size",  "stride",         "padding",        "dilation",
      "groups",      "num_channels", "num_groups",   "dim_feedforward"};
  const std::string_view api = op.api ? op.api.text() : std::string_view{};
  if (!api.starts_with("torch.nn.") || op.is_open || !divides_to_floats(op.in)) {
    return;
  }
  for (std::size_t i = 0; i < op.spec.make.size() && i < args.size(); ++i) {
    const std::string_view name = op.spec.make[i].name.text();
    const bool has_float =
        is_float(args[i]) || (args[i].is_sequence() && std::ranges::any_of(args[i].list->content.items, is_float));
    if (!has_float || std::ranges::find(kSizes, name) == std::end(kSizes)) {
      continue;
    }
    if (Problem *problem = op.report(Fault::ImpossibleLayer, fmt::format("{} of {} must be an integer, but is a float",
                                                                         name, api.substr(api.rfind('.') + 1)))) {
      problem->advice = "divide with //, or convert the number: int(x)";
    }
    return;
  }
}

void check_sizes_of_call(Operation &op) {
  static constexpr std::string_view kNames[] = {"view", "reshape", "expand", "repeat", "zeros",
                                                "ones", "rand",    "randn",  "empty",  "new_zeros"};
  if (op.layer != nullptr || std::ranges::find(kNames, op.short_name()) == std::end(kNames) ||
      !divides_to_floats(op.in)) {
    return;
  }
  const std::string_view api = op.api.text();
  const bool is_method = api.find('.') == std::string_view::npos;
  const Tensor *const input = is_method && op.is_given("input") ? op.tensor("input") : nullptr;
  if (is_method ? input == nullptr || input->library != Library::Torch : !api.starts_with("torch.")) {
    return;
  }
  const bool has_float = std::ranges::any_of(op.rest, [](const Value &size) {
    return is_float(size) || (size.is_sequence() && std::ranges::any_of(size.list->content.items, is_float));
  });
  if (!has_float) {
    return;
  }
  if (Problem *problem = op.report(
          Fault::ReshapeSize, fmt::format("{} takes sizes that are integers, but one is a float", op.short_name()))) {
    problem->advice = "divide with //, or convert the number: int(x)";
  }
}

void check_has_attribute(Interpreter &in, const Object &object, Symbol name, const Expr *node) {
  static constexpr std::string_view kOfModule[] = {"add_module",
                                                   "apply",
                                                   "bfloat16",
                                                   "buffers",
                                                   "call_super_init",
                                                   "children",
                                                   "compile",
                                                   "cpu",
                                                   "cuda",
                                                   "double",
                                                   "dump_patches",
                                                   "eval",
                                                   "extra_repr",
                                                   "float",
                                                   "forward",
                                                   "get_buffer",
                                                   "get_extra_state",
                                                   "get_parameter",
                                                   "get_submodule",
                                                   "half",
                                                   "ipu",
                                                   "load_state_dict",
                                                   "modules",
                                                   "mtia",
                                                   "named_buffers",
                                                   "named_children",
                                                   "named_modules",
                                                   "named_parameters",
                                                   "parameters",
                                                   "register_backward_hook",
                                                   "register_buffer",
                                                   "register_forward_hook",
                                                   "register_forward_pre_hook",
                                                   "register_full_backward_hook",
                                                   "register_full_backward_pre_hook",
                                                   "register_load_state_dict_post_hook",
                                                   "register_load_state_dict_pre_hook",
                                                   "register_module",
                                                   "register_parameter",
                                                   "register_state_dict_post_hook",
                                                   "register_state_dict_pre_hook",
                                                   "requires_grad_",
                                                   "set_extra_state",
                                                   "set_submodule",
                                                   "share_memory",
                                                   "state_dict",
                                                   "to",
                                                   "to_empty",
                                                   "train",
                                                   "training",
                                                   "type",
                                                   "xpu",
                                                   "zero_grad",
                                                   "T_destination"};
  const std::string_view text = name.text();
  const auto *attribute = as<Attribute>(node);
  const auto *self = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  if (self == nullptr || self->id.text() != "self" || object.type == nullptr || object.content.is_open ||
      object.type->has_unknown_base || !object.type->api || object.type->api.text() != "torch.nn.Module" ||
      text.starts_with("_") || std::ranges::find(kOfModule, text) != std::end(kOfModule) ||
      std::ranges::binary_search(in.project.stored_elsewhere, name.id)) {
    return;
  }
  const Frame *const frame = in.current_frame();
  if (frame == nullptr || frame->function == nullptr || frame->function->name.text() != "forward") {
    return;
  }
  // Whatever sets attributes by other means, or elsewhere, may have set this one.
  static constexpr std::string_view kOtherMeans[] = {"setattr",   "__dict__", "add_module", "register_",  "vars(",
                                                     "__getattr", "hasattr",  "getattr",    "ModuleDict", "exec("};
  const std::string stored = "." + std::string(text);
  for (const ClassObject *base : object.type->order) {
    const std::string_view source = in.source_of(base->module, base->node);
    if (std::ranges::any_of(kOtherMeans,
                            [&](std::string_view means) { return source.find(means) != std::string_view::npos; })) {
      return;
    }
    const std::string_view whole = base->module->parsed->source.text();
    for (std::size_t at = whole.find(stored); at != std::string_view::npos; at = whole.find(stored, at + 1)) {
      std::size_t next = at + stored.size();
      while (next < whole.size() && whole[next] == ' ') {
        ++next;
      }
      const bool is_stored = next < whole.size() && (whole[next] == '=' || whole[next] == ':' || whole[next] == ',');
      if (is_stored && !(next + 1 < whole.size() && whole[next] == '=' && whole[next + 1] == '=')) {
        return;
      }
    }
  }
  if (Problem *problem =
          in.report(Fault::Arity, node, fmt::format("{} has no attribute {}", object.type->name.text(), text))) {
    problem->notes.push_back({object.type->module, object.type->node->name_span, "its class is defined here"});
    problem->advice = "create it in __init__, or correct the name";
  }
}

} // namespace deepperf::shapes
