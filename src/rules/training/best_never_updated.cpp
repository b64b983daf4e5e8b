#include "rules/best_value.h"
#include "rules/metric_direction.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <cmath>
#include <fmt/format.h>

namespace deepperf::rules::best_never_updated {

using namespace python;

namespace {

bool is_variable(const Expr *expr) { return expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute; }

// Is it the best value of something, by its name or by that of what it is compared with?
bool is_best(const Site &site, const Expr *metric, const Expr *best, bool keeps_highest) {
  const std::string_view name = text_of(site, best);
  const Better better = better_when(text_of(site, metric));
  return name.find("best") != std::string_view::npos || (better == Better::Higher && keeps_highest) ||
         (better == Better::Lower && !keeps_highest);
}

// A number that nobody means as a threshold: the first metric is better.
bool is_worst_possible(double start, bool keeps_highest) {
  constexpr double kLarge = 10;
  return keeps_highest ? start <= 0 : start >= kLarge;
}

// Does a function inside set the name?
bool is_set_inside(const Site &site, const Expr *best) {
  const auto *name = as<Name>(best);
  return name != nullptr && site.function->node != nullptr &&
         any_node_inside(site.function->node, [&](const Node *node) {
           const auto *outer = as<Nonlocal>(node);
           const auto *global = as<Global>(node);
           const auto names = outer != nullptr ? outer->names : global != nullptr ? global->names : Array<Symbol>{};
           return std::find(names.begin(), names.end(), name->id) != names.end();
         });
}

// The place where the best value is set, as the comparison needs it: before the loop around the place.
bool is_set_outside(const Site &site, const Expr *best, const Expr *first) {
  const model::Loop *loop = loop_around(site);
  if (best->kind == NodeKind::Attribute) {
    // An attribute that the constructor sets.
    return site.function != nullptr && site.function->node != nullptr && site.function->name.text() != "__init__" &&
           !contains(site.function->node, first);
  }
  return loop != nullptr && loop->node != nullptr && !contains(loop->node, first);
}

bool check_comparison(Site &site, const If &branch, const Compare &test) {
  if (test.rest.size() != 1 || !is_variable(test.left) || !is_variable(test.rest[0].right)) {
    return false;
  }
  const CompareOperator op = test.rest[0].op;
  if (op < CompareOperator::Lt || op > CompareOperator::GtE) {
    return false;
  }
  for (const bool is_turned : {false, true}) {
    const Expr *metric = is_turned ? test.rest[0].right : test.left;
    const Expr *best = is_turned ? test.left : test.rest[0].right;
    const bool is_greater = op == CompareOperator::Gt || op == CompareOperator::GtE;
    const bool keeps_highest = is_greater != is_turned;
    const Expr *first = set_before(site, best, nullptr);
    if (first == nullptr || !is_best(site, metric, best, keeps_highest) || is_set_inside(site, best) ||
        !is_set_outside(site, best, first)) {
      continue;
    }
    // `float("-inf") if mode == "max" else float("inf")`: the one that suits this comparison.
    const auto *either = as<IfExp>(first);
    const double chosen = either != nullptr ? start_of(site, either->body) : start_of(site, first);
    const double start = either != nullptr && chosen == -start_of(site, either->orelse)
                             ? (keeps_highest ? -std::abs(chosen) : std::abs(chosen))
                             : chosen;
    if (std::isnan(start) || !is_worst_possible(start, keeps_highest) || set_before(site, metric, nullptr) == first ||
        !keeps_model(site, branch)) {
      continue;
    }
    Finding &finding =
        report(site, test,
               fmt::format("`{}` never changes, so every model whose metric is {} than {} is saved as the best",
                           text_of(site, best), keeps_highest ? "higher" : "lower", text_of(site, first)),
               fmt::format("remember the new best value: `{} = {}`", text_of(site, best), text_of(site, metric)));
    add_note(finding, site, *first, "it is only set here");
    return true;
  }
  return false;
}

void check(Site &site, const Node &node) {
  const auto &branch = static_cast<const If &>(node);
  if (site.module->is_test || site.function == nullptr) {
    return;
  }
  // `if self.better(value):` asks a method, which may compare one way or the other by a setting.
  const Expr *const asked = run_by(site, branch.test);
  if (const auto *either = as<IfExp>(asked)) {
    for (const Expr *part : {either->body, either->orelse}) {
      const auto *test_part = as<Compare>(part);
      if (test_part != nullptr && check_comparison(site, branch, *test_part)) {
        return;
      }
    }
  } else if (const auto *test = as<Compare>(asked)) {
    check_comparison(site, branch, *test);
  } else if (const auto *both = as<BoolOp>(asked); both != nullptr && both->op() == BoolOperator::And) {
    for (const Expr *part : both->values) {
      const auto *test_part = as<Compare>(part);
      if (test_part != nullptr && check_comparison(site, branch, *test_part)) {
        return;
      }
    }
  }
}

} // namespace

extern constinit const Rule kBestNeverUpdated = {
    .info = {.code = "DP997",
             .name = "best-never-updated",
             .summary = "a best metric that decides which checkpoint is kept and is never updated",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`if accuracy > best: save()` in a loop over epochs, where `best` keeps the value that it had before the loop.

## Why it is wrong

Each epoch is compared with the first value, such as 0, and counts as the best so far. The file "best" therefore contains the model of the last epoch.

## Bad

```python
import torch


def fit(model, epochs, train, evaluate):
    best = 0.0
    for epoch in range(epochs):
        train(model)
        accuracy = evaluate(model)
        if accuracy > best:
            torch.save(model.state_dict(), "best.pt")
```

## Good

```python
import torch


def fit(model, epochs, train, evaluate):
    best = 0.0
    for epoch in range(epochs):
        train(model)
        accuracy = evaluate(model)
        if accuracy > best:
            best = accuracy
            torch.save(model.state_dict(), "best.pt")
```

## When it is wrong

Where the value is a threshold that is meant to stay the same.
)"},
    .nodes = {NodeKind::If},
    .on_node = check};

} // namespace deepperf::rules::best_never_updated
