#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::prepared_again {

using namespace python;

namespace {

u32 bindings_in(const Node *loop, Symbol name) {
  u32 count = 0;
  any_node(loop, [&](const Node *node) {
    const auto *bound = as<Name>(node);
    count += bound != nullptr && bound->id == name && bound->context == Context::Store ? 1 : 0;
    return false;
  });
  return count;
}

void check(Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  if (site.module->is_test || loop == nullptr || assignment == nullptr || !runs_every_iteration(site, *loop)) {
    return;
  }
  for (const Expr *given : call.args) {
    const auto *name = as<Name>(given);
    const Kind kind = name != nullptr ? model::kind_of(name) : Kind::Unknown;
    const bool is_trained =
        kind == Kind::TorchModule || kind == Kind::HfModel || kind == Kind::TorchOptimizer || kind == Kind::Unknown;
    // Bound by nothing else in the loop: what the last iteration has prepared is prepared again.
    if (name == nullptr || !is_trained || !mentions(assignment->targets[0], name->id) ||
        bindings_in(loop->node, name->id) != 1) {
      continue;
    }
    Finding &finding =
        report(site, call,
               fmt::format("`{}` is prepared again in every iteration, each time wrapping what is already prepared",
                           name->id.text()),
               "prepare models, optimizers and loaders once, before the loop");
    add_note(finding, site, *loop->node, "in each iteration of this loop");
    if (kind == Kind::Unknown) {
      finding.tier = Tier::Hint;
    }
    return;
  }
}

} // namespace

extern constinit const Rule kPreparedAgain = {
    .info = {.code = "DP906",
             .name = "prepared-again",
             .summary = "a model or optimizer that Accelerate prepares again in every iteration",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Slow Execution Time, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model, … = accelerator.prepare(model, …)` in a loop that does not create the model or the optimizer again.

## Why it is wrong

`prepare()` wraps the model for distributed training and mixed precision. In the second iteration it wraps the wrapper: gradients are
reduced twice, forward passes get slower with every epoch, and the optimizer's state may be lost.

## Bad

```python
import torch
from accelerate import Accelerator


def train(model, make_loader, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(epochs):
        loader = make_loader(epoch)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for batch in loader:
            optimizer.zero_grad()
            accelerator.backward(model(batch).mean())
            optimizer.step()
```

## Good

```python
import torch
from accelerate import Accelerator


def train(model, make_loader, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer = accelerator.prepare(model, optimizer)
    for epoch in range(epochs):
        loader = accelerator.prepare(make_loader(epoch))
        for batch in loader:
            optimizer.zero_grad()
            accelerator.backward(model(batch).mean())
            optimizer.step()
```

## When it is wrong

Where the loop runs once.

## References

- Accelerate: `Accelerator.prepare`
)"},
    .calls = "Accelerator.prepare Accelerator.setup",
    .on_call = check};

} // namespace deepperf::rules::prepared_again
