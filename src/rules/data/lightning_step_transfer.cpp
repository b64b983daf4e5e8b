#include "rules/lightning.h"

#include <fmt/format.h>

namespace deepperf::rules::lightning_step_transfer {

using namespace python;

namespace {

// `batch`, `batch["x"]`, `x` of `x, y = batch`: what Lightning has moved already.
bool is_batch(const Site &site, const Expr *expr) {
  while (const auto *part = as<Subscript>(expr)) {
    expr = part->value;
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr || site.function->params.size() < 2) {
    return false;
  }
  const Symbol batch = site.function->params[1]->name;
  if (name->id == batch) {
    return true;
  }
  const auto *definition = site.function->definition();
  for (const Stmt *statement : definition->body) {
    const auto *assignment = as<Assign>(statement);
    const auto *value = assignment != nullptr ? as<Name>(assignment->value) : nullptr;
    if (value != nullptr && value->id == batch && assignment->end <= name->start &&
        mentions(assignment->targets[0], name->id)) {
      return true;
    }
  }
  return false;
}

void check(Site &site, const Call &call) {
  if (!in_lightning_training_step(site) || site.function->definition() == nullptr) {
    return;
  }
  const std::string_view method = called_method(call);
  if (is_batch(site, receiver_of(call))) {
    report(site, call, fmt::format("`{}()` on a batch that Lightning has already moved to the device", method),
           "omit it: Lightning moves batches itself, to the right device of each process");
  }
}

} // namespace

extern constinit const Rule kLightningStepTransfer = {
    .info = {.code = "DP411",
             .name = "lightning-step-transfer",
             .summary = "`cuda()` or `to()` on a batch in the `training_step` of a LightningModule",
             .root_cause = "Data: Unnecessary Data Transfer",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`cuda()` or `to(device)` on the batch, in the `training_step` of a LightningModule.

## Why it costs

Lightning moves batches to the device before it calls `training_step`. A second move does nothing, or goes to the wrong
GPU if there are several.

## Bad

```python
import pytorch_lightning as pl
from torch import nn


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def training_step(self, batch, index):
        x, y = batch
        x = x.cuda()
        loss = ((self.layer(x) - y) ** 2).mean()
        self.log("loss", loss)
        return loss
```

## Good

```python
import pytorch_lightning as pl
from torch import nn


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def training_step(self, batch, index):
        x, y = batch
        loss = ((self.layer(x) - y) ** 2).mean()
        self.log("loss", loss)
        return loss
```

## When it is wrong

Where the batch is an object that Lightning cannot move because it has no `to`.

## References

- Lightning: hardware agnostic training
)"},
    .calls = "*.cuda *.to",
    .on_call = check};

} // namespace deepperf::rules::lightning_step_transfer
