#include "shapes/module_checks.h"

#include "base/known_names.h"

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

namespace {

// `width: int` in the class's body: a decorator, or a base that looks at annotations, may set it.
bool is_declared(const ClassDef &type, Symbol name) {
  return std::ranges::any_of(type.body, [name](const Stmt *statement) {
    const auto *field = as<AnnAssign>(statement);
    const auto *target = field != nullptr ? as<Name>(field->target) : nullptr;
    return target != nullptr && target->id == name;
  });
}

// Do classes below a base class have it? Then the base is made to be derived from.
bool is_of_subclass(const model::Project &project, const ClassObject &type, Symbol name) {
  const model::ClassInfo *const info = project.class_at(type.node);
  return info != nullptr && std::ranges::any_of(info->subclasses, [name](const model::ClassInfo *below) {
           return below->members.find(name.id) != below->members.end() ||
                  below->attributes.find(name.id) != below->attributes.end();
         });
}

} // namespace

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
  const bool is_parallel = object.type == nullptr && object.content.api.text() == "torch.nn.DataParallel";
  static constexpr std::string_view kOfParallel[] = {"module", "device_ids", "output_device", "dim", "src_device_obj"};
  if (is_parallel && attribute != nullptr && !text.starts_with("_") &&
      std::ranges::find(kOfModule, text) == std::end(kOfModule) &&
      std::ranges::find(kOfParallel, text) == std::end(kOfParallel) &&
      !std::ranges::binary_search(in.project.stored_elsewhere, name.id)) {
    if (Problem *problem = in.report(Fault::Arity, node, fmt::format("DataParallel has no attribute {}", text))) {
      problem->advice = fmt::format("the wrapped model has it: .module.{}", text);
    }
    return;
  }
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
  static constexpr std::string_view kOtherMeans[] = {"setattr",    "__dict__",  "add_module", "register_",
                                                     "vars(",      "__getattr", "hasattr",    "getattr",
                                                     "ModuleDict", "exec(",     "store_attr"}; // of fastcore
  const std::string stored = "." + std::string(text);
  in.doings.is_alone = false; // classes in other files decide
  // A class without a constructor has nothing of its own: its forward() is for the objects of others.
  const auto has_constructor = [](const ClassObject *base) {
    return base->frame->content.names.contains(known::sym_init.id);
  };
  if (is_of_subclass(in.project, *object.type, name) || std::ranges::none_of(object.type->order, has_constructor)) {
    return;
  }
  for (const ClassObject *base : object.type->order) {
    if (is_declared(*base->node, name)) {
      return;
    }
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

void check_index(Interpreter &in, const Value &object, const Value &index, const Expr *node) {
  const bool is_known = object.is(Tag::List) || object.is(Tag::Tuple) ||
                        (object.is(Tag::Tensor) &&
                         (object.tensor->library == Library::Torch || object.tensor->library == Library::Numpy));
  const auto has_float = [](const Value &one) {
    return one.is(Tag::Slice) &&
           (is_float(one.slice->lower) || is_float(one.slice->upper) || is_float(one.slice->step));
  };
  const bool is_wrong =
      has_float(index) || (index.is(Tag::Tuple) && std::ranges::any_of(index.list->content.items, has_float));
  if (!is_known || !is_wrong || !divides_to_floats(in)) {
    return;
  }
  if (Problem *problem =
          in.report(Fault::WrongRank, node, "the bounds of a slice must be integers, but one is a float")) {
    problem->advice = "convert it: int(0.8 * len(x)), or divide with //";
  }
}

namespace {

// Results of an operation of PyTorch.
bool are_torch_tensors(const Value &value) {
  return (value.is(Tag::Tuple) || value.is(Tag::List)) && !value.list->content.is_open && !value.list->is_shape &&
         !value.list->content.items.empty() && std::ranges::all_of(value.list->content.items, [](const Value &item) {
           return item.is(Tag::Tensor) && item.tensor->library == Library::Torch;
         });
}

std::string_view kind_name(const Value &value) { return value.is(Tag::Tuple) ? "tuple" : "list"; }

} // namespace

void check_attribute_of_tuple(Interpreter &in, const Value &value, Symbol name, const Expr *node) {
  static constexpr std::string_view kOfTensors[] = {
      "shape", "size",    "dtype", "device", "view",  "reshape", "squeeze", "unsqueeze", "permute",   "transpose",
      "to",    "cuda",    "cpu",   "float",  "long",  "detach",  "numpy",   "mean",      "argmax",    "backward",
      "item",  "flatten", "dim",   "expand", "chunk", "softmax", "sum",     "max",       "contiguous"};
  if (!are_torch_tensors(value) || as<Attribute>(node) == nullptr ||
      std::ranges::find(kOfTensors, name.text()) == std::end(kOfTensors)) {
    return;
  }
  const std::size_t count = value.list->content.items.size();
  if (Problem *problem = in.report(Fault::Arity, node,
                                   fmt::format("a {} of {} tensors has no {}", kind_name(value), count, name.text()))) {
    in.add_chain(*problem, *value.list->content.items[0].tensor);
    problem->advice = "use one of its elements, or join them with torch.cat or torch.stack";
  }
}

void check_product_of_tuple(Interpreter &in, const Value &left, const Value &right, const Expr *node) {
  const Value &tuple = is_float(left) ? right : left;
  if ((!is_float(left) && !is_float(right)) || !are_torch_tensors(tuple)) {
    return;
  }
  if (Problem *problem = in.report(Fault::Arity, node,
                                   fmt::format("a {} of {} tensors cannot be multiplied by a float", kind_name(tuple),
                                               tuple.list->content.items.size()))) {
    in.add_chain(*problem, *tuple.list->content.items[0].tensor);
    problem->advice = "use one of its elements: max, min and sort along a dimension return (values, indices)";
  }
}

void report_shape_is_called(Interpreter &in, const Expr *node) {
  if (Problem *problem = in.report(Fault::Arity, node, "a shape cannot be called")) {
    problem->advice = "index it: x.shape[0], or call size: x.size(0)";
  }
}

void check_size_is_called(Interpreter &in, const Value &callee, const Expr *node) {
  if (callee.is(Tag::Tuple) && callee.list->is_shape) {
    report_shape_is_called(in, node);
  }
}

void check_size_is_not_indexed(Interpreter &in, const Value &object, const Expr *node) {
  const bool is_size = object.is(Tag::Method) && object.method->function == nullptr &&
                       object.method->name.text() == "size" && object.method->receiver.is(Tag::Tensor) &&
                       object.method->receiver.tensor->library == Library::Torch;
  if (!is_size) {
    return;
  }
  if (Problem *problem = in.report(Fault::Arity, node, "size is a method, which cannot be indexed")) {
    problem->advice = "call it: x.size(0), or index the shape: x.shape[0]";
  }
}

void check_has_length(Interpreter &in, const Value &value, const Expr *node) {
  if (!value.is(Tag::Tensor) || value.tensor->library != Library::Torch || !value.tensor->shape.has_rank(0)) {
    return;
  }
  if (Problem *problem =
          in.report(Fault::WrongRank, node, "a tensor without dimensions has no length and no elements")) {
    in.add_chain(*problem, *value.tensor);
    problem->advice = "give it a dimension: x.unsqueeze(0), or keep one where it is reduced: keepdim=True";
  }
}

void check_optimizer(Interpreter &in, Symbol api, const Arguments &arguments, const Expr *node) {
  constexpr std::string_view kPrefix = "torch.optim.";
  const std::string_view name = api.text();
  if (!name.starts_with(kPrefix) || name.find('.', kPrefix.size()) != std::string_view::npos ||
      arguments.positional.empty()) {
    return;
  }
  const Value &params = arguments.positional[0];
  const bool is_module =
      params.is(Tag::Object) && in.is_module(*params.object) &&
      params.object->content.api.text() != "torch.nn.ParameterList" &&
      (params.object->type == nullptr || in.find_method(*params.object->type, intern("__iter__")) == nullptr);
  const bool is_empty = params.is(Tag::List) && !params.list->content.is_open && params.list->content.items.empty();
  if (!is_module && !is_empty) {
    return;
  }
  if (Problem *problem = in.report(Fault::Arity, node,
                                   fmt::format("{} takes parameters, but gets {}", name.substr(kPrefix.size()),
                                               is_module ? "a module" : "an empty list"))) {
    problem->advice = "pass model.parameters()";
  }
}

} // namespace deepperf::shapes
