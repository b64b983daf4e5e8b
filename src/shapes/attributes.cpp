#include "shapes/frames.h"
#include "shapes/interpreter.h"
#include "shapes/module_checks.h"
#include "shapes/torch.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

bool is_set_by_lightning(std::string_view attribute) {
  constexpr std::string_view kSet[] = {"device",          "dtype",
                                       "hparams",         "trainer",
                                       "logger",          "loggers",
                                       "fabric",          "current_epoch",
                                       "global_step",     "global_rank",
                                       "local_rank",      "on_gpu",
                                       "hparams_initial", "example_input_array",
                                       "strict_loading",  "automatic_optimization"};
  return std::ranges::find(kSet, attribute) != std::end(kSet);
}

} // namespace

bool Interpreter::is_module(const Object &object) const {
  const auto is_torch = [](Symbol api) {
    return api && (api.text().starts_with("torch.nn.") || api.text().starts_with("torchvision.models.") ||
                   api.text() == "pytorch_lightning.LightningModule");
  };
  return is_torch(object.content.api) || (object.type != nullptr && is_torch(object.type->api));
}

Value Interpreter::bound(const Value &receiver, Symbol name) {
  BoundMethod method;
  method.receiver = receiver;
  method.name = name;
  return Value::of(heap.arena.make<BoundMethod>(method));
}

Value Interpreter::api_attribute(Symbol api, Symbol name) {
  const std::string dotted = std::string(api.text()) + "." + std::string(name.text());
  if (const Dtype dtype = dtype_named(name.text()); dtype != Dtype::Unknown) {
    const std::string_view top = api.text();
    if (top == "torch") {
      return Value::of(dtype);
    }
    if (top == "numpy" || top == "jax.numpy" || top == "tensorflow" || top == "tensorflow.dtypes") {
      return Value::of(top == "numpy" && name.text() == "float"  ? Dtype::Float64
                       : top == "numpy" && name.text() == "int"  ? Dtype::Int64
                       : top == "numpy" && name.text() == "long" ? Dtype::Unknown
                                                                 : dtype);
    }
  }
  if (module() != nullptr) {
    const auto imported = module()->imported.find(intern(dotted).id);
    if (imported != module()->imported.end()) {
      return Value::of(imported->second);
    }
  }
  if (const model::Module *const source = source_called(dotted)) {
    return Value::of(source);
  }
  if (dotted == "math.pi" || dotted == "numpy.pi") {
    return Value::of_float(3.141592653589793);
  }
  return Value::api(canonical_name(dotted));
}

Value Interpreter::attribute(const Value &object, Symbol name, const Expr *node) {
  switch (object.tag) {
  case Tag::Api: {
    const auto [known, is_new] = api_attributes_[module()].try_emplace(u64{object.number} << 32U | name.id);
    if (is_new) {
      known->second = api_attribute(object.name(), name);
    }
    return known->second;
  }
  case Tag::Module: {
    const Frame *const frame = frame_of(object.module);
    const auto found = frame->content.names.find(name.id);
    if (found != frame->content.names.end() && !found->second.is(Tag::Undefined)) {
      return found->second;
    }
    const model::Module *const inside = submodule(*object.module, name);
    if (inside != nullptr && module() != nullptr) {
      looked_up.emplace(module()->index, inside->index);
    }
    return inside != nullptr ? Value::of(inside) : Value();
  }
  case Tag::Object:
    return object_attribute(*object.object, name, node);
  case Tag::Tensor:
    return tensor_attribute(object, *object.tensor, name, node);
  case Tag::Opaque: {
    if (object.opaque->content.tensor != nullptr) {
      return tensor_attribute(object, *object.opaque->content.tensor, name, node);
    }
    const std::string_view text = name.text();
    if (object.opaque->may_be_tensor && (text == "shape" || text == "ndim")) {
      if (const Tensor *const tensor = as_tensor(object)) {
        return tensor_attribute(object, *tensor, name, node);
      }
    }
    return opaque_attribute(*object.opaque, name);
  }
  case Tag::Class: {
    for (const ClassObject *base : object.type->order) {
      const auto found = base->frame->content.names.find(name.id);
      if (found != base->frame->content.names.end() && !found->second.is(Tag::Undefined)) {
        if (found->second.is(Tag::Function) && found->second.function->is_class_method) {
          BoundMethod method;
          method.receiver = object;
          method.function = found->second.function;
          method.name = name;
          return Value::of(heap.arena.make<BoundMethod>(method));
        }
        return found->second;
      }
    }
    if (name.text() == "__name__") {
      return Value::of_text(object.type->name);
    }
    return object.type->api ? bound(object, name) : Value();
  }
  case Tag::Method:
    return object.method->is_super ? super_attribute(*object.method, name, node) : Value();
  case Tag::Dict:
    if (object.dict->content.is_attrs) {
      for (const auto &[key, value] : object.dict->content.items) {
        if (key.is(Tag::Str) && key.number == name.id) {
          return value;
        }
      }
      return object.dict->content.is_open ? Value() : bound(object, name);
    }
    return bound(object, name);
  case Tag::Int: // a Dimension of TensorFlow 1
    return name.text() == "value" ? object : Value();
  case Tag::Tuple:
    if (const auto *const fields = object.list->fields; fields != nullptr && !object.list->content.is_open) {
      const auto field = std::ranges::find(*fields, name);
      if (field != fields->end()) {
        return object.list->content.items[static_cast<std::size_t>(field - fields->begin())];
      }
    }
    if ((name.text() == "ndims" || name.text() == "rank") && !object.list->content.is_open) {
      return Value::of_int(static_cast<i64>(object.list->content.items.size()));
    }
    if ((name.text() == "values" || name.text() == "indices") && object.list->content.items.size() == 2) {
      return object.list->content.items[name.text() == "values" ? 0 : 1];
    }
    check_attribute_of_tuple(*this, object, name, node);
    return bound(object, name);
  case Tag::List:
    check_attribute_of_tuple(*this, object, name, node);
    return bound(object, name);
  case Tag::Set:
  case Tag::Str:
  case Tag::Range:
    return bound(object, name);
  case Tag::Device:
    return name.text() == "type" && object.device().kind == Device::Kind::Cpu ? Value::of_text(intern("cpu")) : Value();
  default:
    return {};
  }
}

Value Interpreter::opaque_attribute(OpaqueObject &opaque, Symbol name) {
  const auto known = opaque.content.attributes.find(name.id);
  if (known != opaque.content.attributes.end()) {
    return known->second;
  }
  constexpr std::size_t kLongest = 60;
  if (opaque.name.size() > kLongest) {
    return {};
  }
  // People name sizes by the last part: `hidden_size` of config.hidden_size.
  const Value value = new_opaque(std::string(name.text()));
  value.opaque->may_be_tensor = opaque.may_be_tensor && opaque.is_argument;
  heap.change(opaque).attributes[name.id] = value;
  return value;
}

Value Interpreter::object_attribute(Object &object, Symbol name, const Expr *node) {
  const auto stored = object.content.attributes.find(name.id);
  if (stored != object.content.attributes.end() && !stored->second.is(Tag::Undefined)) {
    // Code elsewhere may have replaced it in objects that we made up.
    if (object.is_symbolic && std::ranges::binary_search(project.stored_elsewhere, name.id)) {
      return {};
    }
    return stored->second;
  }
  if (object.type != nullptr) {
    for (const ClassObject *base : object.type->order) {
      const auto found = base->frame->content.names.find(name.id);
      if (found == base->frame->content.names.end() || found->second.is(Tag::Undefined)) {
        continue;
      }
      if (!found->second.is(Tag::Function)) {
        return found->second;
      }
      FunctionObject &function = *found->second.function;
      if (function.is_static) {
        return found->second;
      }
      BoundMethod method;
      method.receiver = function.is_class_method ? Value::of(object.type) : Value::of(&object);
      method.function = &function;
      method.name = name;
      const Value value = Value::of(heap.arena.make<BoundMethod>(method));
      if (function.is_property) {
        Arguments none;
        return call(value, none, node);
      }
      return value;
    }
  }
  const std::string_view text = name.text();
  if (text == "training") {
    return object.content.is_evaluated ? Value::of_bool(false) : Value::of(Truth::Unknown);
  }
  if (text == "__class__" && object.type != nullptr) {
    return Value::of(object.type);
  }
  // What Lightning itself sets: the device, the trainer, the number of steps.
  if (object.content.api && object.content.api.text() == "pytorch_lightning.LightningModule" &&
      is_set_by_lightning(text)) {
    return {};
  }
  if (object.content.api && object.type == nullptr && object.content.api.text().starts_with("pandas.")) {
    if (const Value value = frame_attribute(*this, object, name); !value.is(Tag::Undefined)) {
      return value;
    }
  }
  if (text == "layers" && object.content.api && !object.content.is_open &&
      object.content.api.text().starts_with("tensorflow.keras.") &&
      object.content.api.text().ends_with(".Sequential")) {
    std::vector<Value> layers;
    for (const Value &layer : object.content.items) {
      const bool is_input = layer.is(Tag::Tensor) || (layer.is(Tag::Object) && layer.object->content.api &&
                                                      layer.object->content.api.text().ends_with(".InputLayer"));
      if (!is_input) {
        layers.push_back(layer);
      }
    }
    return heap.new_list(std::move(layers));
  }
  if (object.content.api) {
    // What the constructor was given is an attribute, for most layers.
    if (const Spec *const spec = spec_of(object.content.api); spec != nullptr && spec->is_class) {
      for (std::size_t i = 0; i < spec->make.size() && i < object.content.args.size(); ++i) {
        if (spec->make[i].name == name && text != "bias" && text != "kernel_size" && text != "stride" &&
            text != "padding" && text != "dilation" && text != "normalized_shape" && text != "device" &&
            text != "dtype") {
          return object.content.args[i];
        }
      }
    }
    if (const Value weight = weight_of(object, name); !weight.is_unknown()) {
      return weight;
    }
    for (std::size_t i = 0; i < object.content.keys.size(); ++i) { // of a ModuleDict or a Sequential with names
      if (object.content.keys[i] == name) {
        return object.content.items[i];
      }
    }
    check_has_attribute(*this, object, name, node);
    return bound(Value::of(&object), name);
  }
  return {};
}

Value Interpreter::super_attribute(const BoundMethod &super, Symbol name, const Expr *node) {
  const Value &receiver = super.receiver;
  const ClassObject *const type = receiver.is(Tag::Object)  ? receiver.object->type
                                  : receiver.is(Tag::Class) ? receiver.type
                                                            : nullptr;
  if (type == nullptr) {
    return {};
  }
  bool is_open = false;
  for (const ClassObject *base : type->order) {
    if (is_open) {
      const auto found = base->frame->content.names.find(name.id);
      if (found != base->frame->content.names.end() && found->second.is(Tag::Function)) {
        FunctionObject &function = *found->second.function;
        if (function.is_static) {
          return found->second;
        }
        BoundMethod method;
        method.receiver = receiver;
        method.function = &function;
        method.name = name;
        const Value value = Value::of(heap.arena.make<BoundMethod>(method));
        if (function.is_property) {
          Arguments none;
          return call(value, none, node);
        }
        return value;
      }
    }
    is_open = is_open || base == super.after;
  }
  BoundMethod method;
  method.receiver = receiver;
  method.name = name;
  method.is_super = true;
  method.after = super.after;
  return Value::of(heap.arena.make<BoundMethod>(method));
}

void Interpreter::set_attribute(const Value &object, Symbol name, const Value &value) {
  if (object.is(Tag::Object)) {
    if (value.is(Tag::Object) && is_module(*value.object) && is_torch_container(*object.object)) {
      set_child(*object.object, name, value);
      return;
    }
    ObjectContent &content = heap.change(*object.object);
    content.attributes[name.id] = value;
    if (value.is(Tag::Object) && !value.object->name) {
      heap.note_change(value.object->owner);
      value.object->name = name;
    }
    return;
  }
  if (object.is(Tag::Class)) {
    heap.bind(*object.type->frame, name.id, value);
  } else if (object.is(Tag::Module)) {
    heap.bind(*frame_of(object.module), name.id, value);
  } else if (object.is(Tag::Dict) && object.dict->content.is_attrs) {
    set_subscript(object, Value::of_text(name), value);
  } else if (object.is(Tag::Opaque)) {
    heap.change(*object.opaque).attributes[name.id] = Value();
  } else if (name.text() == "requires_grad") {
    is_frozen_somewhere = true;
  }
}

} // namespace deepperf::shapes
