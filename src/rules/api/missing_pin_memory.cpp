#include "model/context.h"
#include "rules/device.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::missing_pin_memory {

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

// The innermost loop of its function around a call.
const model::Loop *loop_of(const Site &site, const Call &call) {
  const model::Loop *found = nullptr;
  for (const model::Loop *loop : site.function->loops) {
    if (loop->node->start <= call.start && call.end <= loop->node->end) {
      found = loop;
    }
  }
  return found;
}

// Pinned batches that are copied while the program waits.
void check_copy(Site &site, const Site &there, const Call &move) {
  const u32 place = called_method(move) == "cuda" ? 1 : ~0U;
  const bool is_given = keyword_argument(move, "non_blocking") != nullptr || (place == 1 && move.args.size() > 1) ||
                        move.args.size() > 2 || has_hidden_arguments(move);
  if (is_given || !is_surely_gpu(there, move)) {
    return;
  }
  Finding &finding = report(site.findings, *site.rule, *there.module, move.span(),
                            "the loader pins its batches, but this copy still blocks the host",
                            "pass `non_blocking=True`, so that the copy overlaps with computation");
  const model::Loop *const loop = loop_of(there, move);
  const bool trains = loop != nullptr ? loop->steps : (there.function->context & model::kPerTrainingStep) != 0;
  // A loader of the project's own around this one, which moves what it yields.
  const auto is_iteration = [](const model::FunctionInfo &function) {
    return function.name && (function.name.text() == "__iter__" || function.name.text() == "__next__");
  };
  const bool is_wrapper = is_iteration(*there.function) ||
                          std::ranges::any_of(there.function->called_by, [&](const model::CallSite *caller) {
                            return is_iteration(*caller->caller);
                          });
  finding.tier = (trains || is_wrapper) && !there.module->is_test ? Tier::On : Tier::Hint;
  if (const std::optional<Edit> edit = add_argument(there, move, "non_blocking=True")) {
    set_fix(finding, false, {*edit});
  }
}

void check(Site &site, const Call &call) {
  const auto moved = site.project.moved_batches.find(&call);
  if (moved == site.project.moved_batches.end()) {
    return;
  }
  constexpr u32 kWorkers = 5;
  constexpr u32 kPinMemory = 7;
  const model::MovedBatch &move = moved->second;
  const Site there{.project = site.project,
                   .findings = site.findings,
                   .memory = site.memory,
                   .module = move.module,
                   .function = move.function};
  const model::Argument pin = argument_of(site, call, kPinMemory, "pin_memory");
  const auto pinned = setting_of(site, pin, model::ConstantValue::of(false));
  if (pinned.has_value() && pinned->is_true()) {
    return check_copy(site, there, *move.call);
  }
  const bool is_chosen = !pin.given.empty() && (!pinned.has_value() || !pinned->overridable);
  if (!pinned.has_value() || is_chosen || !goes_to_device(there, *move.call)) {
    return;
  }
  // Without workers the training process would do the pinning itself, and win little.
  const model::Argument given = argument_of(site, call, kWorkers, "num_workers");
  const auto workers = setting_of(site, given, model::ConstantValue::of(i64{0}));
  const bool has_workers = workers.has_value() ? workers->as_integer() != 0 : !given.given.empty();
  Finding &finding = report(
      site, call,
      pinned->overridable ? "by default, batches of this `DataLoader` are copied to the device from pageable memory"
                          : "batches of this `DataLoader` are copied to the device from pageable memory",
      "pass `pin_memory=True`, and move the batches with `non_blocking=True`");
  finding.notes.push_back({move.module->file, move.call->span(), "the batch is copied here"});
  if (!has_workers || !is_surely_gpu(there, *move.call)) {
    finding.tier = Tier::Hint;
  }
  const std::optional<Edit> edit = pin.is_absent() ? add_argument(site, call, "pin_memory=True") : std::nullopt;
  if (edit.has_value()) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kMissingPinMemory = {
    .info = {.code = "DP132",
             .name = "missing-pin-memory",
             .summary = "a `DataLoader` without `pin_memory` whose batches go to the GPU",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A `DataLoader` without `pin_memory`, or with `pin_memory=False` by default, whose batches are moved to a device with
`.cuda()` or `.to(device)`. It is reported as proven where the loader has workers and the device is a GPU whenever there
is one, and as a hint elsewhere. Pinned batches that are copied without `non_blocking=True` are a hint, too.

## Why it costs

A GPU copies directly only from page-locked memory. From pageable memory the driver copies twice, and the program waits
for it. With `pin_memory=True` a thread of the loader moves each batch into page-locked memory ahead of time. The copy
is then faster, and with `non_blocking=True` it overlaps with computation.

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

On a CPU, pinning only costs an extra copy. Page-locked memory is not available to the other processes on the machine,
which is why the fix needs `--unsafe-fixes`. Write `pin_memory=False` where that is intended.

## References

- PyTorch performance tuning guide: pinned memory
- PyTorch tutorial: a guide on good usage of `non_blocking` and `pin_memory()`
)"},
    .calls = "torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules::missing_pin_memory
