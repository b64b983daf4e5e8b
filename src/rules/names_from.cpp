#include "rules/names_from.h"

#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

NamesFrom::NamesFrom(const FunctionDef &function, const std::vector<Symbol> &params,
                     FunctionRef<bool(const Expr *)> is_cut) {
  for (const Symbol param : params) {
    names_.insert(param.id);
  }
  for (std::size_t known = 0; known != names_.size();) {
    known = names_.size();
    any_node(function.body, [&](const Node *node) {
      if (const auto *assignment = as<Assign>(node)) {
        if (mentioned_in(assignment->value) && !is_cut(assignment->value)) {
          std::ranges::for_each(assignment->targets, [this](const Expr *target) { add(target); });
        }
      } else if (const auto *loop = as<For>(node); loop != nullptr && mentioned_in(loop->iter) && !is_cut(loop->iter)) {
        add(loop->target);
      }
      return false;
    });
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

void NamesFrom::add(const Expr *target) {
  any_node(target, [this](const Node *part) {
    if (const auto *name = as<Name>(part)) {
      names_.insert(name->id.id);
    }
    return false;
  });
}

} // namespace deepperf::rules
