// Functions, classes and imports, where they are defined.
#include "model/declare.h"
#include "model/transfer.h"
#include "python/call.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

Array<Value> Transfer::eval_defaults(Array<Param *> params) {
  const Array<Value> defaults = arena_.fill(params.size(), Value{});
  for (u32 i = 0; i < params.size(); ++i) {
    if (params[i]->default_value != nullptr) {
      defaults[i] = eval(params[i]->default_value);
      if (!defaults[i].known()) {
        defaults[i] = dependency(params[i]->default_value);
      }
    }
  }
  return defaults;
}

// What FastAPI passes for a parameter whose default is `Depends(get_model)`: the result of the function, or an object
// of the class.
Value Transfer::dependency(const Expr *default_value) {
  const auto *call = as<Call>(default_value);
  if (call == nullptr || call->args.size() != 1 || called_name(*call) != "Depends") {
    return {};
  }
  const Value given = peek(call->args[0]);
  if (given.is(Value::Tag::Class)) {
    return Value::of(given.type, Value::Tag::Object);
  }
  return given.is(Value::Tag::Function) || given.is(Value::Tag::Method) ? returns_of(*given.function) : Value{};
}

void Transfer::read_decorator(const Expr *decorator, FunctionDefinition &defined, FunctionInfo &function) {
  Value value = eval(decorator);
  if (value.is(Value::Tag::Partial) && value.receiver().is(Value::Tag::Api)) { // @partial(jax.jit, …)
    value = value.receiver();
  }
  const Symbol api = value.is(Value::Tag::Api) || value.is_kind(Kind::Function) ? value.name() : Symbol{};
  if (const ApiInfo *info = api ? find_api(api) : nullptr; info != nullptr && info->has(kCompiles)) {
    FunctionMark &noted = mark(&function);
    noted.compiled_at = decorator;
    noted.tracer |= api.text().starts_with("tensorflow.") ? kByTfFunction : kByJaxJit;
  }
  // @tf.py_function(Tout=…) waits for the function.
  if (const auto *maker = as<Call>(decorator); maker != nullptr && value.is_kind(Kind::Tensor)) {
    const ApiInfo *info = value.name() ? find_api(value.name()) : nullptr;
    if (info != nullptr && info->has(kPython)) {
      mark(&function).tracer |= kByPython;
    }
  }
  if ((value.is(Value::Tag::Api) || value.is_kind(Kind::TorchModule)) && value.name() &&
      value.name().text() == "torch.compile") { // also @torch.compile(…)
    FunctionMark &noted = mark(&function);
    noted.traced = true;
    noted.tracer |= kByTorch;
  }
  if (value.is(Value::Tag::Api)) {
    const std::string_view name = value.name().text();
    defined.is_property |= name == "property" || name.ends_with("cached_property");
    defined.is_static |= name == "staticmethod";
    defined.is_class_method |= name == "classmethod";
    const ApiInfo *info = find_api(value.name());
    if (info != nullptr && info->has(kTraces)) {
      mark(&function).traced = true;
    }
    if (info != nullptr && info->returns == Kind::NoGrad) { // @torch.no_grad, without its call
      defined.no_grad = true;
    }
    result_.v2 |= info != nullptr && info->has(kV2);
  } else if (value.is_kind(Kind::Function)) { // @tf.function(…)
    mark(&function).traced = true;
  } else if (value.is_kind(Kind::NoGrad)) { // @torch.no_grad()
    defined.no_grad = true;
  } else if (const auto *attribute = as<Attribute>(decorator)) {
    defined.is_property |= attribute->attr.text() == "setter";
  }
  if (value.is(Value::Tag::Function) && only_keeps(project_, *value.function)) {
    give_to_decorator(value, Value::of(&function));
  }
}

void Transfer::walk_function_definition(const FunctionDef *definition) {
  FunctionInfo &function = *project_.function_at(definition);
  FunctionDefinition defined;
  defined.function = &function;
  for (const Expr *decorator : definition->decorators) {
    read_decorator(decorator, defined, function);
  }
  defined.defaults = eval_defaults(definition->params);
  // What Keras and Estimators call to build a graph.
  const std::string_view name = definition->name.text();
  const Kind kind = class_body_ != nullptr ? class_body_->type->kind : Kind::Unknown;
  const bool is_keras =
      kind == Kind::KerasLayer || kind == Kind::KerasModel || kind == Kind::KerasLoss || kind == Kind::KerasMetric;
  if (is_keras &&
      (name == "call" || name == "build" || name == "train_step" || name == "test_step" || name == "predict_step" ||
       name == "update_state" || name == "result" || name == "compute_loss" || name == "__call__")) {
    mark(&function).traced = true;
  }
  if (name == "model_fn" || name == "_model_fn" || name == "input_fn" || name == "_input_fn") {
    mark(&function).traced = true;
  }
  if (solving()) {
    result_.functions.push_back(defined);
  }
  const Value value = Value::of(&function);
  if (class_body_ != nullptr) {
    class_body_->members[definition->name.id] = value;
  } else {
    bind(definition->name, value);
  }
}

// `@register("name")`: a function of the project gets the class or function, and mostly puts it into a table.
void Transfer::give_to_decorator(const Value &decorator, const Value &decorated) {
  for_each_alternative(decorator, [&](const Value &one) {
    const bool is_bound = one.is(Value::Tag::Method) && !one.function->is_static;
    const u32 place = is_bound ? 1 : 0;
    if ((is_bound || one.is(Value::Tag::Function)) && place < one.function->params.size()) {
      contribute(Contribution::Target::Parameter, one.function->index, place, decorated);
      returns_of(*one.function);
    }
  });
}

void Transfer::walk_class(const ClassDef *definition) {
  ClassDefinition defined;
  defined.type = const_cast<ClassInfo *>(project_.class_at(definition));
  const Value itself = Value::of(defined.type, Value::Tag::Class);
  for (const Expr *decorator : definition->decorators) {
    give_to_decorator(eval(decorator), itself);
  }
  for (const Expr *base : definition->bases) {
    const Value value = eval(base);
    const auto *generic = as<Subscript>(base); // Dataset[Sample]
    defined.bases.push_back(generic != nullptr && value.is_unknown() ? peek(generic->value) : value);
  }
  ClassDefinition *const outer = std::exchange(class_body_, &defined);
  walk(definition->body);
  class_body_ = outer;
  if (solving()) {
    result_.classes.push_back(std::move(defined));
  }
  if (outer != nullptr) {
    outer->members[definition->name.id] = itself;
  } else {
    bind(definition->name, itself);
  }
}

// ---- Imports --------------------------------------------------------------------------------------------------------

namespace {

Value dotted_api(std::string_view dotted) {
  bool v1 = false;
  const Symbol name = canonical_name(dotted, &v1);
  return Value::api(name, v1);
}

const Module *target_of(const Module &module, const Node *node) {
  const auto found = module.import_targets.find(node);
  return found != module.import_targets.end() ? found->second : nullptr;
}

} // namespace

void Transfer::walk_import(const Import *statement) {
  for (const Alias *alias : statement->names) {
    const std::string_view dotted = alias->name.text();
    const std::string_view top = dotted.substr(0, dotted.find('.'));
    const Module *found = target_of(*module_, alias);
    const Value value = found != nullptr ? Value::of(found) : dotted_api(dotted);
    if (alias->asname) {
      bind(alias->asname, value);
    } else if (top.size() == dotted.size()) {
      bind(alias->name, value);
    } else {
      bind(intern(top), Value::api(intern(top), false));
    }
  }
}

// `from package import *`. A module has no use for names beyond those that collect_stars() gave it.
void Transfer::take_star(const Module &package) {
  const FunctionInfo &there = *package.body;
  const auto take = [&](Symbol name, u32 slot) {
    if (is_exported(package, name)) {
      read(units_.of_name(there, slot));
      bind(name, missing(there.all_values[slot]));
    }
  };
  const bool is_module = class_body_ == nullptr && current_->parent == nullptr;
  work_.expressions += is_module ? std::min(current_->names.size(), there.names.size()) : there.names.size();
  if (is_module && current_->names.size() < there.names.size()) {
    for (const u32 name : current_->names) {
      if (const u32 slot = there.slot_of(Symbol{name}); slot != FunctionInfo::kNoSlot) {
        take(Symbol{name}, slot);
      }
    }
    return;
  }
  for (u32 slot = 0; slot < there.names.size(); ++slot) {
    const Symbol name{there.names[slot]};
    if (!is_module || current_->slot_of(name) != FunctionInfo::kNoSlot) {
      take(name, slot);
    }
  }
}

void Transfer::walk_import_from(const ImportFrom *statement) {
  const std::string_view dotted = statement->module ? statement->module.text() : std::string_view{};
  const Module *package = target_of(*module_, statement);
  for (const Alias *alias : statement->names) {
    const std::string_view name = alias->name.text();
    if (name == "*") {
      if (package != nullptr) {
        take_star(*package);
      }
      continue;
    }
    const Symbol target = alias->asname ? alias->asname : alias->name;
    const Module *const module = target_of(*module_, alias);
    if (package != nullptr) {
      const u32 slot = package->body->slot_of(alias->name);
      if (slot != FunctionInfo::kNoSlot && (module == nullptr || package->is_package)) {
        read(units_.of_name(*package->body, slot));
        const Value value = package->body->all_values[slot];
        if (!value.is_bottom() || module == nullptr) {
          bind(target, missing(value));
          continue;
        }
      }
    }
    Value value;
    if (module != nullptr) {
      value = Value::of(module);
    } else if (package != nullptr) {
      value = star_attribute(*package, alias->name);
    }
    if (!value.known() && name == "tensorflow") { // through a module that imports it lazily
      value = dotted_api(name);
    }
    if (!value.known() && package == nullptr && statement->level == 0) {
      value = dotted_api(std::string(dotted) + "." + std::string(name));
    }
    bind(target, value);
  }
}

} // namespace deepperf::model
