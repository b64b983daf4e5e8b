#include "rules/reach.h"
#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

namespace deepperf::rules::sync_every_micro_batch {

using namespace python;

namespace {

// A model that DistributedDataParallel wraps, and nothing else.
bool is_distributed(const Site &site, const Expr *callee) {
  bool all = false;
  bool other = false;
  for_each_alternative(value_of(site, callee), [&](const model::Value &one) {
    const bool is_it = one.is_kind(Kind::TorchModule) && one.name() &&
                       one.name().text() == "torch.nn.parallel.DistributedDataParallel";
    all |= is_it;
    other |= !is_it;
  });
  return all && !other;
}

// `for _ in range(accumulate): accelerator.backward(loss)`, and one step after that loop. Accelerate wraps the model
// for several processes, and only `accumulate()` or `no_sync()` tell it that more is to come.
bool check_inner_loop(Site &site, const Node &node) {
  const StepEvent *backward = nullptr;
  const StepEvent *step = nullptr;
  const auto &events = step_events(site);
  for (const StepEvent &event : events) {
    using What = StepEvent::What;
    const bool is_inside = contains(&node, event.call);
    const bool is_step = event.what == What::Step || event.what == What::ScalerStep;
    if (is_inside && is_step) {
      return false;
    }
    if (is_inside && (event.what == What::Backward || event.what == What::ScaledBackward) && event.loop == &node) {
      backward = &event;
    } else if (is_step && event.call->start > node.end && step == nullptr) {
      step = &event;
    }
  }
  if (backward == nullptr || step == nullptr) {
    return false;
  }
  const Expr *const receiver = receiver_of(*backward->call);
  const bool is_accelerated = receiver != nullptr && model::kind_of(receiver) == Kind::Accelerator;
  const bool runs_distributed =
      is_accelerated || any_node(&node, [&](const Node *inner) {
        const auto *call = as<Call>(inner);
        return call != nullptr && model::kind_of(call->func) == Kind::TorchModule && is_distributed(site, call->func);
      });
  if (!runs_distributed || function_has_word(site, {"no_sync", "grad_sync", "accumulate("})) {
    return false;
  }
  Finding &finding = report(
      site, *backward->call,
      "gradients are accumulated over several batches, but exchanged between the devices after each of them",
      is_accelerated ? "run each batch inside `with accelerator.accumulate(model):`, or all but the last inside "
                       "`with accelerator.no_sync(model):`"
                     : "run all but the last forward and backward pass of an update inside `with model.no_sync():`");
  add_note(finding, site, *step->call, "the optimizer steps only here");
  return true;
}

void check(Site &site, const Node &node) {
  const model::Loop *const loop = site.project.loop_at(&node);
  if (loop == nullptr || !loop->trains || !site.module->torch || site.module->is_test) {
    return;
  }
  if (check_inner_loop(site, node)) {
    return;
  }
  const StepEvent *backward = nullptr;
  const If *test = nullptr;
  const std::vector<StepEvent> events = events_inside(site, node);
  for (const StepEvent &event : events) {
    using What = StepEvent::What;
    const bool is_step = event.what == What::Step || event.what == What::ScalerStep;
    if (event.what == What::Backward || event.what == What::ScaledBackward) {
      backward = backward == nullptr && event.block == &node ? &event : backward;
    } else if (is_step) {
      const auto *branch = as<If>(event.block);
      if (branch == nullptr || counted_by(*branch, *site.function) == nullptr) {
        return; // it steps in every iteration
      }
      test = branch;
    }
  }
  if (backward == nullptr || test == nullptr || contains(test, backward->call) ||
      node_has_word(site, node, std::initializer_list<std::string_view>{"no_sync", "grad_sync", "accumulate("})) {
    return;
  }
  const bool runs_distributed = any_node(&node, [&](const Node *inner) {
    const auto *call = as<Call>(inner);
    return call != nullptr && model::kind_of(call->func) == Kind::TorchModule && is_distributed(site, call->func);
  });
  if (!runs_distributed) {
    return;
  }
  Finding &finding =
      report(site, *backward->call,
             "gradients are accumulated over several batches, but exchanged between the devices after each of them",
             "run all but the last forward and backward pass of an update inside `with model.no_sync():`");
  add_note(finding, site, *test->test, "the optimizer steps only here");
}

} // namespace

extern constinit const Rule kSyncEveryMicroBatch = {
    .info = {.code = "DP440",
             .name = "sync-every-micro-batch",
             .summary = "gradient accumulation with `DistributedDataParallel` and without `no_sync()`",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that runs a model of `DistributedDataParallel` backwards in every iteration and steps the optimizer only in every n-th, without `no_sync()`.

## Why it costs

`backward()` of such a model adds up the gradients of all devices. With accumulation only the sum at the end is needed, so n - 1 of n exchanges are wasted.

## Bad

```python
import torch
from torch.nn.parallel import DistributedDataParallel


def train(net: torch.nn.Module, loader, loss_function, n: int):
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y) / n
        loss.backward()
        if (i + 1) % n == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## Good

```python
import contextlib

import torch
from torch.nn.parallel import DistributedDataParallel


def train(net: torch.nn.Module, loader, loss_function, n: int):
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        is_last = (i + 1) % n == 0
        with contextlib.nullcontext() if is_last else model.no_sync():
            loss = loss_function(model(x), y) / n
            loss.backward()
        if is_last:
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

Where the exchange is hidden behind the backward pass anyway, as for small models on fast links.

## References

- PyTorch: `DistributedDataParallel.no_sync`
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::sync_every_micro_batch
