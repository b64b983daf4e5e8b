#include "model/lookup.h"

#include "model/bind.h"
#include "model/classes.h"
#include "model/lattice.h"
#include "python/literals.h"

#include <string>

namespace deepperf::model {

using namespace python;

namespace {

Value name_value(const Scope &scope, Symbol name) {
  const FunctionInfo *const function = scope.function != nullptr ? scope.function : scope.module->body;
  const Value *const found = function != nullptr ? all_values_of(*function, name) : nullptr;
  return found != nullptr ? *found : Value{};
}

Value member_value(const ClassInfo &type, Symbol name) {
  if (const Value *stored = find_attribute(type, name); stored != nullptr && !stored->is_bottom()) {
    return *stored;
  }
  const Value *const member = find_member(type, name);
  if (member != nullptr) {
    const bool is_property = member->is(Value::Tag::Function) && member->function->is_property;
    return is_property ? member->function->returns : *member;
  }
  // Where methods use what only a derived class stores, as those of a mixin do.
  const Value *found = nullptr;
  for (const ClassInfo *derived : type.subclasses) {
    const auto stored = derived->attributes.find(name.id);
    if (stored != derived->attributes.end()) {
      if (found != nullptr) {
        return {};
      }
      found = &stored->second.value;
    }
  }
  return found != nullptr && !found->is_bottom() ? *found : Value{};
}

Value attribute_value(const Scope &scope, const Attribute &attribute) {
  const Value owner = value_of(scope, attribute.value);
  if (owner.is(Value::Tag::Object) || owner.is(Value::Tag::Class)) {
    return member_value(*owner.type, attribute.attr);
  }
  if (owner.is(Value::Tag::Api)) {
    std::string dotted(owner.name().text());
    dotted += '.';
    dotted += attribute.attr.text();
    return Value::api(canonical_name(dotted), owner.v1);
  }
  if (owner.is(Value::Tag::Module) && owner.module->body != nullptr) {
    const u32 slot = owner.module->body->slot_of(attribute.attr);
    return slot != FunctionInfo::kNoSlot ? owner.module->body->all_values[slot] : Value{};
  }
  return {};
}

Value call_value(const Scope &scope, const Call &call) {
  const Value callee = scope.project->callee_of(&call);
  if (callee.is(Value::Tag::Api)) {
    const ApiInfo *info = find_api(callee.name());
    return info != nullptr && info->returns != Kind::Unknown ? Value::made_by(info->returns, &call, callee.name())
                                                             : Value{};
  }
  if (callee.is(Value::Tag::ApiMethod) && callee.receiver().is_kind(Kind::ArgumentParser)) {
    const ApiInfo *info = find_method(Kind::ArgumentParser, callee.name());
    const Kind kind = info != nullptr ? info->returns : Kind::Unknown;
    return kind != Kind::Unknown ? Value::made_by(kind, callee.receiver().maker(), callee.receiver().name()) : Value{};
  }
  if (callee.is(Value::Tag::ApiMethod) && callee.receiver().kind == Kind::TorchModule) { // model.to(device)
    const ApiInfo *info = find_method(Kind::TorchModule, callee.name());
    const bool is_itself = info != nullptr && info->returns == Kind::TorchModule && info->has(kMutates);
    return is_itself ? callee.receiver() : Value{};
  }
  if (callee.is(Value::Tag::Class)) {
    return Value::of(callee.type, Value::Tag::Object);
  }
  if (callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) {
    return callee.function->returns;
  }
  return {};
}

// `batch["label"]`, `pair[0]`: an entry of what is known part by part.
Value element_value(const Scope &scope, const Subscript &subscript) {
  const Value owner = value_of(scope, subscript.value);
  if (!owner.is(Value::Tag::Tuple) || owner.open || owner.number == 0 || subscript.slice->kind == NodeKind::Slice) {
    return {};
  }
  const Source &source = scope.module->parsed->source;
  Value found;
  if (has_entries(owner)) {
    const StringConstant *const key = as_string(subscript.slice);
    found = key != nullptr ? entry_named(owner, intern(string_value(source, *key))) : owner.items[0];
  } else if (owner.uniform) {
    found = owner.items[0];
  } else if (const auto *index = as<Constant>(subscript.slice)) {
    const auto number =
        index->constant_kind() == ConstantKind::Int ? int_value(source.part(index->start, index->end)) : std::nullopt;
    found = number.has_value() && *number >= 0 && *number < owner.number ? owner.items[*number] : Value{};
  }
  return found.is_bottom() ? Value{} : found;
}

} // namespace

Scope scope_of(const Project &project, const FunctionInfo &function) { return {&project, function.module, &function}; }

Value value_of(const Scope &scope, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    // The first parameter of a method is its object.
    const FunctionInfo *const function = scope.function;
    if (function != nullptr && !function->is_static && is_own_object(*function, name)) {
      return Value::of(function->type, Value::Tag::Object);
    }
    return name_value(scope, name->id);
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute_value(scope, *attribute);
  }
  if (const auto *subscript = as<Subscript>(expr)) {
    return element_value(scope, *subscript);
  }
  const auto *call = as<Call>(expr);
  return call != nullptr ? call_value(scope, *call) : Value{};
}

} // namespace deepperf::model
