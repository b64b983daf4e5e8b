#include "rules/site.h"

namespace deepperf::rules {

using namespace python;

namespace {

// Does `batch.to(x)` or `batch.cuda()` copy to a device that is not the CPU, as far as one can tell?
bool goes_to_device(const Site &site, const Call &move) {
  if (called_method(move) == "cuda") {
    return true;
  }
  const Expr *target = argument(move, 0, "device");
  if (target == nullptr) {
    return false;
  }
  if (const std::optional<std::string> name = string_of(site, target)) {
    return name->starts_with("cuda");
  }
  if (const auto *name = as<Name>(target)) {
    return model::kind_of(target) == Kind::TorchDevice || name->id.text() == "device" ||
           name->id.text().ends_with("_device") || name->id.text() == "DEVICE";
  }
  if (const auto *attribute = as<Attribute>(target)) {
    return model::kind_of(target) == Kind::TorchDevice || attribute->attr.text().ends_with("device");
  }
  return model::kind_of(target) == Kind::TorchDevice;
}

void check(Site &site, const Call &call) {
  const auto moved = site.project.moved_batches.find(&call);
  if (moved == site.project.moved_batches.end()) {
    return;
  }
  constexpr u32 kWorkers = 5;
  constexpr u32 kPinMemory = 7;
  if (has_hidden_arguments(call) || argument(call, kPinMemory, "pin_memory") != nullptr) {
    return;
  }
  const model::MovedBatch &move = moved->second;
  Site there{.project = site.project, .findings = site.findings, .module = move.module, .function = move.function};
  if (!goes_to_device(there, *move.call)) {
    return;
  }
  // Without workers the training process would do the pinning itself, and win little.
  const Expr *workers = argument(call, kWorkers, "num_workers");
  const bool has_workers = workers != nullptr && integer_of(site, workers).value_or(1) != 0;
  Finding &finding = report(site, call, "batches of this DataLoader are copied to the device from pageable memory",
                            "give it pin_memory=True, and move the batches with non_blocking=True");
  finding.notes.push_back({move.module->file, move.call->span(), "copied here"});
  if (!has_workers) {
    finding.tier = Tier::Hint;
  }
  if (const std::optional<Edit> edit = add_argument(site, call, "pin_memory=True")) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kMissingPinMemory = {
    .info = {.code = "DP132",
             .name = "missing-pin-memory",
             .summary = "a DataLoader whose batches go to the GPU, without pin_memory",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .tier = Tier::Hint,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A `DataLoader` with workers and without `pin_memory` whose batches are moved to a device with `.cuda()` or `.to(device)`. Without
workers it is a hint.

## Why it costs

A GPU copies only from page-locked memory. From ordinary memory the driver has to copy twice, and the program waits for it. With
`pin_memory=True` a thread of the loader moves each batch into locked memory ahead of time; the copy is then faster, and
with `non_blocking=True` it overlaps with the computation.

## Bad

```python
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")


def train(model, images, loss_of):
    loader = DataLoader(images, batch_size=64, num_workers=4)
    for x, y in loader:
        loss_of(model(x.to(device)), y.to(device)).backward()
```

## Good

```python
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")


def train(model, images, loss_of):
    loader = DataLoader(images, batch_size=64, num_workers=4, pin_memory=True)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss_of(model(x), y).backward()
```

## When it is wrong

Where the device is always a CPU, pinning costs a copy and gives nothing. Locked memory is taken from what the other
processes of the machine may use, which is why the edit is only made with `--unsafe-fixes`. Write `pin_memory=False` where that
is meant.

## References

- PyTorch performance tuning guide: pinned memory
- PyTorch tutorial: a guide on good usage of `non_blocking` and `pin_memory()`
)"},
    .calls = "torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules
