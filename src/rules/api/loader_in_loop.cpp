#include "model/variance.h"
#include "rules/options.h"
#include "rules/repetition.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::loader_in_loop {

using namespace python;

namespace {

// A function that trains for several epochs, or makes what is trained: each of its calls is a training run of its own.
bool is_training_run(const model::FunctionInfo &function) {
  const bool has_epochs =
      std::ranges::any_of(function.loops, [](const model::Loop *loop) { return loop->trains && !loop->steps; });
  return has_epochs || function.node == nullptr || any_node(function.node, [](const Node *node) {
           const auto *const call = as<Call>(node);
           return call != nullptr && model::kind_of(call) == Kind::TorchOptimizer;
         });
}

// Does the function store the loader for its next call? What it returns, or gives a name of its own, is gone by then.
bool is_stored(const Site &site) {
  const auto *const assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *const name = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
  return assignment != nullptr &&
         (name == nullptr || std::ranges::find(site.function->globals, name->id) != site.function->globals.end());
}

// Does each iteration pass the same, or a dataset that is made of the same?
bool has_same_arguments(const Site &site, const Repetition &repetition, const Call &call) {
  const auto is_same = [&](const Expr *given) { return is_made_of_same(site, repetition, given); };
  return std::ranges::all_of(call.args, is_same) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return is_same(keyword->value); });
}

// In a function that each epoch or step of a training loop calls with the same arguments.
bool is_made_by_each_call(const Site &site, const Repetition &repetition, const Call &call) {
  const auto is_run = [](const model::CallSite *one) { return is_training_run(*one->callee); };
  return repetition.loop->trains && !site.module->is_test && !is_stored(site) &&
         std::ranges::none_of(repetition.calls, is_run) && has_same_arguments(site, repetition, call);
}

// Is the dataset made for the loader, by a class or function of the project or a library?
bool makes_dataset(const Site &site, const Expr *dataset) {
  const auto *name = as<Name>(dataset);
  const Expr *const made = name != nullptr ? last_assigned(site, *name) : dataset;
  const auto *call = as<Call>(made);
  return call != nullptr && called_api(site, *call) != "range" && called_api(site, *call) != "list";
}

// `DataLoader(…)` with nothing in it that changes from iteration to iteration.
void check_loader(Site &site, const Call &call) {
  const Repetition repetition = repetition_of(site);
  if (repetition.loop == nullptr || (repetition.through_calls() ? !is_made_by_each_call(site, repetition, call)
                                                                : !has_same_arguments(site, repetition, call))) {
    return;
  }
  Finding &finding =
      report(site, call, "this `DataLoader` is created again in every iteration, though none of its arguments change",
             "create it once before the loop: each new iteration over it starts from the beginning");
  add_note(finding, site, repetition);
  // Without workers a loader is an object of a few fields. A dataset that is made with it may list files again.
  const Option workers = option_of(site, call, "num_workers");
  const Expr *const dataset = argument(call, 0, "dataset");
  if ((workers.is_absent || workers.as_integer() == 0) && !repetition.loop->steps && !makes_dataset(site, dataset)) {
    finding.tier = Tier::Hint;
  }
}

// `next(iter(loader))`: the workers are started for a single batch.
void check_next(Site &site, const Call &call) {
  const auto *made = call.args.empty() ? nullptr : as<Call>(call.args[0]);
  if (made == nullptr || made->args.size() != 1 || called_api(site, *made) != "iter" ||
      model::kind_of(made->args[0]) != Kind::TorchDataLoader) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const Repetition repetition = loop == nullptr ? repetition_of(site) : Repetition{};
  const bool is_here =
      loop != nullptr && runs_every_iteration(site, *loop) && !model::varies(site.project, *loop, made->args[0]);
  // sample(loader), which each training step calls
  const bool is_called = repetition.through_calls() && repetition.loop->steps &&
                         stays_same(site, repetition, made->args[0]) && enclosing(site, NodeKind::If) == nullptr;
  if (!is_here && !is_called) {
    return;
  }
  Finding &finding =
      report(site, call, "every iteration restarts the `DataLoader` to read a single batch",
             "create the iterator once before the loop and call `next()` on it; create a new one on `StopIteration`");
  if (is_here) {
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  } else {
    add_note(finding, site, repetition);
  }
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "next") {
    check_next(site, call);
  } else {
    check_loader(site, call);
  }
}

} // namespace

extern constinit const Rule kLoaderInLoop = {
    .info = {.code = "DP131",
             .name = "loader-in-loop",
             .summary = "a `DataLoader` or its iterator that is created again in every iteration",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`DataLoader(…)` in a loop, where none of its arguments depends on the loop; and `next(iter(loader))` in every iteration
of a loop.

## Why it costs

`iter(loader)` starts all worker processes, draws a new permutation and waits for the first batch. If only one batch is
read, the batches that the workers have prepared by then are thrown away. A loader that is created for each epoch also
cannot keep its workers alive with `persistent_workers=True`.

## Bad

```python
import torch
from torch.utils.data import DataLoader


def train(model, optimizer, images, steps):
    loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)
    for step in range(steps):
        x = next(iter(loader))
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
```

## Good

```python
import torch
from torch.utils.data import DataLoader


def train(model, optimizer, images, epochs):
    loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)
    for epoch in range(epochs):
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

A new loader may be needed where the dataset changes between iterations in a way that the rule cannot see. In a loop of
a few iterations it costs little, and a loader without workers is only a hint where it is created once per epoch.

## References

- `torch.utils.data`: multi-process data loading, and `persistent_workers`
)"},
    .calls = "torch.utils.data.DataLoader next",
    .on_call = check};

} // namespace deepperf::rules::loader_in_loop
