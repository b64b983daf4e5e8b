#include "rules/per_step.h"

#include <fmt/format.h>

namespace deepperf::rules::barrier_every_step {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (!runs_in_every_step(site) || site.module->is_test) {
    return;
  }
  report(site, call,
         fmt::format("`{}` makes every training step wait for the slowest process", text_of(site, call.func)),
         "remove the call: the gradient all-reduce already keeps the processes in step");
}

} // namespace

extern constinit const Rule kBarrierEveryStep = {
    .info = {.code = "DP419",
             .name = "barrier-every-step",
             .summary = "a barrier across all processes in every training step",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.distributed.barrier()` or `accelerator.wait_for_everyone()` in every training step.

## Why it costs

All processes wait for the slowest one, while their devices are idle. `DistributedDataParallel` already synchronizes
when it reduces the gradients.

## Bad

```python
import torch
import torch.distributed as dist


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        dist.barrier()
```

## Good

```python
import torch
import torch.distributed as dist


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    dist.barrier()
```

## When it is wrong

Where processes exchange files or results in each step.

## References

- PyTorch: distributed communication, `barrier`
)"},
    .calls = "torch.distributed.barrier Accelerator.wait_for_everyone",
    .on_call = check};

} // namespace deepperf::rules::barrier_every_step
