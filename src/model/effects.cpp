#include "model/effects.h"

#include "base/steps.h"
#include "base/symbol_list.h"
#include "model/bind.h"
#include "model/call_order.h"
#include "model/facts.h"
#include "model/variance.h"
#include "python/children.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace deepperf::model {

using namespace python;

namespace {

constexpr std::size_t kMostChanges = 256;

// Methods of whatever object that change neither it nor what they are given.
bool only_looks(std::string_view method) {
  static constexpr std::array<std::string_view, 32> kMethods = {
      "get_shape", "as_list", "format", "astype", "items", "keys",    "values",  "get",
      "numpy",     "join",    "split",  "strip",  "lower", "upper",   "info",    "warning",
      "debug",     "append",  "extend", "add",    "index", "count",   "copy",    "startswith",
      "endswith",  "mean",    "sum",    "max",    "min",   "reshape", "flatten", "tolist"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

// Notes who may be changed by a call that is given `expr`.
void hand(const Expr *expr, LoopEffects &effects) {
  if (const auto *name = as<Name>(expr)) {
    effects.handed.push_back(name->id);
  } else if (const auto *attribute = as<Attribute>(expr)) {
    effects.handed_attributes.push_back(attribute->attr);
  } else if (expr->kind == NodeKind::Tuple || expr->kind == NodeKind::List) {
    for_each_child(expr, [&](const Node *child) { hand(static_cast<const Expr *>(child), effects); });
  } else if (const auto *subscript = as<Subscript>(expr)) {
    hand(subscript->value, effects);
  } else if (const auto *starred = as<Starred>(expr)) {
    hand(starred->value, effects);
  }
}

void hand_arguments(const Call *call, LoopEffects &effects) {
  for (const Expr *arg : call->args) {
    hand(arg, effects);
  }
  for (const Keyword *keyword : call->keywords) {
    hand(keyword->value, effects);
  }
}

void note_call(const Project &project, const Call *call, LoopEffects &effects) {
  const Value callee = project.callee_of(call);
  const auto *method = as<Attribute>(call->func);
  switch (callee.tag) {
  case Value::Tag::Api:
    if (find_api(callee.name()) == nullptr) {
      hand_arguments(call, effects);
    }
    return;
  case Value::Tag::ApiMethod: {
    const ApiInfo *info = find_method(callee.receiver().kind, callee.name());
    if (method != nullptr && (info == nullptr || info->has(kMutates | kStep | kVariable))) {
      hand(method->value, effects);
      hand_arguments(call, effects);
    }
    return;
  }
  case Value::Tag::Function:
  case Value::Tag::Method:
  case Value::Tag::Class:
  case Value::Tag::Object:
    return; // through the call sites of the function
  case Value::Tag::Instance:
    hand(call->func, effects);
    return;
  default:
    if (method != nullptr) {
      if (only_looks(method->attr.text())) {
        return;
      }
      hand(method->value, effects);
    }
    hand_arguments(call, effects);
  }
}

void note_calls(const Project &project, const Node *node, LoopEffects &effects) {
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return;
  }
  if (const auto *call = as<Call>(node)) {
    note_call(project, call, effects);
  }
  for_each_child(node, [&](const Node *child) { note_calls(project, child, effects); });
}

// The object of a method call: what fills the first parameter.
const Expr *object_of(const CallSite &site) {
  const auto *method = site.bound ? as<Attribute>(site.call->func) : nullptr;
  return method != nullptr ? method->value : nullptr;
}

// What a call changes, seen from the function that it stands in, where `inner` is what the callee changes.
void add_changes(const CallSite &site, const FunctionChanges &inner, FunctionChanges &changes) {
  changes.everything |= inner.everything;
  if (site.callee->module == site.caller->module) {
    changes.names.insert(changes.names.end(), inner.names.begin(), inner.names.end());
  }
  changes.attributes.insert(changes.attributes.end(), inner.attributes.begin(), inner.attributes.end());
  for (u32 i = 0; i < 64 && (inner.params >> i) != 0; ++i) {
    if ((inner.params >> i & 1U) == 0) {
      continue;
    }
    const Expr *given = i == 0 && site.bound ? object_of(site) : passed_argument(site, i);
    if (given == nullptr) {
      continue;
    }
    if (const auto *attribute = as<Attribute>(given)) {
      changes.attributes.push_back(attribute->attr);
    } else if (const Name *name = root_name(given)) {
      changes.names.push_back(name->id);
    }
  }
}

} // namespace

namespace {

// `tf.map_fn(self.augment, x)`: who knows what it does.
bool calls_unknown(const FunctionInfo &function, const Call &call) {
  const Expr *const called = call.args.empty() ? nullptr : call.args[0];
  const auto *name = as<Name>(called);
  const Value *const value = name != nullptr ? all_values_of(function, name->id) : nullptr;
  return called != nullptr && called->kind != NodeKind::Lambda &&
         (value == nullptr || !value->is(Value::Tag::Function));
}

} // namespace

namespace {

// Methods of tensors that give another view of them. In code of PyTorch nothing else has methods of these names.
bool gives_view(std::string_view method) {
  static constexpr std::array<std::string_view, 11> kMethods = {"transpose", "permute", "unsqueeze", "squeeze",
                                                                "expand",    "movedim", "swapaxes",  "contiguous",
                                                                "reshape",   "flatten", "expand_as"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

} // namespace

bool is_pure(const Project &project, const FunctionInfo &function, const Call *call) {
  const Value callee = project.callee_of(call);
  constexpr u64 kImpure = kRandom | kIo | kPython | kMutates | kVariable | kSessionRun | kSession | kGraphState;
  if (callee.is(Value::Tag::Api)) {
    const ApiInfo *info = find_api(callee.name());
    return info != nullptr && !info->has(kImpure) && !(info->has(kTraces) && calls_unknown(function, *call));
  }
  if (callee.is(Value::Tag::ApiMethod)) {
    const ApiInfo *info = find_method(callee.receiver().kind, callee.name());
    return info != nullptr && !info->has(kImpure | kStage);
  }
  if (const auto *method = as<Attribute>(call->func)) {
    const std::string_view name = method->attr.text();
    return name == "get_shape" || name == "as_list" || name == "format" || name == "astype" || name == "items" ||
           name == "keys" || name == "values" || name == "get" || (function.module->torch && gives_view(name));
  }
  return false;
}

bool is_package(const FunctionInfo &function, Symbol name) {
  const Value *const value = all_values_of(function, name);
  if (value == nullptr || value->open) {
    return false;
  }
  bool found = false;
  bool only = true;
  for_each_alternative(*value, [&](const Value &one) {
    const bool is_one = one.is(Value::Tag::Api) || one.is(Value::Tag::Module);
    found |= is_one;
    only &= is_one;
  });
  return found && only;
}

namespace {

// What the code of a function changes itself, its own names and parameters included.
FunctionChanges own_changes(const FunctionInfo &function) {
  FunctionChanges changes;
  const FunctionDef *definition = function.definition();
  if (definition == nullptr) {
    return changes;
  }
  Loop own;
  find_changes(std::span(definition->body.begin(), definition->body.end()), own);
  changes.attributes = std::move(own.attributes);
  for (const Symbol name : own.assigned) {
    if (std::ranges::find(function.globals, name) != function.globals.end()) {
      changes.names.push_back(name);
    }
  }
  std::ranges::copy_if(own.mutated, std::back_inserter(changes.names),
                       [&](Symbol name) { return !is_package(function, name); });
  return changes;
}

// With what its calls change. `changes_of_callee` is null for what is not known yet.
template <class ChangesOfCallee>
FunctionChanges all_changes(const FunctionInfo &function, FunctionChanges changes, ChangesOfCallee changes_of_callee) {
  if (function.definition() == nullptr) {
    return changes;
  }
  for (const CallSite &site : function.calls) {
    if (site.callee != &function && changes.names.size() + changes.attributes.size() <= kMostChanges) {
      if (const FunctionChanges *const inner = changes_of_callee(*site.callee)) {
        add_changes(site, *inner, changes);
      }
    }
  }
  // Parameters are the caller's, other names of its own nobody else's.
  for (u32 i = 0; i < 64 && i < function.params.size(); ++i) {
    if (std::ranges::find(changes.names, function.params[i]->name) != changes.names.end()) {
      changes.params |= u64{1} << i;
    }
  }
  std::erase_if(changes.names, [&](Symbol name) { return function.slot_of(name) != FunctionInfo::kNoSlot; });
  sort_unique(changes.names);
  sort_unique(changes.attributes);
  changes.everything |= changes.names.size() + changes.attributes.size() > kMostChanges;
  return changes;
}

// Functions that call each other: twice around, so that what one of them changes reaches the others.
void find_changes_in_circle(std::span<const FunctionInfo *const> circle) {
  std::unordered_map<const FunctionInfo *, FunctionChanges> found;
  std::vector<FunctionChanges> own;
  for (const FunctionInfo *member : circle) {
    own.push_back(own_changes(*member));
  }
  for (u32 round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < circle.size(); ++i) {
      found[circle[i]] = all_changes(*circle[i], own[i], [&](const FunctionInfo &callee) {
        const auto known = found.find(&callee);
        return known != found.end() ? &known->second : callee.changes.get();
      });
    }
  }
  for (const FunctionInfo *member : circle) {
    member->changes.set(std::make_unique<const FunctionChanges>(std::move(found[member])));
  }
}

} // namespace

const FunctionChanges &changes_of(const FunctionInfo &function) {
  const auto is_done = [](const FunctionInfo &callee) { return callee.changes.get() != nullptr; };
  if (!is_done(function)) {
    const SharedWork shared;
    in_call_order(
        function, is_done, [](const CallSite &) { return true; },
        [](std::span<const FunctionInfo *const> circle) {
          const ReadScope reads;
          if (circle.size() > 1) {
            return find_changes_in_circle(circle);
          }
          const FunctionInfo &alone = *circle.front();
          alone.changes.set(std::make_unique<const FunctionChanges>(
              all_changes(alone, own_changes(alone), [](const FunctionInfo &callee) { return callee.changes.get(); })));
        });
  }
  return *function.changes.get();
}

namespace {

void find_only_assignments(const Node *loop, LoopEffects &effects) {
  SymbolMap<u32> bindings;
  SymbolMap<const Expr *> values;
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (const auto *assignment = as<Assign>(node)) {
      for (const Expr *target : assignment->targets) {
        if (const auto *plain = as<Name>(target)) {
          values[plain->id.id] = assignment->value;
        }
      }
    }
    if (const auto *plain = as<Name>(node); plain != nullptr && plain->context != Context::Load) {
      ++bindings[plain->id.id];
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  visit(visit, loop);
  for (const auto &[name, value] : values) {
    if (bindings.find(name)->second == 1) {
      effects.only_assignments[name] = value;
    }
  }
}

} // namespace

const LoopEffects &effects_of(const Project &project, const Loop &loop) {
  if (const LoopEffects *const known = loop.effects.get()) {
    return *known;
  }
  const SharedWork shared;
  const ReadScope reads;
  auto effects = std::make_unique<LoopEffects>();
  note_calls(project, loop.node, *effects);
  FunctionChanges changes;
  for (const CallSite *site : calls_inside(*loop.function, *loop.node)) {
    add_changes(*site, changes_of(*site->callee), changes);
  }
  effects->everything = changes.everything;
  effects->names = std::move(changes.names);
  effects->attributes = std::move(changes.attributes);
  sort_unique(effects->names);
  sort_unique(effects->attributes);
  sort_unique(effects->handed);
  sort_unique(effects->handed_attributes);
  find_only_assignments(loop.node, *effects);
  find_varying(project, loop, *effects);
  return loop.effects.set(std::move(effects));
}

} // namespace deepperf::model
