#include "rules/lightning.h"
#include "rules/reach.h"

#include <fmt/format.h>

namespace deepperf::rules::device_in_lightning_init {

using namespace python;

namespace {

// `self.name` that gets the result of the call, as it is.
const Attribute *own_target(const Site &site, const Call &call) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  if (assignment == nullptr || assignment->value != &call || assignment->targets.size() != 1) {
    return nullptr;
  }
  const auto *target = as<Attribute>(assignment->targets[0]);
  const auto *self = target != nullptr ? as<Name>(target->value) : nullptr;
  return self != nullptr && !site.function->params.empty() && site.function->params[0]->name == self->id ? target
                                                                                                         : nullptr;
}

// cuda() and to("cuda") name a device before Lightning has chosen one.
bool names_device(const Site &site, const Call &call) {
  if (called_method(call) == "cuda") {
    return true;
  }
  const auto device = call.args.size() == 1 ? string_of(site, call.args[0]) : std::nullopt;
  return device.has_value() && device->starts_with("cuda");
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.function->type == nullptr || !site.function->name ||
      site.function->name.text() != "__init__" || site.module->is_test || !is_lightning_module(*site.function->type) ||
      !names_device(site, call) || model::kind_of(receiver_of(call)) != Kind::TorchTensor) {
    return;
  }
  const Attribute *target = own_target(site, call);
  if (target == nullptr) {
    return;
  }
  report(site, call, "this tensor goes to the first GPU in every process, and Lightning never moves it",
         fmt::format("use `self.register_buffer(\"{}\", …)` without a device", target->attr.text()));
}

} // namespace

extern constinit const Rule kDeviceInLightningInit = {
    .info = {.code = "DP845",
             .name = "device-in-lightning-init",
             .summary = "a tensor that a LightningModule moves to a GPU before Lightning has assigned one",
             .root_cause = "Training: Wrong Model Definition",
             .symptoms = "Program Crash, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.x = tensor.cuda()` or `self.x = tensor.to("cuda")` in the `__init__` of a LightningModule.

## Why it is wrong

When `__init__` runs, Lightning has not assigned a device to the process yet. All processes put the tensor on the first GPU, where it takes
memory and an extra CUDA context. It is neither a parameter nor a buffer, so it stays there, and the other processes fail with tensors on
different devices. On a machine without a GPU the model cannot be created. A buffer is moved and saved with the module.

## Bad

```python
import pytorch_lightning as pl
import torch


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weights = torch.linspace(1.0, 0.5, 784).cuda()

    def forward(self, x):
        return x * self.weights
```

## Good

```python
import pytorch_lightning as pl
import torch


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.linspace(1.0, 0.5, 784))

    def forward(self, x):
        return x * self.weights
```

## When it is wrong

A program that always runs on one GPU works.

## References

- Lightning documentation: hardware agnostic training, removing `.cuda()` and `.to(device)` calls
)"},
    .calls = "TorchTensor.cuda TorchTensor.to",
    .on_call = check};

} // namespace deepperf::rules::device_in_lightning_init
