#include "rules/names_from.h"

#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace deepperf::rules {

using namespace python;

NamesFrom::NamesFrom(const FunctionDef &function, const std::vector<Symbol> &params,
                     FunctionRef<bool(const Expr *)> is_cut) {
  // What is assigned, and by which names it is found: each is looked at once, however long the way from a parameter is.
  struct Given {
    const Expr *value = nullptr;
    const Node *statement = nullptr;
    bool is_followed = false;
  };
  std::vector<Given> given;
  std::unordered_map<u32, std::vector<u32>> mentioning;
  any_node(function.body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *loop = as<For>(node);
    const Expr *value = assignment != nullptr ? assignment->value : loop != nullptr ? loop->iter : nullptr;
    if (value == nullptr) {
      return false;
    }
    any_node(value, [&](const Node *part) {
      if (const auto *name = as<Name>(part)) {
        mentioning[name->id.id].push_back(static_cast<u32>(given.size()));
      }
      return false;
    });
    given.push_back({value, node});
    return false;
  });
  for (const Symbol param : params) {
    add(param);
  }
  while (!waiting_.empty()) {
    const auto found = mentioning.find(waiting_.back());
    waiting_.pop_back();
    for (const u32 index : found != mentioning.end() ? found->second : std::vector<u32>{}) {
      Given &one = given[index];
      if (std::exchange(one.is_followed, true) || is_cut(one.value)) {
        continue;
      }
      if (const auto *assignment = as<Assign>(one.statement)) {
        std::ranges::for_each(assignment->targets, [this](const Expr *target) { add(target); });
      } else {
        add(static_cast<const For *>(one.statement)->target);
      }
    }
  }
}

NamesFrom::NamesFrom(const FunctionDef &function, Symbol param)
    : NamesFrom(function, {param}, [](const Expr *) { return false; }) {}

bool NamesFrom::mentioned_in(const Node *node) const {
  return any_node(node, [this](const Node *part) {
    const auto *name = as<Name>(part);
    return name != nullptr && names_.contains(name->id.id);
  });
}

void NamesFrom::add(Symbol name) {
  if (names_.insert(name.id).second) {
    waiting_.push_back(name.id);
  }
}

void NamesFrom::add(const Expr *target) {
  any_node(target, [this](const Node *part) {
    if (const auto *name = as<Name>(part)) {
      add(name->id);
    }
    return false;
  });
}

} // namespace deepperf::rules
