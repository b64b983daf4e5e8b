#include "rules/assignments.h"

#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace deepperf::rules {

using namespace python;

namespace {

struct Assignment {
  Symbol name;
  u32 end = 0;
  const Expr *value = nullptr;
};

struct Assignments {
  std::vector<Assignment> all; // by their name and end
};

constexpr auto place_of = [](const Assignment &one) { return std::pair(one.name.id, one.end); };

// `a, b = f(x), g(y)`: each name gets its own value.
void add_pairs(std::vector<Assignment> &all, const Assign &assign) {
  const auto *names = as<Tuple>(assign.targets[0]);
  const auto *values = as<Tuple>(assign.value);
  const auto is_starred = [](const Expr *part) { return part->kind == NodeKind::Starred; };
  if (names == nullptr || values == nullptr || names->elts.size() != values->elts.size() ||
      std::ranges::any_of(names->elts, is_starred) || std::ranges::any_of(values->elts, is_starred)) {
    return;
  }
  for (u32 i = 0; i < names->elts.size(); ++i) {
    if (const auto *name = as<Name>(names->elts[i])) {
      all.push_back({name->id, assign.end, values->elts[i]});
    }
  }
}

const std::vector<Assignment> &assignments_of(const Site &site) {
  return site.memory
      .recall<Assignments>(&body_around(site),
                           [&site] {
                             Assignments found;
                             any_node(body_around(site), [&found](const Node *node) {
                               const auto *assign = as<Assign>(node);
                               const auto *name = assign != nullptr && assign->targets.size() == 1
                                                      ? as<Name>(assign->targets[0])
                                                      : nullptr;
                               if (name != nullptr) {
                                 found.all.push_back({name->id, assign->end, assign->value});
                               } else if (assign != nullptr && assign->targets.size() == 1) {
                                 add_pairs(found.all, *assign);
                               }
                               return false;
                             });
                             std::ranges::sort(found.all, {}, place_of);
                             return found;
                           })
      .all;
}

} // namespace

const Block &body_around(const Site &site) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  return definition != nullptr ? definition->body : site.module->parsed->tree.body;
}

const Expr *assigned_before(const Site &site, Symbol name, u32 offset) {
  const std::vector<Assignment> &all = assignments_of(site);
  const auto at = std::ranges::upper_bound(all, std::pair(name.id, offset), {}, place_of);
  return at != all.begin() && (at - 1)->name == name ? run_by(site, (at - 1)->value) : nullptr;
}

const Expr *written_value(const Site &site, const Expr *expr) {
  constexpr u32 kMostNames = 4;
  for (u32 i = 0; i < kMostNames; ++i) {
    const auto *name = as<Name>(expr);
    const Expr *const value = name != nullptr ? assigned_before(site, name->id, name->start) : nullptr;
    if (value == nullptr) {
      return run_by(site, expr);
    }
    expr = value;
  }
  return run_by(site, expr);
}

const Stmt *statement_around(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const NodeKind kind = site.ancestors[i]->kind;
    if (kind >= NodeKind::FunctionDef && kind <= NodeKind::InvalidStmt) {
      return static_cast<const Stmt *>(site.ancestors[i]);
    }
  }
  return nullptr;
}

} // namespace deepperf::rules
