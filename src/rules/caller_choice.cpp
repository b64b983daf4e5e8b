#include "rules/caller_choice.h"

#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

bool asks_for_choice(const model::FunctionInfo &function, const Expr *test) {
  return any_node(static_cast<const Node *>(test), [&function](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && std::ranges::any_of(function.params, [name](const Param *param) {
             return param->name == name->id && param->default_value != nullptr;
           });
  });
}

bool leaves(const Block &block) { return !block.empty() && block.back()->kind == NodeKind::Return; }

} // namespace

bool is_callers_choice(const Site &site) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (definition == nullptr) {
    return false;
  }
  const auto is_around = [&](const Node *node) {
    const auto *branch = as<If>(node);
    return branch != nullptr && !contains(branch->test, site.node) && branch->test != site.node &&
           asks_for_choice(*site.function, branch->test);
  };
  const auto is_before = [&](const Stmt *statement) {
    const auto *guard = as<If>(statement);
    return guard != nullptr && guard->end <= site.node->start && leaves(guard->body) != leaves(guard->orelse) &&
           asks_for_choice(*site.function, guard->test);
  };
  return std::ranges::any_of(site.ancestors, is_around) || std::ranges::any_of(definition->body, is_before);
}

} // namespace deepperf::rules
