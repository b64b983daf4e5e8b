#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::hook_in_step {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const bool is_discarded = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::ExprStmt;
  const Expr *owner = receiver_of(call);
  if (!is_discarded || owner == nullptr || site.module->is_test || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const Kind kind = model::kind_of(owner);
  const bool is_module = kind == Kind::TorchModule || kind == Kind::HfModel;
  if (!is_module) { // a hook of a tensor is gone with the tensor
    return;
  }
  const PlaceContext context = context_of(site);
  if (!context.in_training_step && !context.in_evaluation_step && !in_method(site, Kind::TorchModule, "forward")) {
    return;
  }
  report(site, call,
         fmt::format("every iteration adds one more hook to `{}`, and all of them run in every forward pass",
                     text_of(site, owner)),
         "register it once, before the loop, or call `remove()` on the handle that it returns");
}

} // namespace

extern constinit const Rule kHookInStep = {
    .info = {.code = "DP266",
             .name = "hook-in-step",
             .summary = "a hook that is registered again in every iteration and never removed",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`register_forward_hook()` and similar methods of a module in every step or forward pass, with the handle discarded.

## Why it costs

Hooks stay until their handle's `remove()` is called. After a thousand steps a thousand hooks run in each forward pass, and what they hold stays in memory.

## Bad

```python
import torch


def features(model: torch.nn.Linear, loader, store):
    for x, y in loader:
        model.register_forward_hook(store)
        with torch.no_grad():
            model(x)
```

## Good

```python
import torch


def features(model: torch.nn.Linear, loader, store):
    handle = model.register_forward_hook(store)
    for x, y in loader:
        with torch.no_grad():
            model(x)
    handle.remove()
```

## When it is wrong

Where the hook removes itself.
)"},
    .calls =
        "*.register_forward_hook *.register_forward_pre_hook *.register_full_backward_hook *.register_backward_hook",
    .on_call = check};

} // namespace deepperf::rules::hook_in_step
