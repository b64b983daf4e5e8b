#include "rules/site.h"

namespace deepperf::rules::inline_pin_memory {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const auto *pinned = as<Call>(receiver_of(call));
  if (pinned == nullptr || called_method(*pinned) != "pin_memory" || !pinned->args.empty() ||
      !pinned->keywords.empty()) {
    return;
  }
  const Expr *tensor = receiver_of(*pinned);
  const Kind kind = model::kind_of(tensor);
  if (!site.module->torch || (kind != Kind::TorchTensor && kind != Kind::Unknown)) {
    return;
  }
  Finding &finding =
      report(site, call, "`pin_memory()` right before the copy blocks the host longer than the faster copy saves",
             "copy the tensor directly, or let the loader pin it in the background: `DataLoader(…, pin_memory=True)`");
  set_fix(finding, false, {Edit{tensor->end + (tensor->parenthesized ? 1 : 0), pinned->end, ""}});
}

} // namespace

extern constinit const Rule kInlinePinMemory = {
    .info = {.code = "DP403",
             .name = "inline-pin-memory",
             .summary = "`pin_memory()` on the thread that then copies the tensor to the device",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::Hint,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`x.pin_memory().to(device, non_blocking=True)`: the main thread copies the tensor into pinned memory, and from there to
the device.

## Why it costs

Pinning allocates page-locked memory and copies the tensor into it, and the main thread waits for both. PyTorch's own
tutorial measured that this takes longer than a plain copy, for which the driver does the pinning. Pinned memory pays
off when another thread fills it, as the `DataLoader` does.

## Bad

```python
import torch


def move(batch: torch.Tensor, device):
    return batch.pin_memory().to(device, non_blocking=True)
```

## Good

```python
import torch


def move(batch: torch.Tensor, device):
    return batch.to(device, non_blocking=True)
```

## When it is wrong

Where the copy is meant to overlap with work that the main thread has already started on the device, and that takes
longer than pinning.

## References

- PyTorch tutorial: a guide on good usage of `non_blocking` and `pin_memory()`
)"},
    .calls = "*.to *.cuda",
    .on_call = check};

} // namespace deepperf::rules::inline_pin_memory
