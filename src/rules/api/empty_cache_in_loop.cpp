#include "rules/site.h"

namespace deepperf::rules {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (enclosing(site, NodeKind::ExceptHandler) != nullptr) {
    return; // after an out-of-memory error
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr) {
    // A function that is a training step, and is called from a loop.
    if (site.function == nullptr || !site.function->steps || !site.function->in_loop ||
        enclosing(site, NodeKind::If) != nullptr) {
      return;
    }
    report(site, call, "every training step gives the allocator's memory back to the driver, and asks for it again",
           "leave it out: the allocator uses cached memory again by itself");
    return;
  }
  const bool is_epoch = !loop->steps && loop->trains; // once for many steps
  if (is_epoch || loop->turns == model::Turns::Few || !runs_every_turn(site, *loop)) {
    return;
  }
  Finding &finding =
      report(site, call, "every turn gives the allocator's memory back to the driver, and asks for it again",
             "leave it out: the allocator uses cached memory again by itself");
  add_note(finding, site, *loop->node, "in every turn of this loop");
  if (!loop->steps) {
    finding.tier = Tier::Hint; // without training there is less to allocate again, and perhaps another process waits
  }
}

} // namespace

extern constinit const Rule kEmptyCacheInLoop = {
    .info = {.code = "DP134",
             .name = "empty-cache-in-loop",
             .summary = "torch.cuda.empty_cache() in every step",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`torch.cuda.empty_cache()` (or that of another device) in every turn of a loop, or in a training step. Without
training in the loop it is only a hint.

## Why it costs

PyTorch keeps the device memory that it once got, because the driver is slow to give it and has to wait for the device before it
takes it back. `empty_cache()` undoes that: it waits, frees, and the next step has to allocate all over again. It
does not make more memory available to the program itself.

## Bad

```python
import torch


def train(model, optimizer, train_loader):
    for x in train_loader:
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.empty_cache()
```

## Good

```python
import torch


def train(model, optimizer, train_loader):
    for x in train_loader:
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
```

## When it is wrong

Where another process needs the memory between two turns, or where fragmentation makes a large allocation fail. After an
out-of-memory error it is right: `except` blocks are not reported, nor what is done only every so often.

## References

- PyTorch: CUDA semantics, memory management
)"},
    .calls = "torch.cuda.empty_cache torch.mps.empty_cache torch.xpu.empty_cache torch.npu.empty_cache",
    .on_call = check};

} // namespace deepperf::rules
