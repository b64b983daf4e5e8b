#include "rules/tables.h"

#include "model/definitions.h"
#include "model/variance.h"
#include "rules/tree.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

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

// A table of more entries than this says nothing: many places may ask for all of them.
constexpr std::size_t kMostEntries = 64;

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
    if (dictionary == nullptr || dictionary->items.size() > kMostEntries) {
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

// What a function that is used as a decorator stores into a table: `TABLE[name] = function`, or `table[name] =
// function` of a table that it gets.
struct TableStore {
  Symbol table; // as the decorator calls it
  Symbol key;   // none if it is not a name
};

std::vector<TableStore> stores_of(const model::FunctionInfo &by) {
  std::vector<TableStore> stores;
  any_node_inside(by.definition(), [&](const Node *part) {
    const auto *assignment = as<Assign>(part);
    const auto *entry =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Subscript>(assignment->targets[0]) : nullptr;
    const auto *into = entry != nullptr ? as<Name>(entry->value) : nullptr;
    if (into != nullptr && assignment->value->kind == NodeKind::Name) {
      const auto *key = as<Name>(entry->slice);
      stores.push_back({into->id, key != nullptr ? key->id : Symbol{}});
    }
    return stores.size() == kMostEntries;
  });
  return stores;
}

// The argument that the decorator's call passes for the parameter with that name; null if there is none.
const Expr *argument_named(const model::FunctionInfo &by, const Call *decorator, Symbol name) {
  for (u32 i = 0; decorator != nullptr && i < by.params.size(); ++i) {
    if (by.params[i]->name == name) {
      return model::passed_argument(*decorator, by, false, i);
    }
  }
  return nullptr;
}

// The function that a decorator calls or is.
const model::FunctionInfo *decorating(const model::Project &project, const model::Scope &scope, const Expr *decorator) {
  const auto *call = as<Call>(decorator);
  const model::Value value = call != nullptr ? project.callee_of(call) : model::value_of(scope, decorator);
  return value.is(model::Value::Tag::Function) ? value.function : nullptr;
}

} // namespace
} // namespace deepperf::rules

namespace deepperf::model {

// A function that a decorator puts into a table, and under which key; nothing if that is not known.
struct Registration {
  const FunctionInfo *function = nullptr;
  std::optional<ConstantValue> key;
};

// By module and name of the table.
class Registrations : public std::map<std::pair<const Module *, u32>, std::vector<Registration>> {};

} // namespace deepperf::model

namespace deepperf::rules {
namespace {

std::unique_ptr<const model::Registrations> find_registrations(const model::Project &project) {
  auto found = std::make_unique<model::Registrations>();
  std::unordered_map<const model::FunctionInfo *, std::vector<TableStore>> stores;
  for (const model::FunctionInfo &function : project.functions) {
    const FunctionDef *definition = function.definition();
    if (definition == nullptr || definition->decorators.empty() || function.parent == nullptr) {
      continue;
    }
    const model::Scope around = model::scope_of(project, *function.parent);
    for (const Expr *decorator : definition->decorators) {
      const model::FunctionInfo *by = decorating(project, around, decorator);
      if (by == nullptr || by->definition() == nullptr) {
        continue;
      }
      const auto [known, is_new] = stores.try_emplace(by);
      if (is_new) {
        known->second = stores_of(*by);
      }
      const auto *call = as<Call>(decorator);
      for (const TableStore &store : known->second) {
        const auto *given = as<Name>(argument_named(*by, call, store.table));
        std::vector<model::Registration> &table =
            (*found)[{function.module, (given != nullptr ? given->id : store.table).id}];
        if (table.size() <= kMostEntries && (table.empty() || table.back().function != &function)) {
          const Expr *name = store.key ? argument_named(*by, call, store.key) : nullptr;
          table.push_back({&function, name != nullptr ? model::constant_of(around, name) : std::nullopt});
        }
      }
    }
  }
  return found;
}

// What decorators put into the tables of the project.
const model::Registrations &registrations_of(const model::Project &project) {
  const model::Definitions &definitions = model::definitions_of(project);
  if (const model::Registrations *known = definitions.registrations.get()) {
    return *known;
  }
  const SharedWork shared;
  const ReadScope reads;
  return definitions.registrations.set(find_registrations(project));
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
  const model::Registrations &all = registrations_of(project);
  const auto registered = all.find({scope.module, table->id.id});
  if (registered == all.end()) {
    return functions;
  }
  if (registered->second.size() > kMostEntries) {
    return {};
  }
  for (const model::Registration &one : registered->second) {
    if (!key.has_value() || !one.key.has_value() || key->same_as(*one.key)) {
      functions.push_back(one.function);
    }
  }
  return functions;
}

} // namespace deepperf::rules
