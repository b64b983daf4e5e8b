#include "model/variance.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::loader_in_loop {

using namespace python;

namespace {

// `DataLoader(…)` with nothing in it that changes from turn to turn.
void check_loader(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || !runs_every_turn(site, *loop) || model::varies(site.project, *loop, &call)) {
    return;
  }
  Finding &finding =
      report(site, call, "this `DataLoader` is created again in every iteration, though none of its arguments change",
             "create it once before the loop: iterating over it again starts from its beginning");
  add_note(finding, site, *loop->node, "in every iteration of this loop");
}

// `return DataLoader(…)` of a function that each iteration of a training loop calls with the same arguments.
void check_maker(Site &site, const Call &call) {
  const model::FunctionInfo *const function = site.function;
  if (function == nullptr || function->definition() == nullptr || function->called_by.size() != 1 ||
      site.ancestors.empty() || as<Return>(site.ancestors.back()) == nullptr || site.module->is_test) {
    return;
  }
  const model::CallSite &caller = *function->called_by[0];
  const model::Loop *const loop = caller.loop;
  const auto varies = [&](const Expr *given) { return model::varies(site.project, *loop, given); };
  if (loop == nullptr || loop->tiny || !loop->trains || caller.conditional || caller.by_type ||
      has_hidden_arguments(*caller.call) || std::ranges::any_of(caller.call->args, varies) ||
      std::ranges::any_of(caller.call->keywords, [&](const Keyword *keyword) { return varies(keyword->value); })) {
    return;
  }
  // What it is made of must stay as it is: attributes that the loop does not store to.
  const bool is_changed = any_node(static_cast<const Node *>(&call), [loop](const Node *node) {
    const auto *attribute = as<Attribute>(node);
    return attribute != nullptr && std::ranges::find(loop->attributes, attribute->attr) != loop->attributes.end();
  });
  if (is_changed) {
    return;
  }
  Finding &finding =
      report(site, call, "this `DataLoader` is created again in every iteration, though none of its arguments change",
             "create it once before the loop: iterating over it again starts from its beginning");
  finding.notes.push_back(
      {caller.caller->module->file, caller.call->span(), "each iteration of a loop creates one here"});
}

// `next(iter(loader))`: the workers are started for a single batch.
void check_next(Site &site, const Call &call) {
  const auto *made = call.args.empty() ? nullptr : as<Call>(call.args[0]);
  if (made == nullptr || made->args.size() != 1 || called_api(site, *made) != "iter" ||
      model::kind_of(made->args[0]) != Kind::TorchDataLoader) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || !runs_every_turn(site, *loop) || model::varies(site.project, *loop, made->args[0])) {
    return;
  }
  Finding &finding =
      report(site, call, "every iteration restarts the `DataLoader` to read a single batch",
             "create the iterator once before the loop and call `next()` on it; create a new one on `StopIteration`");
  add_note(finding, site, *loop->node, "in every iteration of this loop");
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "next") {
    check_next(site, call);
  } else {
    check_loader(site, call);
    check_maker(site, call);
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
a few iterations it costs little.

## References

- `torch.utils.data`: multi-process data loading, and `persistent_workers`
)"},
    .calls = "torch.utils.data.DataLoader next",
    .on_call = check};

} // namespace deepperf::rules::loader_in_loop
