#include "rules/tables.h"

#include "model/variance.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

struct TableChoice {
  const Expr *table = nullptr;
  const Expr *key = nullptr;
};

// `TABLE[key]`, `TABLE.get(key)`
TableChoice choice_of(const Expr *expr) {
  if (const auto *entry = as<Subscript>(expr); entry != nullptr && entry->slice->kind != NodeKind::Slice) {
    return {entry->value, entry->slice};
  }
  const auto *call = as<Call>(expr);
  return call != nullptr && called_method(*call) == "get" && call->args.size() == 1
             ? TableChoice{receiver_of(*call), call->args[0]}
             : TableChoice{};
}

} // namespace

std::vector<model::Argument::Given> entries_chosen_by(const model::Scope &scope, const Expr *expr) {
  const TableChoice choice = choice_of(expr);
  if (choice.table == nullptr || (choice.table->kind != NodeKind::Name && choice.table->kind != NodeKind::Attribute)) {
    return {};
  }
  std::optional<model::ConstantValue> key = model::constant_of(scope, choice.key);
  if (key.has_value() && (key->overridable || !key->as_string().has_value())) {
    key.reset();
  }
  std::vector<model::Argument::Given> entries;
  for (const model::Argument::Given &written : model::written_as(scope, choice.table)) {
    const auto *dictionary = as<Dict>(written.expr);
    if (dictionary == nullptr) {
      return {};
    }
    for (const DictItem &item : dictionary->items) {
      const std::optional<model::ConstantValue> name =
          item.key != nullptr ? model::constant_of(written.scope, item.key) : std::nullopt;
      if (!name.has_value()) {
        return {};
      }
      if (!key.has_value() || key->same_as(*name)) {
        entries.push_back({written.scope, item.value});
      }
    }
  }
  return entries;
}

namespace {

// What a decorator stores into a table: `TABLE[name] = function`, or `table[name] = function` of a table that it gets.
struct Registration {
  bool is_stored = false;
  std::optional<model::ConstantValue> key; // under which; nothing if that is not known
};

// The argument that the decorator's call passes for the parameter with that name; null if there is none.
const Expr *argument_named(const model::FunctionInfo &by, const Call *decorator, Symbol name) {
  for (u32 i = 0; decorator != nullptr && i < by.params.size(); ++i) {
    if (by.params[i]->name == name) {
      return model::passed_argument(*decorator, by, false, i);
    }
  }
  return nullptr;
}

Registration registration_of(const model::Scope &scope, const model::FunctionInfo &by, const Expr *decorator,
                             Symbol table) {
  Registration found;
  const auto *call = as<Call>(decorator);
  any_node_inside(by.definition(), [&](const Node *part) {
    const auto *assignment = as<Assign>(part);
    const auto *entry =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Subscript>(assignment->targets[0]) : nullptr;
    const auto *into = entry != nullptr ? as<Name>(entry->value) : nullptr;
    if (into == nullptr || assignment->value->kind != NodeKind::Name) {
      return false;
    }
    const auto *given = as<Name>(argument_named(by, call, into->id));
    if ((given != nullptr ? given->id : into->id) != table) {
      return false;
    }
    found.is_stored = true;
    const auto *key = as<Name>(entry->slice);
    const Expr *name = key != nullptr ? argument_named(by, call, key->id) : nullptr;
    found.key = name != nullptr ? model::constant_of(scope, name) : std::nullopt;
    return true;
  });
  return found;
}

// The function that a decorator calls or is.
const model::FunctionInfo *decorating(const model::Project &project, const model::Scope &scope, const Expr *decorator) {
  const auto *call = as<Call>(decorator);
  const model::Value value = call != nullptr ? project.callee_of(call) : model::value_of(scope, decorator);
  return value.is(model::Value::Tag::Function) ? value.function : nullptr;
}

} // namespace

std::vector<const model::FunctionInfo *> functions_chosen_by(const model::Project &project, const model::Scope &scope,
                                                             const Expr *expr) {
  std::vector<const model::FunctionInfo *> functions;
  for (const model::Argument::Given &entry : entries_chosen_by(scope, expr)) {
    const model::Value value = entry.expr->kind == NodeKind::Lambda ? model::Value::of(project.function_at(entry.expr))
                                                                    : model::value_of(entry.scope, entry.expr);
    if (!value.is(model::Value::Tag::Function) || value.function == nullptr) {
      return {};
    }
    functions.push_back(value.function);
  }
  const TableChoice choice = choice_of(expr);
  const auto *table = as<Name>(choice.table);
  if (table == nullptr) {
    return functions;
  }
  std::optional<model::ConstantValue> key = model::constant_of(scope, choice.key);
  if (key.has_value() && key->overridable) {
    key.reset();
  }
  for (const model::FunctionInfo &function : project.functions) {
    const FunctionDef *definition = function.definition();
    if (definition == nullptr || function.module != scope.module || function.parent == nullptr) {
      continue;
    }
    for (const Expr *decorator : definition->decorators) {
      const model::Scope around = model::scope_of(project, *function.parent);
      const model::FunctionInfo *by = decorating(project, around, decorator);
      const Registration registration = by != nullptr && by->definition() != nullptr
                                            ? registration_of(around, *by, decorator, table->id)
                                            : Registration{};
      const bool is_another = key.has_value() && registration.key.has_value() && !key->same_as(*registration.key);
      if (registration.is_stored && !is_another) {
        functions.push_back(&function);
      }
    }
  }
  return functions;
}

} // namespace deepperf::rules
