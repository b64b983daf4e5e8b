// Calls of functions, classes and objects of the program.
#include "shapes/flax.h"
#include "shapes/keras.h"
#include "shapes/module_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

// Methods that a list, string or dict has as well: whose they are is not known.
bool is_common_name(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "get",   "items",  "keys", "values", "append",  "extend", "pop",  "index",   "insert",        "count",
      "split", "copy",   "sort", "update", "replace", "format", "type", "apply",   "register_hook", "clear",
      "add",   "remove", "map",  "put",    "to",      "train",  "eval", "forward", "step",          "backward",
      "min",   "max",    "sum",  "mean",   "std",     "all",    "any",  "filter"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

bool changes_own_shape(std::string_view method) {
  static constexpr std::string_view kNames[] = {"squeeze_",  "unsqueeze_", "transpose_", "t_",
                                                "swapaxes_", "resize_",    "set_"};
  return std::ranges::find(kNames, method) != std::end(kNames);
}

} // namespace

bool Interpreter::is_method_call(const Call *call) {
  const auto *func = as<Attribute>(call->func);
  if (func == nullptr) {
    return false;
  }
  const Value receiver = quietly([&] { return eval(func->value); });
  return !receiver.is(Tag::Api) && !receiver.is(Tag::Module);
}

void Interpreter::collect(const Call *call, Arguments &arguments) {
  arguments.node = call;
  arguments.positional.reserve(call->args.size() + 1); // and the object of a method
  for (const Expr *arg : call->args) {
    if (const auto *starred = as<Starred>(arg)) {
      std::vector<Value> items;
      if (iterate(eval(starred->value), items)) {
        arguments.positional.insert(arguments.positional.end(), items.begin(), items.end());
      } else {
        arguments.is_open = true;
        if (items.size() == 1) {
          arguments.each = items[0];
        }
        break; // what comes after has no known place
      }
    } else {
      arguments.positional.push_back(eval(arg));
    }
  }
  for (const Keyword *keyword : call->keywords) {
    const Value value = eval(keyword->value);
    if (keyword->name) {
      arguments.keywords.emplace_back(keyword->name, value);
    } else if (value.is(Tag::Dict)) {
      for (const auto &[key, item] : value.dict->content.items) {
        if (key.is(Tag::Str) && key.number != 0) {
          arguments.keywords.emplace_back(key.name(), item);
        }
      }
      arguments.is_open = arguments.is_open || value.dict->content.is_open;
    } else {
      arguments.is_open = true;
    }
  }
}

Value Interpreter::eval_call(const Call *call_node) {
  Value callee;
  if (const auto *func = as<Attribute>(call_node->func)) {
    const Value receiver = eval(func->value);
    const bool is_tensor =
        receiver.is(Tag::Tensor) || (receiver.is(Tag::Opaque) && receiver.opaque->content.tensor != nullptr);
    const bool may_be_tensor = receiver.is(Tag::Opaque) && receiver.opaque->may_be_tensor &&
                               !receiver.opaque->content.number.is_known() && !is_common_name(func->attr.text()) &&
                               method_spec(Library::Torch, func->attr) != nullptr;
    if (is_tensor || may_be_tensor) {
      Arguments arguments;
      collect(call_node, arguments);
      const std::string_view text = func->attr.text();
      if (is_tensor && changes_own_shape(text)) { // what holds the tensor has another shape from here on
        const bool is_plain = text != "resize_" && text != "set_";
        const Symbol plain = is_plain ? intern(text.substr(0, text.size() - 1)) : func->attr;
        const Value changed = is_plain ? call_api_method(receiver, plain, arguments, call_node) : Value();
        if (func->value->kind == NodeKind::Name || func->value->kind == NodeKind::Attribute) {
          assign(func->value, changed);
        }
        return changed;
      }
      return call_api_method(receiver, func->attr, arguments, call_node);
    }
    // In a program for TensorFlow, what has reshape() is an array, wherever it comes from.
    if (receiver.is_unknown() && func->attr.text() == "reshape" && !call_node->args.empty() && module() != nullptr &&
        module()->tensorflow && !module()->torch) {
      Arguments arguments;
      collect(call_node, arguments);
      Tensor some;
      some.library = Library::Numpy;
      return call_api_method(plain_tensor(some), func->attr, arguments, call_node);
    }
    callee = attribute(receiver, func->attr, func);
  } else {
    if (const auto *name = as<Name>(call_node->func); name != nullptr && name->id.text() == "super") {
      return make_super(call_node);
    }
    callee = eval(call_node->func);
  }
  Arguments arguments;
  collect(call_node, arguments);
  return call(callee, arguments, call_node);
}

Value Interpreter::make_super(const Call *call_node) {
  BoundMethod super;
  super.is_super = true;
  const FunctionObject *function = nullptr;
  const Frame *frame = frame_;
  while (frame != nullptr && function == nullptr) {
    function = frame->function != nullptr && frame->function->owner != nullptr ? frame->function : nullptr;
    if (function == nullptr) {
      frame = frame->outer;
    }
  }
  if (call_node->args.size() == 2) {
    const Value type = eval(call_node->args[0]);
    super.receiver = eval(call_node->args[1]);
    super.after = type.is(Tag::Class) ? type.type : nullptr;
  } else if (function != nullptr && !function->params.empty()) {
    const auto self = frame->content.names.find(function->params[0]->name.id);
    super.receiver = self != frame->content.names.end() ? self->second : Value();
    super.after = function->owner;
  }
  return super.after != nullptr ? Value::of(heap.arena.make<BoundMethod>(super)) : Value();
}

Value Interpreter::call(const Value &callee, Arguments &arguments, const Expr *node) {
  switch (callee.tag) {
  case Tag::Function:
    return call_function(*callee.function, arguments, node);
  case Tag::Method: {
    const BoundMethod &method = *callee.method;
    if (method.function != nullptr) {
      arguments.positional.insert(arguments.positional.begin(), method.receiver);
      return call_function(*method.function, arguments, node);
    }
    if (method.is_super) {
      if (method.name.text() == "__init__" && method.receiver.is(Tag::Object)) {
        return call_super_init(*method.receiver.object, method.after, arguments);
      }
      if (method.name.text() == "forward" && method.receiver.is(Tag::Object) && method.receiver.object->content.api) {
        Object &object = *method.receiver.object;
        bool is_known = true;
        const Value value = call_container(object, arguments, node, is_known);
        if (is_known) {
          return value;
        }
        if (const Spec *const spec = spec_of(object.content.api); spec != nullptr && spec->is_class) {
          return call_spec(*spec, object.content.api, arguments, node, &object);
        }
        return {};
      }
      return method.receiver.is(Tag::Object) ? call_api_method(method.receiver, method.name, arguments, node) : Value();
    }
    return call_api_method(method.receiver, method.name, arguments, node);
  }
  case Tag::Class:
    return instantiate(*callee.type, arguments, node);
  case Tag::Object:
    return call_object(*callee.object, arguments, node);
  case Tag::Api:
    return call_api(callee.name(), arguments, node);
  case Tag::Dtype: // np.float32(x)
    if (arguments.positional.size() == 1 && is_floating(callee.dtype())) {
      const Value &number = arguments.positional[0];
      if (number.is(Tag::Float) || (number.is(Tag::Int) && number.dim().is_constant())) {
        return number.is(Tag::Float) ? number : Value::of_float(static_cast<double>(number.integer));
      }
    }
    if (arguments.positional.size() == 1) {
      // An array stays one; what is not known may be one.
      const Value &given = arguments.positional[0];
      if (given.is(Tag::Tensor)) {
        Tensor array = *given.tensor;
        array.dtype = callee.dtype();
        return plain_tensor(array);
      }
      if (!given.is(Tag::Int) && !given.is(Tag::Float) && !given.is(Tag::Bool) && !given.is(Tag::Str)) {
        return {};
      }
    }
    return callee.dtype() == Dtype::Unknown ? Value()
           : is_integer(callee.dtype())     ? Value::of(Dim{})
                                            : Value::some_float();
  default:
    check_size_is_called(*this, callee, node);
    escape(arguments);
    return {};
  }
}

namespace {

// Arguments by name, and which names are parameters. Where there are many they are hashed, so that each is found at
// once.
class ByName {
public:
  ByName(const FunctionObject &function, const Arguments &arguments) : function_(function), arguments_(arguments) {
    constexpr std::size_t kFew = 16;
    is_hashed_ = function.params.size() > kFew && arguments.keywords.size() > kFew;
    if (is_hashed_) {
      for (const Param *param : function.params) {
        params_.insert(param->name.id);
      }
      for (const auto &[name, given] : arguments.keywords) {
        keywords_[name.id] = &given;
      }
    }
  }

  // Undefined if nothing is given.
  [[nodiscard]] Value given(Symbol name) const {
    if (is_hashed_) {
      const auto found = keywords_.find(name.id);
      return found != keywords_.end() ? *found->second : Value(Tag::Undefined);
    }
    Value value(Tag::Undefined);
    for (const auto &[keyword, one] : arguments_.keywords) {
      value = keyword == name ? one : value;
    }
    return value;
  }

  [[nodiscard]] bool is_param(Symbol name) const {
    return is_hashed_ ? params_.contains(name.id)
                      : std::ranges::any_of(function_.params, [&](const Param *one) { return one->name == name; });
  }

private:
  const FunctionObject &function_;
  const Arguments &arguments_;
  bool is_hashed_ = false;
  std::unordered_set<u32> params_;
  std::unordered_map<u32, const Value *> keywords_;
};

} // namespace

bool Interpreter::bind_arguments(FunctionObject &function, Arguments &arguments, Frame &frame, const Expr *node) {
  std::size_t at = 0;
  bool is_bound = true;
  Names &names = frame.content.names;
  const ByName by_name(function, arguments);
  for (u32 i = 0; i < function.params.size(); ++i) {
    const Param &param = *function.params[i];
    Value value(Tag::Undefined);
    switch (param.param_kind()) {
    case ParamKind::VarArgs: {
      std::vector<Value> rest;
      while (at < arguments.positional.size()) {
        rest.push_back(arguments.positional[at++]);
      }
      value = arguments.is_open ? heap.new_open_list(Value(), Tag::Tuple) : heap.new_list(std::move(rest), Tag::Tuple);
      break;
    }
    case ParamKind::KwArgs: {
      DictObject *const dict = heap.new_dict();
      for (const auto &[name, given] : arguments.keywords) {
        if (name && !by_name.is_param(name)) {
          dict->content.items.emplace_back(Value::of_text(name), given);
        }
      }
      dict->content.is_open = arguments.is_open;
      value = Value::of(dict);
      break;
    }
    default: {
      if (param.param_kind() != ParamKind::KeywordOnly && at < arguments.positional.size()) {
        value = arguments.positional[at++];
      } else {
        value = by_name.given(param.name);
      }
      if (value.is(Tag::Undefined)) {
        const bool has_default = i < function.defaults.size() && !function.defaults[i].is(Tag::Undefined);
        if (!has_default && !arguments.is_open) {
          is_bound = false;
        }
        value = has_default && !arguments.is_open ? function.defaults[i] : Value();
      }
    }
    }
    if (param.name) {
      names[param.name.id] = value;
    } else if (param.pattern != nullptr) {
      return false;
    }
  }
  is_bound = is_bound && (at >= arguments.positional.size() || arguments.is_open);
  (void)node;
  return is_bound;
}

Value Interpreter::call_function(FunctionObject &function, Arguments &arguments, const Expr *node) {
  constexpr u32 kMostRecursions = 4;
  const auto leave = [&] { // what an __init__ would have done to its object is not known
    if (function.name.text() == "__init__" && !arguments.positional.empty() &&
        arguments.positional[0].is(Tag::Object)) {
      heap.change(*arguments.positional[0].object).is_open = true;
    }
    escape(arguments);
    return Value();
  };
  if (calls_ >= limits_.calls || function.active >= kMostRecursions || is_exhausted() || function.is_wrapped) {
    return leave();
  }
  if (function.wraps != nullptr && keeps_details) {
    // Who asks for the shapes of a model cares little for what wrappers do before and after: they warn, count,
    // register.
    return call_function(*function.wraps, arguments, node);
  }
  Frame *const frame = heap.new_frame(function.closure, function.module);
  frame->function = &function;
  if (!bind_arguments(function, arguments, *frame, node)) {
    if (function.node->kind == NodeKind::FunctionDef && function.owner != nullptr) {
      report_arity(function, arguments, node);
    }
    return leave();
  }
  function.is_reached = true;
  function.last_call = ++calls_made;
  if (function.last_root != root) {
    function.last_root = root;
    doings.called.push_back(function.node);
  }
  const bool is_quiet_here = rest_is_quiet_;
  const StateKeeper keeper(*this);
  quiet_ += is_quiet_here ? 1 : 0;
  no_grad_ += function.without_grad ? 1 : 0;
  frame_ = frame;
  ++calls_;
  ++function.active;
  Value value;
  if (const auto *lambda = as<Lambda>(function.node)) {
    value = eval(lambda->body);
  } else {
    const auto *definition = static_cast<const FunctionDef *>(function.node);
    const Flow flow = exec(definition->body);
    if (flow == Flow::Next) {
      result_ = heap.join(result_, Value::none());
    }
    value = result_.is(Tag::Undefined) || is_exhausted() ? Value() : result_;
    if (!yielded_.is(Tag::Undefined)) {
      value = heap.new_open_list(yielded_);
    } else if (definition->is_async) {
      value = Value();
    }
  }
  --calls_;
  --function.active;
  return value;
}

Value Interpreter::call_super_init(Object &object, const ClassObject *after, Arguments &arguments) {
  // The API that the class behind `after` derives from.
  Symbol api;
  bool is_open = false;
  for (const ClassObject *base : object.type->order) {
    if (is_open && base->is_dataclass) {
      construct_dataclass(object, *base, arguments);
      return Value::none();
    }
    is_open = is_open || base == after;
    if (!is_open) {
      continue;
    }
    for (const Value &value : base->bases) {
      if (value.is(Tag::Api) && !api) {
        api = value.name();
      }
    }
  }
  if (api && api.text() != "object") {
    construct(object, api, arguments);
  }
  return Value::none();
}

namespace {

// `__init__ = functools.partialmethod(Base.__init__, width=8)`: nobody knows what it takes.
bool has_made_constructor(const ClassObject &type) {
  for (const ClassObject *base : type.order) {
    if (const Value *const init = find_name(base->frame->content.names, intern("__init__").id)) {
      return !init->is(Tag::Function);
    }
  }
  return false;
}

} // namespace

Value Interpreter::instantiate(ClassObject &type, Arguments &arguments, const Expr *node) {
  Object *const object = heap.new_object(&type, type.api);
  object->content.device = is_changed_default_device ? Device{} : object->content.device;
  object->maker = arguments.node;
  object->module = module();
  type.is_instantiated = true;
  const Value value = Value::of(object);
  if (has_made_constructor(type)) {
    escape(arguments);
    return {};
  }
  if (FunctionObject *const init = find_method(type, intern("__init__"))) {
    object->content.is_open = type.has_unknown_base;
    arguments.positional.insert(arguments.positional.begin(), value);
    call_function(*init, arguments, node);
    return value;
  }
  if (type.is_dataclass || derives_from(type, "typing.NamedTuple")) {
    construct_dataclass(*object, type, arguments);
    return value;
  }
  if (type.has_unknown_base) {
    escape(arguments);
    return {};
  }
  if (type.api && type.api.text() != "object") {
    construct(*object, type.api, arguments);
  }
  return value;
}

void Interpreter::construct_dataclass(Object &object, const ClassObject &type, Arguments &arguments) {
  std::size_t at = 0;
  ObjectContent &content = heap.change(object);
  for (auto base = type.order.rbegin(); base != type.order.rend(); ++base) {
    for (const Stmt *statement : (*base)->node->body) {
      const auto *field = as<AnnAssign>(statement);
      const auto *name = field != nullptr ? as<Name>(field->target) : nullptr;
      if (name == nullptr) {
        continue;
      }
      Value value;
      if (at < arguments.positional.size()) {
        value = arguments.positional[at];
      } else if (!arguments.is_open) {
        const Value *const stored = find_name((*base)->frame->content.names, name->id.id);
        value = stored != nullptr ? *stored : Value();
      }
      ++at;
      for (const auto &[keyword, given] : arguments.keywords) {
        if (keyword == name->id) {
          value = given;
        }
      }
      content.attributes[name->id.id] = value;
    }
  }
  if (FunctionObject *const post = find_method(*object.type, intern("__post_init__"))) {
    Arguments self;
    self.positional.push_back(Value::of(&object));
    call_function(*post, self, nullptr);
  }
}

Value Interpreter::call_method(Object &object, std::string_view name, Arguments &arguments, const Expr *node) {
  const Value method = object_attribute(object, intern(name), node);
  return call(method, arguments, node);
}

Value Interpreter::call_object(Object &object, Arguments &arguments, const Expr *node) {
  if (object.type != nullptr) {
    FunctionObject *method = find_method(*object.type, intern("__call__"));
    if (method != nullptr && object.type->api && object.type->api.text() == "flax.linen.Module") {
      flax_prepare(*this, object);
    }
    if (method == nullptr && (is_module(object) || object.type->has_unknown_base)) {
      method = find_method(*object.type, intern("forward"));
    }
    if (method == nullptr && object.type->api && object.type->api.text().starts_with("tensorflow.keras.")) {
      method = find_method(*object.type, intern("call"));
      if (method != nullptr) {
        keras_prepare(*this, object, arguments);
      }
    }
    if (method != nullptr) {
      if (keeps_details) {
        path.push_back(object.name ? object.name : object.type->name);
      }
      arguments.positional.insert(arguments.positional.begin(), Value::of(&object));
      const Value value = call_function(*method, arguments, node);
      if (keeps_details) {
        path.pop_back();
      }
      return value;
    }
  }
  if (object.content.is_open && object.content.args.empty()) {
    escape(arguments);
    return {};
  }
  bool is_known = true;
  const Value value = call_container(object, arguments, node, is_known);
  if (is_known) {
    return value;
  }
  const Spec *const spec = object.content.api ? spec_of(object.content.api) : nullptr;
  if (spec != nullptr && spec->is_class) {
    return call_spec(*spec, object.content.api, arguments, node, &object);
  }
  escape(arguments);
  return {};
}

void Interpreter::report_arity(const FunctionObject &function, const Arguments &arguments, const Expr *node) {
  // Only where a module is called: nothing is added to what it is given, but for training and mask in Keras.
  const std::string_view name = function.name.text();
  const Symbol api = function.owner->api;
  const bool is_keras = name == "call" && api && api.text().starts_with("tensorflow.keras.");
  const bool is_flax = name == "__call__" && api && api.text() == "flax.linen.Module";
  // Who calls super().__init__() may reach another class than the one that we know.
  const auto *call = as<Call>(node);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  const bool is_constructor = name == "__init__" && api && api.text() == "torch.nn.Module" && call != nullptr &&
                              (method == nullptr || method->attr.text() != "__init__") &&
                              !arguments.positional.empty() && arguments.positional[0].is(Tag::Object) &&
                              arguments.positional[0].object->type != nullptr &&
                              !arguments.positional[0].object->type->has_unknown_base;
  if ((name != "forward" && !is_keras && !is_flax && !is_constructor) || function.is_static ||
      function.is_class_method || (is_keras && !arguments.keywords.empty())) {
    return;
  }
  std::size_t least = 0;
  std::size_t most = 0;
  for (std::size_t i = 1; i < function.params.size(); ++i) {
    const Param &param = *function.params[static_cast<u32>(i)];
    if (param.param_kind() == ParamKind::VarArgs || param.param_kind() == ParamKind::KwArgs ||
        param.param_kind() == ParamKind::KeywordOnly) {
      return;
    }
    const bool is_added = is_keras && (param.name.text() == "training" || param.name.text() == "mask");
    ++most;
    least += param.default_value == nullptr && !is_added ? 1 : 0;
  }
  const std::size_t given = arguments.positional.size() - 1 + arguments.keywords.size();
  if (given >= least && given <= most) {
    return; // by another name: nobody knows
  }
  if (Problem *problem = report(Fault::Arity, node,
                                fmt::format("{}.{} takes {} argument{}, but gets {}", function.owner->name.text(), name,
                                            least == most ? std::to_string(most) : fmt::format("{} to {}", least, most),
                                            least == most && most == 1 ? "" : "s", given))) {
    const auto *definition = static_cast<const FunctionDef *>(function.node);
    problem->notes.push_back({function.module, definition->name_span, fmt::format("{} is defined here", name)});
    problem->advice = given > most ? fmt::format("pass what {0} takes, or add a parameter to {0}", name)
                                   : "pass the missing argument, or give its parameter a default";
  }
}

} // namespace deepperf::shapes
