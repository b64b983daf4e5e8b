#include "rules/tables.h"

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

// Does the function, or one inside of it, store a parameter of its own into the table: `TABLE[name] = function`?
bool stores_into(const Node *node, Symbol table) {
  return any_node_inside(node, [&](const Node *part) {
    const auto *assignment = as<Assign>(part);
    const auto *entry =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Subscript>(assignment->targets[0]) : nullptr;
    const auto *into = entry != nullptr ? as<Name>(entry->value) : nullptr;
    return into != nullptr && into->id == table && assignment->value->kind == NodeKind::Name;
  });
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
  const auto *table = as<Name>(choice_of(expr).table);
  if (table == nullptr) {
    return functions;
  }
  for (const model::FunctionInfo &function : project.functions) {
    const FunctionDef *definition = function.definition();
    if (definition == nullptr || function.module != scope.module || function.parent == nullptr) {
      continue;
    }
    for (const Expr *decorator : definition->decorators) {
      const model::FunctionInfo *by = decorating(project, model::scope_of(project, *function.parent), decorator);
      if (by != nullptr && by->definition() != nullptr && stores_into(by->definition(), table->id)) {
        functions.push_back(&function);
      }
    }
  }
  return functions;
}

} // namespace deepperf::rules
