// What were attributes set to: of objects and classes, modules, flags and parsed options?
#include "base/known_names.h"
#include "model/classes.h"
#include "model/constant_evaluator.h"
#include "python/call.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

constexpr std::size_t kMostStores = 256; // to attributes of one name, of whatever objects

bool are_related(const ClassInfo &a, const ClassInfo &b) {
  return std::ranges::find(a.mro, &b) != a.mro.end() || std::ranges::find(b.mro, &a) != b.mro.end();
}

// What `class A: name = value` writes.
const Expr *class_default(const ClassInfo &type, Symbol name) {
  const Expr *found = nullptr;
  for (const Stmt *statement : type.node->body) {
    if (const auto *plain = as<Assign>(statement)) {
      const auto *target = plain->targets.size() == 1 ? as<Name>(plain->targets[0]) : nullptr;
      found = target != nullptr && target->id == name ? plain->value : found;
    } else if (const auto *annotated = as<AnnAssign>(statement)) {
      const auto *target = as<Name>(annotated->target);
      found = target != nullptr && target->id == name && annotated->value != nullptr ? annotated->value : found;
    }
  }
  return found;
}

// The place of a field in the arguments of a class that makes its __init__ from annotations; nothing if it is none.
std::optional<u32> field_place(const ClassInfo &type, Symbol name) {
  u32 place = 0;
  for (const Stmt *statement : type.node->body) {
    const auto *annotated = as<AnnAssign>(statement);
    const auto *target = annotated != nullptr ? as<Name>(annotated->target) : nullptr;
    if (target != nullptr && target->id == name) {
      return place;
    }
    place += target != nullptr ? 1 : 0;
  }
  return std::nullopt;
}

void add_derived(const ClassInfo &type, std::vector<const ClassInfo *> &into) {
  for (const ClassInfo *derived : type.subclasses) {
    if (into.size() < ConstantEvaluator::kMostSources && std::ranges::find(into, derived) == into.end()) {
      into.push_back(derived);
      add_derived(*derived, into);
    }
  }
}

} // namespace

void ConstantEvaluator::attribute_sources(const Scope &at, const Attribute &attribute, u32 depth, Sources &into) {
  const Value owner = value_of(at, attribute.value);
  if (owner.is(Value::Tag::Module)) {
    if (owner.module->body != nullptr) {
      name_sources({&project_, owner.module, owner.module->body}, attribute.attr, depth + 1, into);
    }
    return;
  }
  if (owner.is_kind(Kind::ArgumentNamespace)) {
    return parsed_sources(owner, attribute.attr, into);
  }
  if (owner.is(Value::Tag::Api) && owner.name().text().ends_with("flags.FLAGS")) {
    const auto flags = index_.flags.find(attribute.attr.id);
    if (flags != index_.flags.end()) {
      for (const CallPlace &flag : flags->second) {
        option_sources(flag, into);
      }
    }
    return;
  }
  bool is_object = false;
  for_each_alternative(owner, [&](const Value &one) {
    if (one.is(Value::Tag::Object) || one.is(Value::Tag::Class)) {
      is_object = true;
      class_sources(*one.type, attribute.attr, depth, into);
    } else if (!one.is(Value::Tag::Tuple)) { // a namespace: see below
      into.unknown = true;
    }
  });
  if (is_object) {
    into.unknown |= owner.open;
    return;
  }
  // self.hparams.workers of Lightning: what __init__ was given.
  if (const auto *holder = as<Attribute>(attribute.value); holder != nullptr && holder->attr.text() == "hparams") {
    if (const Value object = value_of(at, holder->value); object.is(Value::Tag::Object)) {
      if (const FunctionInfo *init = find_method_of(*object.type, known::sym_init)) {
        for (u32 i = 0; i < init->params.size(); ++i) {
          if (init->params[i]->name == attribute.attr) {
            parameter_sources(*init, i, depth, into);
            return;
          }
        }
      }
    }
  }
  if (attribute.attr.text() == "value" && attribute.value->kind == NodeKind::Name) { // _LR = DEFINE_float(…); _LR.value
    const Sources flags = sources(at, attribute.value, depth + 1);
    for (const Given &one : flags.given) {
      const auto *call = as<Call>(one.expr);
      if (call != nullptr && called_name(*call).starts_with("DEFINE_")) {
        option_sources({one.scope.function, call}, into);
      } else {
        into.unknown = true;
      }
    }
    into.unknown |= flags.unknown;
    return;
  }
  entry_sources(at, attribute.value, attribute.attr.text(), nullptr, depth, into); // a dictionary with attributes
}

// Is every object of the class made by a call that stands in these files? Then its defaults are as good as constants:
// no parser of options, no configuration file and no user of a library fills its fields.
bool ConstantEvaluator::is_made_here_alone(const ClassInfo &type) const {
  return index_.constructions.contains(&type) && !index_.classes_handed_on.contains(type.name.id) &&
         type.subclasses.empty() && type.mro.size() == 1 && type.bases.empty();
}

// What objects of the class have: stored to them, passed where a dataclass is made, or written in the class.
void ConstantEvaluator::class_sources(const ClassInfo &type, Symbol name, u32 depth, Sources &into) {
  bool is_stored = false;
  const auto stores = index_.attribute_stores.find(name.id);
  if (stores != index_.attribute_stores.end() && stores->second.size() > kMostStores) {
    into.unknown = true;
    return;
  }
  if (stores != index_.attribute_stores.end()) {
    for (const AttributeStore &store : stores->second) {
      const Value object = value_of(scope_of(project_, *store.function), store.object);
      into.unknown |= object.is_unknown();
      for_each_alternative(object, [&](const Value &one) {
        if ((one.is(Value::Tag::Object) || one.is(Value::Tag::Class)) && are_related(*one.type, type)) {
          is_stored = true;
          into.unknown |= store.value == nullptr;
          into.given.push_back({scope_of(project_, *store.function), store.value});
        }
      });
    }
  }
  for (const ClassInfo *holder : type.mro) {
    const Expr *value = class_default(*holder, name);
    const std::optional<u32> place = field_place(*holder, name);
    if (value == nullptr && !place.has_value()) {
      continue;
    }
    const bool is_field = place.has_value() && find_method_of(type, known::sym_init) == nullptr;
    bool takes_default = !is_field;
    if (is_field) {
      takes_default = construction_sources(type, *holder, *place, name, depth, into);
    }
    if (takes_default && value != nullptr) {
      const FunctionInfo *const around = holder->scope != nullptr ? holder->scope : holder->module->body;
      into.given.push_back({scope_of(project_, *around), value, is_field && !is_made_here_alone(type)});
    } else if (takes_default && !is_stored) {
      into.unknown = true;
    }
    return;
  }
}

// Fields that are passed where objects are made; true if one of them takes the default, or nobody makes one.
bool ConstantEvaluator::construction_sources(const ClassInfo &type, const ClassInfo &holder, u32 place, Symbol name,
                                             u32 depth, Sources &into) {
  bool takes_default = true;
  bool is_first = true;
  std::vector<const ClassInfo *> related(type.mro.begin(), type.mro.end());
  add_derived(type, related);
  for (const ClassInfo *made : related) {
    const auto places = index_.constructions.find(made);
    if (places == index_.constructions.end()) {
      continue;
    }
    for (const CallPlace &construction : places->second) {
      // Fields of base classes come first, and how many they are is not counted here.
      const u32 position = &holder == made && holder.mro.size() == 1 ? place : ~0U;
      const Argument passed =
          argument(scope_of(project_, *construction.function), *construction.call, position, name.text(), depth + 1);
      into.unknown |= passed.unknown || (position == ~0U && !construction.call->args.empty());
      into.given.insert(into.given.end(), passed.given.begin(), passed.given.end());
      takes_default = (takes_default && !is_first) || passed.may_be_absent;
      is_first = false;
    }
  }
  return takes_default;
}

} // namespace deepperf::model
