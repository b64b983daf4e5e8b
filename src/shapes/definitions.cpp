// What `def` and `class` make.
#include "shapes/interpreter.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

std::string_view api_of(const Value &value) {
  if (value.is(Tag::Api)) {
    return value.text();
  }
  if (value.is(Tag::Object) && value.object->type == nullptr && value.object->content.api) {
    return value.object->content.api.text();
  }
  return {};
}

// Decorators that leave what a call computes as it is.
bool is_transparent(std::string_view api) {
  static constexpr std::string_view kApis[] = {
      "functools.wraps",     "functools.lru_cache",   "functools.cache",     "abc.abstractmethod",
      "typing.final",        "torch.compile",         "tensorflow.function", "jax.jit",
      "torch.jit.script",    "torch.jit.export",      "torch.jit.ignore",    "torch.jit.unused",
      "torch.fx.wrap",       "typing.override",       "torch.enable_grad",   "torch.jit.script_method",
      "torch.jit.interface", "torch._dynamo.disable", "jax.named_call",      "typing.no_type_check",
      "flax.linen.compact",  "flax.linen.nowrap",     "jax.checkpoint",      "jax.remat",
      "flax.nnx.jit"};
  return std::ranges::find(kApis, api) != std::end(kApis) || api.find("autocast") != std::string_view::npos ||
         api.find("custom_fwd") != std::string_view::npos || api.find("deprecat") != std::string_view::npos;
}

} // namespace

// @functools.wraps(function)
FunctionObject *Interpreter::wrapped_by(const Expr *decorator) {
  const auto *call = as<Call>(decorator);
  if (call == nullptr || call->args.size() != 1 || api_of(eval(call->func)) != "functools.wraps") {
    return nullptr;
  }
  const Value wrapped = eval(call->args[0]);
  return wrapped.is(Tag::Function) ? wrapped.function : nullptr;
}

// What a function's name is bound to.
Value Interpreter::decorated(const FunctionDef *definition, FunctionObject *function) {
  Value value = Value::of(function);
  for (u32 i = definition->decorators.size(); i > 0; --i) {
    const Expr *const expr = definition->decorators[i - 1];
    if (const auto *attribute = as<Attribute>(expr)) {
      const std::string_view name = attribute->attr.text();
      if (name == "setter" || name == "deleter" || name == "getter" || name == "register") {
        const Value *const old = find_name(frame_->content.names, definition->name.id);
        return old != nullptr ? *old : Value();
      }
    }
    if (FunctionObject *const wrapped = wrapped_by(expr)) {
      function->wraps = wrapped;
      continue;
    }
    if (const auto *call_node = as<Call>(expr)) { // @tf.function(jit_compile=True)
      if (const Value maker = eval(call_node->func); is_transparent(api_of(maker))) {
        continue;
      }
    }
    const Value decorator = eval(expr);
    std::string_view api = api_of(decorator);
    if (api == "functools.partial" && !decorator.object->content.args.empty()) { // @partial(jax.jit, static_argnums=0)
      api = api_of(decorator.object->content.args[0]);
    }
    if (api == "staticmethod") {
      function->is_static = true;
    } else if (api == "classmethod") {
      function->is_class_method = true;
    } else if (api == "property" || api == "functools.cached_property" || api == "abc.abstractproperty") {
      function->is_property = true;
    } else if (api == "torch.no_grad" || api == "torch.inference_mode") {
      function->without_grad = true;
    } else if (is_transparent(api)) {
      continue;
    } else if (decorator.is(Tag::Function) || decorator.is(Tag::Method)) {
      Arguments arguments;
      arguments.positional.push_back(value);
      const Value result = call(decorator, arguments, expr);
      if (result.is(Tag::Function)) {
        value = result;
      } else {
        function->is_wrapped = true;
      }
    } else {
      function->is_wrapped = true;
    }
  }
  return value;
}

void Interpreter::define_function(const FunctionDef *definition) {
  FunctionObject *const function = heap.new_function();
  function->node = definition;
  function->params = definition->params;
  function->name = definition->name;
  function->module = module();
  Frame *closure = frame_;
  while (closure != nullptr && closure->is_class) {
    closure = closure->outer;
  }
  function->closure = closure;
  for (const Param *param : definition->params) {
    function->defaults.push_back(param->default_value != nullptr ? eval(param->default_value) : Value(Tag::Undefined));
  }
  bind(definition->name, definition->decorators.empty() ? Value::of(function) : decorated(definition, function));
}

Value Interpreter::eval_lambda(const Lambda *lambda) {
  FunctionObject *const function = heap.new_function();
  function->node = lambda;
  function->params = lambda->params;
  function->module = module();
  function->name = intern("lambda");
  Frame *closure = frame_;
  while (closure != nullptr && closure->is_class) {
    closure = closure->outer;
  }
  function->closure = closure;
  for (const Param *param : lambda->params) {
    function->defaults.push_back(param->default_value != nullptr ? eval(param->default_value) : Value(Tag::Undefined));
  }
  return Value::of(function);
}

namespace {

// As Python looks members up: depth first, a class after all that derive from it. The bases know theirs already, so a
// ladder of classes with many equal bases takes no longer than its text.
std::vector<ClassObject *> order_of(ClassObject *type) {
  constexpr std::size_t kMostClasses = 64;
  constexpr std::size_t kMostLookedAt = 1024;
  std::vector<ClassObject *> all;
  for (const Value &base : type->bases) {
    if (base.is(Tag::Class) && all.size() < kMostLookedAt) {
      all.insert(all.end(), base.type->order.begin(), base.type->order.end());
    }
  }
  std::vector<ClassObject *> order;
  for (auto at = all.rbegin(); at != all.rend() && order.size() < kMostClasses; ++at) {
    if (std::ranges::find(order, *at) == order.end()) {
      order.push_back(*at);
    }
  }
  order.push_back(type);
  std::ranges::reverse(order);
  return order;
}

} // namespace

void Interpreter::define_class(const ClassDef *definition) {
  ClassObject *const type = heap.new_class();
  type->node = definition;
  type->name = definition->name;
  type->module = module();
  for (const Expr *base : definition->bases) {
    if (base->kind == NodeKind::Starred) {
      type->has_unknown_base = true;
      continue;
    }
    // Generic[T] and the like say nothing here.
    const Expr *const plain = base->kind == NodeKind::Subscript ? static_cast<const Subscript *>(base)->value : base;
    const Value value = eval(plain);
    if (value.is(Tag::Class)) {
      type->bases.push_back(value);
      type->has_unknown_base = type->has_unknown_base || value.type->has_unknown_base;
      if (!type->api) {
        type->api = value.type->api;
      }
    } else if (value.is(Tag::Api)) {
      const std::string_view api = value.text();
      type->bases.push_back(value);
      if (api == "object" || api == "typing.Generic" || api == "typing.Protocol" || api == "abc.ABC") {
        continue;
      }
      if (find_api(value.name()) == nullptr && spec_of(value.name()) == nullptr && api != "typing.NamedTuple" &&
          !api.starts_with("enum.")) {
        type->has_unknown_base = true;
      }
      if (!type->api || type->api.text() == "torch.nn.Module") {
        type->api = value.name();
      }
    } else {
      type->has_unknown_base = true;
    }
  }
  type->order = order_of(type);
  for (const ClassObject *base : type->order) {
    type->is_dataclass = type->is_dataclass || base->is_dataclass;
  }
  type->is_dataclass = type->is_dataclass || (type->api && type->api.text() == "flax.linen.Module");
  for (const Expr *decorator : definition->decorators) {
    const Expr *const plain =
        decorator->kind == NodeKind::Call ? static_cast<const Call *>(decorator)->func : decorator;
    const std::string_view api = api_of(eval(plain));
    type->is_dataclass = type->is_dataclass || api == "dataclasses.dataclass" || api == "attr.s" ||
                         api == "attr.dataclass" || api == "attrs.define";
  }
  Frame *const frame = heap.new_frame(frame_, module());
  frame->is_class = true;
  type->frame = frame;
  {
    const StateKeeper keeper(*this);
    frame_ = frame;
    exec(definition->body);
  }
  for (const auto &[name, value] : frame->content.names) {
    if (value.is(Tag::Function) && value.function->owner == nullptr) {
      value.function->owner = type;
    }
  }
  bind(definition->name, Value::of(type));
}

FunctionObject *Interpreter::find_method(const ClassObject &type, Symbol name, const ClassObject *after) {
  bool is_open = after == nullptr;
  for (const ClassObject *base : type.order) {
    if (is_open) {
      const auto found = base->frame->content.names.find(name.id);
      if (found != base->frame->content.names.end() && found->second.is(Tag::Function)) {
        return found->second.function;
      }
    }
    is_open = is_open || base == after;
  }
  return nullptr;
}

bool Interpreter::derives_from(const ClassObject &type, std::string_view api) const {
  return std::ranges::any_of(type.order, [&](const ClassObject *base) {
    return std::ranges::any_of(base->bases,
                               [&](const Value &value) { return value.is(Tag::Api) && value.text() == api; });
  });
}

} // namespace deepperf::shapes
