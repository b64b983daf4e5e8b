#include "rules/per_step.h"

namespace deepperf::rules::empty_cache_in_loop {

using namespace python;

namespace {

// gc.collect() walks all objects of the program; what a step allocates is freed without it.
void check_collection(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  const bool in_loop = loop != nullptr && loop->steps && runs_every_iteration(site, *loop);
  const bool in_call = loop == nullptr && site.function != nullptr && site.function->steps && site.function->in_loop &&
                       enclosing(site, NodeKind::If) == nullptr;
  if (!call.args.empty() || (!in_loop && !in_call) || enclosing(site, NodeKind::ExceptHandler) != nullptr) {
    return;
  }
  report(site, call, "every training step searches all Python objects of the program for garbage",
         "remove the call: tensors are freed when their last reference is gone");
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "gc.collect") {
    check_collection(site, call);
    return;
  }
  if (enclosing(site, NodeKind::ExceptHandler) != nullptr) {
    return; // after an out-of-memory error
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr) {
    // A function that is a training step, and is called from a loop.
    const bool is_step = site.function != nullptr && site.function->steps && site.function->in_loop &&
                         enclosing(site, NodeKind::If) == nullptr;
    // What a constructor does comes once, even if a step is what makes the object when it is first needed.
    const bool is_construction = site.function != nullptr && only_builds(*site.function, Built::Anything);
    if (is_construction || (!is_step && !runs_in_every_step(site))) {
      if (site.function != nullptr && enclosing(site, NodeKind::If) == nullptr && in_request_handler(site)) {
        report(site, call,
               "every request returns the allocator's cached memory to the driver, and the next allocates it again",
               "remove the call: PyTorch's allocator reuses cached memory by itself");
      }
      return;
    }
    report(site, call, "every training step returns the allocator's cached memory to the driver and allocates it again",
           "remove the call: PyTorch's allocator reuses cached memory by itself");
    return;
  }
  const bool is_epoch = !loop->steps && loop->trains; // once for many steps
  if (is_epoch || loop->iterations == model::Iterations::Few || !runs_every_iteration(site, *loop)) {
    return;
  }
  Finding &finding =
      report(site, call, "every iteration returns the allocator's cached memory to the driver and allocates it again",
             "remove the call: PyTorch's allocator reuses cached memory by itself");
  add_note(finding, site, *loop->node, "in every iteration of this loop");
  // For each tensor of each file, say: all caches are emptied far more often than memory runs out.
  const bool is_nested = loop->parent != nullptr && !loop->parent->few_iterations &&
                         loop->parent->iterations != model::Iterations::Few && !loop->parent->trains;
  if (!loop->steps && !is_nested) {
    finding.tier = Tier::Hint; // without training there is less to allocate again, and perhaps another process waits
  }
}

} // namespace

extern constinit const Rule kEmptyCacheInLoop = {
    .info = {.code = "DP134",
             .name = "empty-cache-in-loop",
             .summary = "`torch.cuda.empty_cache()` in every step",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`torch.cuda.empty_cache()`, or that of another device, in every iteration of a loop or in a training step. In a loop
without training it is only a hint, unless that loop is inside another one. Also `gc.collect()` in every training step.

## Why it costs

PyTorch caches device memory because the driver is slow to allocate it and has to wait for the device before freeing it.
`empty_cache()` undoes that: it waits and frees, and the next step allocates everything again. It does not make more
memory available to the program itself.

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

Where another process needs the memory between two iterations, or where fragmentation makes a large allocation fail.
After an out-of-memory error it is right. The rule is silent in `except` blocks, and for calls that run only every so
many iterations.

## References

- PyTorch: CUDA semantics, memory management
)"},
    .calls = "gc.collect torch.cuda.empty_cache torch.mps.empty_cache torch.xpu.empty_cache torch.npu.empty_cache",
    .on_call = check};

} // namespace deepperf::rules::empty_cache_in_loop
