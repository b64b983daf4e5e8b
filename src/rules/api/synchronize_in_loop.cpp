#include "python/children.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::synchronize_in_loop {

using namespace python;

namespace {

bool contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

// Does the code measure time? Then waiting for the device is what it should do.
bool measures_time(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view api = called_api(site, *call);
    if (api.starts_with("time.") || api == "timeit.default_timer" || api == "torch.cuda.Event") {
      return true;
    }
  }
  Symbol name;
  if (const auto *plain = as<Name>(node)) {
    name = plain->id;
  } else if (const auto *attribute = as<Attribute>(node)) {
    name = attribute->attr;
  }
  if (name) {
    const std::string_view text = name.text();
    if (contains(text, "elapsed") || contains(text, "timer") || contains(text, "timing") || contains(text, "profil") ||
        contains(text, "bench") || contains(text, "perf_counter") || contains(text, "time_sync") ||
        contains(text, "max_memory")) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || measures_time(site, child); });
  return found;
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  const bool in_step = loop == nullptr && site.function != nullptr && site.function->steps && site.function->in_loop &&
                       enclosing(site, NodeKind::If) == nullptr;
  if (!in_step &&
      (loop == nullptr || (!loop->steps && !goes_over_data(site, *loop)) || !runs_every_iteration(site, *loop))) {
    return;
  }
  // Of a script's own code, the loop is all that there is to look at.
  const Node *around = site.function != nullptr && site.function->node != nullptr ? site.function->node : loop->node;
  struct MeasuresTime {
    bool value = false;
  };
  if (site.memory.recall<MeasuresTime>(around, [&] { return MeasuresTime{measures_time(site, around)}; }).value) {
    return;
  }
  Finding &finding = report(site, call,
                            fmt::format("`{}` makes every iteration wait until the device has finished all its work",
                                        text_of(site, call.func)),
                            "remove the call: operations that need a result wait for it by themselves");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  }
}

} // namespace

extern constinit const Rule kSynchronizeInLoop = {
    .info = {.code = "DP135",
             .name = "synchronize-in-loop",
             .summary = "`torch.cuda.synchronize()` in every step, in code that measures nothing",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`torch.cuda.synchronize()` in every iteration of a loop over batches or in a training step, in a function that measures
no time.

## Why it costs

The CPU normally enqueues the kernels of the next step while the device still works on the current one, which keeps the
device busy. `synchronize()` waits until all kernels are done before the CPU continues, so the device is idle until the
next kernels arrive.

## Bad

```python
import torch


def train(model, optimizer, train_loader):
    for x in train_loader:
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
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

Code that measures time must wait for the device; the rule is silent in functions that read a clock or mention a timer.
Custom streams, and memory that other libraries read without PyTorch's knowledge, may need it as well.

## References

- PyTorch performance tuning guide: avoid unnecessary CPU-GPU synchronization
- PyTorch: CUDA semantics, asynchronous execution
)"},
    .calls = "torch.cuda.synchronize torch.mps.synchronize torch.xpu.synchronize torch.npu.synchronize",
    .on_call = check};

} // namespace deepperf::rules::synchronize_in_loop
