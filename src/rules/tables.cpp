#include "rules/tables.h"

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

} // namespace deepperf::rules
