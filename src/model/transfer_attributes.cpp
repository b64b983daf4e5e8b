// What an attribute of a value is.
#include "base/name_table.h"
#include "model/classes.h"
#include "model/transfer.h"

#include <algorithm>
#include <string>

namespace deepperf::model {

using namespace python;

namespace {

// `values` and `indices` of what `max(dim)`, `topk()` and the like return.
bool is_part_of_pair(const Value &value, Symbol attr) {
  static const NameTable kPairs({"max", "min", "median", "mode", "topk", "sort", "kthvalue", "cummax", "cummin"});
  if (!value.is_kind(Kind::TorchTensor) || value.maker() == nullptr || !value.name() ||
      (attr.text() != "values" && attr.text() != "indices")) {
    return false;
  }
  const std::string_view maker = value.name().text();
  return kPairs.has(intern(maker.substr(maker.rfind('.') + 1)));
}

} // namespace

Value Transfer::eval_attribute(const Attribute *attribute) {
  const Value value = eval(attribute->value);
  if (recording() && module_->torch && attribute->context == Context::Load) {
    note_load(value, attribute->attr);
  }
  return attribute_of(value, attribute->attr);
}

Value Transfer::attribute_of(const Value &value, Symbol attr) {
  if (value.is_bottom()) {
    return value;
  }
  if (value.alternatives == nullptr) {
    return attribute_of_one(value, attr);
  }
  Value joined = value.open ? Value{} : Value::bottom();
  for_each_alternative(value, [&](const Value &one) {
    if (!one.is(Value::Tag::Literal)) {
      joined = join(joined, attribute_of_one(one, attr));
    }
  });
  return joined.is_bottom() ? missing(joined) : joined;
}

// What a module that does `from tensorflow import *` has, but does not make itself.
Value Transfer::star_attribute(const Module &module, Symbol attr) {
  for (const Symbol package : module.stars) {
    if (const Value value = api_attribute(Value::api(package, false), attr); find_api(value.name()) != nullptr) {
      return value;
    }
  }
  return module.stars.empty() ? Value{} : api_attribute(Value::api(module.stars.front(), false), attr);
}

Value Transfer::api_attribute(const Value &api, Symbol attr) {
  const u64 key = (u64{api.number} << 32) | attr.id;
  auto found = api_children_.find(key);
  if (found == api_children_.end()) {
    std::string dotted(api.name().text());
    dotted += '.';
    dotted += attr.text();
    bool v1 = false;
    const Symbol name = canonical_name(dotted, &v1);
    found = api_children_.emplace(key, Value::api(name, v1)).first;
  }
  Value value = found->second;
  value.v1 |= api.v1;
  return value;
}

// The method or property of a framework's kind, of an instance of it or of an object of a class that derives from it.
Value Transfer::framework_method(const Value &value, Kind kind, Symbol attr) {
  const ApiInfo *info = find_method(kind, attr);
  if (info == nullptr) {
    return module_->tensorflow && module_->may_be_eager() ? trained_state(attr) : Value{};
  }
  if (info->has(kProperty)) {
    Value result = Value::instance(info->returns);
    const bool keeps = attr.text() != "data" && attr.text() != "grad";
    if (info->returns == Kind::TorchTensor) {
      result.grad = value.has_gradient() && keeps ? kGradient : kNoGradient;
      result.device = value.device;
    }
    result.output = info->output == Output::Same ? value.output : Output::Unknown;
    return result;
  }
  Value receiver = value;
  receiver.kind = kind;
  return make_bound(Value::Tag::ApiMethod, attr, receiver, arena_);
}

Value Transfer::module_attribute(const Module &module, Symbol attr) {
  const u32 slot = module.body->slot_of(attr);
  if (slot != FunctionInfo::kNoSlot) {
    read(units_.of_name(*module.body, slot));
    return missing(module.body->all_values[slot]);
  }
  if (const Module *inner = index_.find(module, {}, attr, 1)) {
    return Value::of(inner);
  }
  return star_attribute(module, attr);
}

Value Transfer::attribute_of_one(const Value &value, Symbol attr) {
  switch (value.tag) {
  case Value::Tag::Api: {
    const Value child = api_attribute(value, attr);
    if (!module_->imported.empty()) {
      const auto imported = module_->imported.find(child.number);
      if (imported != module_->imported.end()) {
        return Value::of(imported->second);
      }
    }
    return child;
  }
  case Value::Tag::Module:
    return module_attribute(*value.module, attr);
  case Value::Tag::Instance:
    if (is_part_of_pair(value, attr)) {
      Value part = value;
      part.container = false;
      part.grad = attr.text() == "values" ? value.grad : u8{kNoGradient} & 3U;
      part.output = attr.text() == "values" ? value.output : Output::Unknown;
      return part;
    }
    return framework_method(value, value.kind, attr);
  case Value::Tag::Object:
  case Value::Tag::Super:
  case Value::Tag::Class:
    return attribute_of_class(value, attr);
  case Value::Tag::Partial:
    return value.receiver().is(Value::Tag::Tuple) ? value : Value{}; // parse_args_into_dataclasses of HfArgumentParser
  case Value::Tag::Tuple:
    if (const Value *const entry = find_entry(value, attr)) {
      return *entry;
    }
    [[fallthrough]];
  default:
    // What training changes, whoever holds it.
    return module_->tensorflow && module_->may_be_eager() ? trained_state(attr) : Value{};
  }
}

Value Transfer::attribute_of_class(const Value &value, Symbol attr) {
  const bool is_super = value.is(Value::Tag::Super);
  const Value member = member_of(value.type, attr, is_super);
  if (member.is(Value::Tag::Function)) {
    read(units_.of_function(*member.function));
    if (member.function->is_property) {
      return returns_of(*member.function);
    }
    const bool is_bound = !value.is(Value::Tag::Class) || member.function->is_class_method;
    return Value::of(member.function, is_bound ? Value::Tag::Method : Value::Tag::Function);
  }
  if (!member.is_unknown() && !member.is(Value::Tag::None)) {
    return member;
  }
  const Kind kind = value.type->kind;
  if (kind != Kind::Unknown && find_method(kind, attr) != nullptr) {
    return framework_method(value, kind, attr); // the method of the framework, bound to the object
  }
  const auto &evidence = value.type->module->attribute_evidence;
  const auto implied = evidence.find(attr.id);
  const Value assumed = implied != evidence.end() ? assumed_from(implied->second) : named_like(attr);
  return assumed.known() ? assumed : member;
}

Value Transfer::trained_state(Symbol attr) {
  const std::string_view name = attr.text();
  if (name == "iterations") {
    return Value::instance(Kind::Variable);
  }
  if (name == "trainable_variables" || name == "trainable_weights") {
    Value value = Value::instance(Kind::Variable);
    value.container = true;
    return value;
  }
  return {};
}

// What is stored to the attribute, else what the class has under that name.
Value Transfer::member_of(ClassInfo *type, Symbol attr, bool after_itself) {
  read(units_.of_class(*type, attr.id)); // or of one of its bases: see Solver::mark_attribute
  const Value *const stored = after_itself ? nullptr : find_attribute(*type, attr);
  const Value *const member = find_member(*type, attr, after_itself);
  if (stored != nullptr && member != nullptr && !stored->is_bottom() && !member->is(Value::Tag::Function)) {
    if (is_only_declared(*type, attr)) { // `model: nn.Module` in the class says what is stored at least
      return stored->known() || stored->alternatives != nullptr ? narrowed(*stored, *member) : *member;
    }
    return join(*stored, *member); // `x = None` in the class, and another value in its methods
  }
  if (stored != nullptr && (!stored->is_bottom() || member == nullptr)) {
    return missing(*stored);
  }
  if (member != nullptr) {
    return missing(*member);
  }
  // Where methods use what only derived classes store.
  constexpr std::size_t kMostDerived = 8;
  Value joined = Value::bottom();
  bool found = false;
  for (std::size_t i = 0; i < type->subclasses.size() && i < kMostDerived && !after_itself; ++i) {
    const ClassInfo *const derived = type->subclasses[i];
    read(units_.of_class(*derived, attr.id));
    if (const auto attribute = derived->attributes.find(attr.id); attribute != derived->attributes.end()) {
      joined = join(joined, attribute->second.value);
      found = true;
    }
  }
  if (!found && !may_be_stored(project_, *type, attr)) {
    return {}; // what a framework's class has, or nobody
  }
  return missing(joined);
}

} // namespace deepperf::model
