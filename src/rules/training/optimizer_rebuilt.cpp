#include "rules/jax.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::optimizer_rebuilt {

using namespace python;

namespace {

// Does the expression mention something that the loop binds?
bool is_of_iteration(const model::Loop &loop, const Expr *expr) {
  return any_node(expr, [&](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && is_bound_in(loop, name->id);
  });
}

void check(Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  if (model::kind_of(&call) != Kind::TorchOptimizer || loop == nullptr || !loop->trains || loop->steps || loop->once ||
      site.module->is_test || !runs_every_iteration(site, *loop) ||
      (loop->node->kind != NodeKind::For && loop->node->kind != NodeKind::While)) {
    return;
  }
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
  const auto varies = [&](const Expr *expr) { return is_of_iteration(*loop, expr); };
  if (target == nullptr || call.args.empty()) {
    return;
  }
  // Another model or group of weights in each iteration is meant. So may be another learning rate, unless the loop only
  // counts epochs: then it is a schedule that forgets what the optimizer has learned.
  const Expr *over = iterated_by(site, *loop);
  const auto *counted = as<Call>(over);
  const bool counts_epochs =
      counted != nullptr && called_api(site, *counted) == "range" && loop->node->kind == NodeKind::For &&
      std::ranges::any_of(loops_inside(*site.function, *loop->node),
                          [&](const model::Loop *inner) { return inner != loop && inner->steps; });
  const bool is_helper = called_function(site, call) != nullptr;
  const auto is_fixed = [&](const Expr *given) {
    const bool is_model = is_helper ? model::kind_of(given) == Kind::TorchModule : given == call.args[0];
    return (counts_epochs && !is_model) || !varies(given);
  };
  if (!std::ranges::all_of(call.args, is_fixed) ||
      !std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return is_fixed(keyword->value); }) ||
      (is_helper &&
       std::ranges::none_of(call.args, [](const Expr *given) { return model::kind_of(given) == Kind::TorchModule; }))) {
    return;
  }
  // So is training that starts over, as for folds, tasks and attacks.
  if (node_has_word(site, *loop->node,
                    std::initializer_list<std::string_view>{"load_state_dict", "reset", "init", "deepcopy", "fold",
                                                            "freeze", "requires_grad", "task", "phase", "stage"})) {
    return;
  }
  Finding &finding =
      report(site, call, "a new optimizer in every iteration of this loop forgets its momentum and averages",
             "create it once, before the loop");
  add_note(finding, site, *loop->node, "this loop trains the same weights again");
}

} // namespace

extern constinit const Rule kOptimizerRebuilt = {
    .info = {.code = "DP882",
             .name = "optimizer-rebuilt",
             .summary = "an optimizer that is created again in every epoch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Slow Convergence, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A PyTorch optimizer that is created inside a loop over epochs, for weights that the loop does not replace. (One in every step is DP814.)

## Why it is wrong

Adam keeps running averages of the gradients and their squares, and SGD its momentum. A new optimizer starts without them, so Adam's first steps are as large as at the very beginning,
and a learning rate schedule starts over, too.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, epochs: int):
    for epoch in range(epochs):
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for x, y in loader:
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, epochs: int):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for x, y in loader:
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
```

## When it is wrong

Where the averages are forgotten on purpose, as between phases of a training. The rule is silent where the loop changes the model or which weights are trained.
)"},
    .nodes = {NodeKind::Call},
    .on_node = [](Site &site, const Node &node) { check(site, static_cast<const Call &>(node)); }};

} // namespace deepperf::rules::optimizer_rebuilt
