// Sequential, ModuleList and ModuleDict; the methods that every module has.
#include "shapes/torch.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace torch_containers {
namespace {

void name_child(Interpreter &in, const Value &value, Symbol name) {
  if (value.is(Tag::Object) && !value.object->name) {
    in.heap.note_change(value.object->owner);
    value.object->name = name;
  }
}

void add_child(Interpreter &in, Object &object, const Value &child, Symbol name = {}) {
  ObjectContent &content = in.heap.change(object);
  const Symbol key = name ? name : intern(std::to_string(content.items.size()));
  content.items.push_back(child);
  content.keys.push_back(key);
  name_child(in, child, key);
}

// Sequential(a, b), Sequential(OrderedDict(...)), Sequential(*layers)
void make_sequential(Operation &op) {
  Object &object = *op.layer;
  if (op.is_open) {
    op.in.heap.change(object).is_open = true;
    return;
  }
  if (op.rest.size() == 1 && (op.rest[0].is(Tag::Dict) || op.rest[0].is_unknown())) {
    if (op.rest[0].is(Tag::Dict) && !op.rest[0].dict->content.is_open) {
      for (const auto &[key, value] : op.rest[0].dict->content.items) {
        add_child(op.in, object, value, key.name());
      }
    } else if (op.rest[0].is(Tag::Dict)) {
      op.in.heap.change(object).is_open = true;
    } else {
      add_child(op.in, object, op.rest[0]);
    }
    return;
  }
  for (const Value &child : op.rest) {
    add_child(op.in, object, child);
  }
}

void make_list(Operation &op) {
  Object &object = *op.layer;
  const Value given = op.arg("modules");
  std::vector<Value> items;
  if (given.is(Tag::None)) {
    return;
  }
  if (!op.in.iterate(given, items) || op.is_open) {
    op.in.heap.change(object).is_open = true;
    return;
  }
  for (const Value &child : items) {
    add_child(op.in, object, child);
  }
}

void make_dict(Operation &op) {
  Object &object = *op.layer;
  const Value given = op.arg("modules");
  if (given.is(Tag::None)) {
    return;
  }
  if (!given.is(Tag::Dict) || given.dict->content.is_open) {
    op.in.heap.change(object).is_open = true;
    return;
  }
  for (const auto &[key, value] : given.dict->content.items) {
    add_child(op.in, object, value, key.is(Tag::Str) ? key.name() : Symbol{});
  }
}

Value call_nothing(Operation &) { return {}; }

// DataParallel(model) is called as the model is.
Value call_wrapped(Operation &op) {
  const Value module = op.arg("module");
  Arguments arguments;
  arguments.positional = op.rest;
  arguments.keywords = op.more;
  arguments.is_open = op.is_open;
  return module.is(Tag::Object) ? op.in.call_object(*module.object, arguments, op.node) : Value();
}

constexpr TransferEntry kTable[] = {
    {"sequential", call_nothing, make_sequential},
    {"module_list", call_nothing, make_list},
    {"module_dict", call_nothing, make_dict},
    {"module", call_nothing},
    {"wrapped", call_wrapped},
};

} // namespace
} // namespace torch_containers

std::span<const TransferEntry> torch_container_transfers() { return torch_containers::kTable; }

bool is_torch_container(const Object &object) {
  const std::string_view api = object.content.api ? object.content.api.text() : std::string_view{};
  return api == "torch.nn.Sequential" || api == "torch.nn.ModuleList" || api == "torch.nn.ModuleDict";
}

// `self.name = module` in a container, or add_module(): one of its children, after the others unless it replaces one.
void Interpreter::set_child(Object &object, Symbol name, const Value &child) {
  const auto known = std::ranges::find(object.content.keys, name);
  if (known == object.content.keys.end()) {
    torch_containers::add_child(*this, object, child, name);
    return;
  }
  const auto place = known - object.content.keys.begin();
  heap.change(object).items[static_cast<std::size_t>(place)] = child;
}

Value Interpreter::call_container(Object &object, Arguments &arguments, const Expr *node, bool &is_known) {
  const std::string_view api = object.content.api ? object.content.api.text() : std::string_view{};
  if (api != "torch.nn.Sequential") {
    is_known = false;
    return {};
  }
  if (object.content.is_open || arguments.positional.size() != 1) {
    const bool gets_many = object.type == nullptr && arguments.positional.size() > 1 && !arguments.is_open;
    if (gets_many) {
      if (Problem *problem =
              report(Fault::Arity, node,
                     fmt::format("{} takes 1 argument, but gets {}", object.name ? object.name.text() : "Sequential",
                                 arguments.positional.size()))) {
        problem->advice = "a Sequential passes one value from layer to layer: call the layers one by one";
      }
    } else if (object.content.is_open && !arguments.positional.empty()) {
      lose(node, object.name ? object.name.text() : "Sequential");
    }
    return {};
  }
  Value value = arguments.positional[0];
  if (keeps_details) {
    path.push_back(object.name ? object.name : intern("Sequential"));
  }
  const std::vector<Value> layers = object.content.items;
  for (const Value &layer : layers) {
    Arguments one;
    one.positional.push_back(value);
    value = call(layer, one, node);
  }
  if (keeps_details) {
    path.pop_back();
  }
  return value;
}

namespace {

// Are all modules in it on the device? Layers that were made with `device=` are where that says.
bool are_parts_on(const Object &object, Device device, u32 depth = 0) {
  constexpr u32 kMostNested = 6;
  const auto is_there = [&](const Value &part) {
    return !part.is(Tag::Object) || (part.object->content.device == device && depth < kMostNested &&
                                     are_parts_on(*part.object, device, depth + 1));
  };
  return std::ranges::all_of(object.content.attributes, [&](const auto &part) { return is_there(part.second); }) &&
         std::ranges::all_of(object.content.items, is_there);
}

} // namespace

void Interpreter::set_device(const Value &value, Device device, u32 depth) {
  if (!value.is(Tag::Object) || depth > 12) {
    return;
  }
  Object &object = *value.object;
  heap.change(object).device = device;
  const ObjectContent content = object.content;
  for (const auto &[name, child] : content.attributes) {
    if (child.is(Tag::Object)) {
      set_device(child, device, depth + 1);
    } else if (child.is(Tag::Tensor) &&
               (child.tensor->is_parameter ||
                content.attributes.contains(intern("*buffer " + std::string(Symbol{name}.text())).id))) {
      Tensor moved = *child.tensor;
      moved.device = device;
      heap.change(object).attributes[name] = plain_tensor(moved);
    }
  }
  for (const Value &child : content.items) {
    set_device(child, device, depth + 1);
  }
  for (const Value &child : content.args) { // TransformerEncoder(layer, 4) has copies of the layer
    set_device(child, device, depth + 1);
  }
}

void Interpreter::set_dtype(const Value &value, Dtype dtype, u32 depth) {
  if (!value.is(Tag::Object) || depth > 12) {
    return;
  }
  Object &object = *value.object;
  heap.change(object).dtype = dtype;
  if (dtype == Dtype::Unknown) {
    heap.change(object).attributes[intern("*dtype").id] = Value::none();
  }
  const ObjectContent content = object.content;
  for (const auto &[name, child] : content.attributes) {
    if (child.is(Tag::Object)) {
      set_dtype(child, dtype, depth + 1);
    } else if (child.is(Tag::Tensor) && is_floating(child.tensor->dtype)) {
      Tensor cast = *child.tensor;
      cast.dtype = child.tensor->is_parameter ? dtype : Dtype::Unknown;
      heap.change(object).attributes[name] = plain_tensor(cast);
    }
  }
  for (const Value &child : content.args) {
    set_dtype(child, dtype, depth + 1);
  }
  for (const Value &child : content.items) {
    set_dtype(child, dtype, depth + 1);
  }
}

Value Interpreter::call_module_method(Object &object, Symbol name, Arguments &arguments, const Expr *node,
                                      bool &is_known) {
  const std::string_view text = name.text();
  const std::vector<Value> &args = arguments.positional;
  const Value self = Value::of(&object);
  const auto arg = [&](std::size_t at) { return at < args.size() ? args[at] : Value(); };
  const std::string_view api = object.content.api ? object.content.api.text() : std::string_view{};
  // Methods with a signature of their own: `argparse.ArgumentParser.add_argument`.
  if (object.content.api) {
    const Symbol dotted = intern(std::string(api) + "." + std::string(text));
    if (const Spec *const spec = spec_of(dotted); spec != nullptr && !spec->is_class) {
      arguments.positional.insert(arguments.positional.begin(), self);
      return call_spec(*spec, dotted, arguments, node, nullptr);
    }
    // What keras.applications gives are models.
    const Symbol of_model = intern("tensorflow.keras.Model." + std::string(text));
    const Spec *const spec = api.starts_with("tensorflow.keras.applications.") ? spec_of(of_model) : nullptr;
    if (spec != nullptr && !spec->is_class) {
      arguments.positional.insert(arguments.positional.begin(), self);
      return call_spec(*spec, of_model, arguments, node, nullptr);
    }
  }
  if (!is_module(object)) {
    is_known = false;
    return {};
  }
  if (text == "forward" || text == "__call__") {
    return call_object(object, arguments, node);
  }
  if (text == "to" || text == "cuda" || text == "cpu" || text == "half" || text == "double" || text == "float" ||
      text == "bfloat16" || text == "type") {
    if (text == "half" || text == "double" || text == "float" || text == "bfloat16") {
      set_dtype(self, text == "half"     ? Dtype::Float16
                      : text == "double" ? Dtype::Float64
                      : text == "float"  ? Dtype::Float32
                                         : Dtype::BFloat16);
      return self;
    }
    if (text == "cpu") {
      set_device(self, {Device::Kind::Cpu});
      return self;
    }
    if (text == "cuda") {
      set_device(self, args.empty() && arguments.keywords.empty() ? Device{Device::Kind::Gpu} : as_device(arg(0)));
      return self;
    }
    std::vector<Value> given = args;
    for (const auto &[key, value] : arguments.keywords) {
      given.push_back(value);
    }
    for (const Value &value : given) {
      if (value.is(Tag::Dtype)) {
        set_dtype(self, value.dtype());
      } else if (value.is(Tag::Device) || value.is(Tag::Str) || value.is(Tag::Int)) {
        set_device(self, as_device(value));
      } else if (!value.is(Tag::Bool) && !value.is(Tag::None)) {
        set_device(self, {});
        set_dtype(self, Dtype::Unknown);
      }
    }
    if (arguments.is_open) {
      set_device(self, {});
      set_dtype(self, Dtype::Unknown);
    }
    return self;
  }
  if (text == "eval" || text == "train") {
    const bool is_on = text == "eval" || (!args.empty() && truth(arg(0)) == Truth::No);
    set_evaluated(self, is_on, 0);
    return self;
  }
  if (text == "requires_grad_") {
    freeze(self, 0);
    return self;
  }
  if (text == "apply" || text == "share_memory" || text == "zero_grad") {
    return text == "zero_grad" ? Value::none() : self;
  }
  if (text == "parameters" || text == "named_parameters" || text == "buffers" || text == "state_dict") {
    if (text == "state_dict") {
      return {};
    }
    Tensor tensor;
    tensor.library = Library::Torch;
    tensor.device = are_parts_on(object, object.content.device) ? object.content.device : Device{};
    tensor.dtype = object.content.dtype;
    const Value one = plain_tensor(tensor);
    return heap.new_open_list(text == "named_parameters" ? heap.new_list({Value::of_text({}), one}, Tag::Tuple) : one);
  }
  if (text == "register_buffer" || text == "register_parameter" || text == "add_module" || text == "register_module" ||
      text == "__setattr__") {
    Value key = arg(0);
    Value value = arg(1);
    for (const auto &[keyword, given] : arguments.keywords) {
      (keyword.text() == "name"                                                                ? key
       : keyword.text() == "tensor" || keyword.text() == "param" || keyword.text() == "module" ? value
                                                                                               : value) = given;
      if (keyword.text() == "persistent") {
        value = args.size() > 1 ? args[1] : value;
      }
    }
    if (!key.is(Tag::Str) || key.number == 0) {
      heap.change(object).is_open = true;
      return Value::none();
    }
    if (text == "register_buffer" && value.is(Tag::Tensor)) {
      heap.change(object).attributes[intern("*buffer " + std::string(key.text())).id] = Value::none();
    }
    set_attribute(self, key.name(), value);
    return Value::none();
  }
  if (text == "append" &&
      (api == "torch.nn.ModuleList" || api == "torch.nn.Sequential" || api == "torch.nn.ParameterList")) {
    torch_containers::add_child(*this, object, arg(0));
    return self;
  }
  if (text == "extend" && (api == "torch.nn.ModuleList" || api == "torch.nn.Sequential")) {
    std::vector<Value> items;
    if (!iterate(arg(0), items)) {
      heap.change(object).is_open = true;
    }
    for (const Value &item : items) {
      torch_containers::add_child(*this, object, item);
    }
    return self;
  }
  if (text == "insert") {
    heap.change(object).is_open = true;
    return Value::none();
  }
  if ((text == "keys" || text == "values" || text == "items") && api == "torch.nn.ModuleDict" &&
      !object.content.is_open) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < object.content.keys.size(); ++i) {
      const Value key = Value::of_text(object.content.keys[i]);
      items.push_back(text == "keys"     ? key
                      : text == "values" ? object.content.items[i]
                                         : heap.new_list({key, object.content.items[i]}, Tag::Tuple));
    }
    return heap.new_list(std::move(items));
  }
  if ((text == "children" || text == "named_children") && !object.content.is_open) {
    std::vector<Value> children;
    const auto add = [&](Symbol key, const Value &child) {
      if (child.is(Tag::Object) && is_module(*child.object)) {
        children.push_back(text == "children" ? child : heap.new_list({Value::of_text(key), child}, Tag::Tuple));
      }
    };
    const bool is_container = is_torch_container(object);
    for (std::size_t i = 0; is_container && i < object.content.items.size(); ++i) {
      add(i < object.content.keys.size() ? object.content.keys[i] : Symbol{}, object.content.items[i]);
    }
    for (const auto &[key, child] : object.content.attributes) {
      if (!is_container) {
        add(Symbol{key}, child);
      }
    }
    return heap.new_list(std::move(children));
  }
  if (text == "modules" || text == "named_modules") {
    return heap.new_open_list(Value());
  }
  is_known = false;
  return {};
}

void Interpreter::set_evaluated(const Value &value, bool is_on, u32 depth) {
  if (!value.is(Tag::Object) || depth > 12) {
    return;
  }
  heap.change(*value.object).is_evaluated = is_on;
  const ObjectContent content = value.object->content;
  for (const auto &[name, child] : content.attributes) {
    set_evaluated(child, is_on, depth + 1);
  }
  for (const Value &child : content.items) {
    set_evaluated(child, is_on, depth + 1);
  }
}

void Interpreter::freeze(const Value &value, u32 depth) {
  if (!value.is(Tag::Object) || depth > 12) {
    return;
  }
  heap.change(*value.object).attributes[intern("*frozen").id] = Value::none();
  const ObjectContent content = value.object->content;
  for (const auto &[name, child] : content.attributes) {
    freeze(child, depth + 1);
  }
  for (const Value &child : content.items) {
    freeze(child, depth + 1);
  }
}

} // namespace deepperf::shapes
