#include "rules/site.h"
#include "rules/step_order.h"

#include <fmt/format.h>

namespace deepperf::rules::accumulation_cleared {

using namespace python;

namespace {

using What = StepEvent::What;

// The optimizer that an event is about: `opt` of `opt.step()` and of `scaler.step(opt)`.
const Expr *optimizer_of(const StepEvent &event) {
  if (event.what == What::ScalerStep) {
    return event.call->args.empty() ? nullptr : event.call->args[0];
  }
  return receiver_of(*event.call);
}

// The gradients are cleared in every iteration, and used only in every n-th.
void check(Site &site, const Call &call) {
  const TrainingStep step = step_around(site, call);
  if (loop_of(site.project, step) == nullptr) {
    return;
  }
  const PlacedEvent *clears = nullptr;
  const PlacedEvent *backward = nullptr;
  const PlacedEvent *update = nullptr;
  for (const PlacedEvent &one : step.events) {
    const What what = one.event.what;
    const bool is_backward = what == What::Backward || what == What::ScaledBackward;
    const bool is_update = what == What::Step || what == What::ScalerStep;
    if (what == What::ZeroGrad && one.event.call == &call) {
      clears = &one;
    }
    if ((is_backward && backward != nullptr) || (is_update && update != nullptr)) {
      return; // several models, or several losses
    }
    backward = is_backward ? &one : backward;
    update = is_update ? &one : update;
  }
  if (clears == nullptr || backward == nullptr || update == nullptr || clears->event.test != nullptr ||
      clears->is_repeated || backward->event.test != nullptr || backward->is_repeated ||
      update->event.test == nullptr) {
    return;
  }
  const Expr *const cleared = receiver_of(call);
  const Expr *const stepped = optimizer_of(update->event);
  const bool is_module = model::kind_of(cleared) == Kind::TorchModule;
  const auto part = [](const model::FunctionInfo *function, const Expr *expr) {
    return function->module->parsed->source.part(expr->start, expr->end);
  };
  if (stepped == nullptr || (!is_module && part(clears->function, cleared) != part(update->function, stepped) &&
                             clears->function == update->function)) {
    return;
  }
  const Expr *const modulus = counted_by(*update->event.test, *update->tested_in);
  if (modulus == nullptr) {
    return;
  }
  Site tested = site;
  tested.function = update->tested_in;
  tested.module = update->tested_in->module;
  if (integer_of(tested, modulus) == 1) {
    return;
  }
  Finding &finding = report(
      site, call,
      "the gradients are cleared for every batch, but the optimizer steps only every few batches, so all but the last "
      "batch are lost",
      "call `zero_grad()` right after `step()`, under the same condition");
  finding.notes.push_back({tested.module->file, update->event.test->test->span(), "the optimizer steps only here"});
}

} // namespace

extern constinit const Rule kAccumulationCleared = {
    .info = {.code = "DP910",
             .name = "accumulation-cleared",
             .summary = "gradient accumulation that clears the gradients before every batch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`zero_grad()` in every iteration of a loop that calls the optimizer's `step()` only in every n-th.

## Why it is wrong

Accumulation adds the gradients of n batches before one update. If they are cleared for every batch, the update sees only the last of them:
the other forward and backward passes are wasted, and the effective batch is n times smaller than intended.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = loss_function(model(x), y) / 8
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y) / 8
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

Where batches are skipped on purpose and the gradients of the others are computed for something else.

## References

- PyTorch: automatic mixed precision examples, gradient accumulation
)"},
    .calls = "*.zero_grad",
    .on_call = check};

} // namespace deepperf::rules::accumulation_cleared
