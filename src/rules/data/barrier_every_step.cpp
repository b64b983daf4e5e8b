#include "rules/per_step.h"

#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (!runs_in_every_step(site) || site.module->is_test) {
    return;
  }
  report(site, call,
         fmt::format("`{}` makes every training step wait for the slowest process", text_of(site, call.func)),
         "leave it out: the reduction of the gradients keeps the processes together");
}

} // namespace

extern constinit const Rule kBarrierEveryStep = {
    .info = {.code = "DP419",
             .name = "barrier-every-step",
             .summary = "a barrier for all processes in every training step",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`torch.distributed.barrier()` or `accelerator.wait_for_everyone()` in every training step.

## Why it costs

All processes wait until the last one has come, and the device has nothing to do meanwhile. DistributedDataParallel already waits where it reduces gradients.

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

- PyTorch: distributed communication, barrier
)"},
    .calls = "torch.distributed.barrier Accelerator.wait_for_everyone",
    .on_call = check};

} // namespace deepperf::rules
