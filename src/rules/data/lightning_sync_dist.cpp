#include "rules/lightning.h"

namespace deepperf::rules::lightning_sync_dist {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const Keyword *sync = keyword_argument(call, "sync_dist");
  if (sync == nullptr || bool_of(site, sync->value) != true || !leads_from_training_step(site)) {
    return;
  }
  // Only at the end of the epoch.
  const Keyword *on_step = keyword_argument(call, "on_step");
  if (on_step != nullptr && bool_of(site, on_step->value) != true) {
    return;
  }
  report(site, *sync, "`sync_dist=True` in `training_step` makes every step wait for all processes",
         "omit `sync_dist` in `training_step`, or pass `on_step=False, on_epoch=True`");
}

} // namespace

extern constinit const Rule kLightningSyncDist = {
    .info = {.code = "DP410",
             .name = "lightning-sync-dist",
             .summary = "a value that Lightning reduces across all processes in every training step, only to log it",
             .root_cause = "Data: Unnecessary Data Transfer",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.log(…, sync_dist=True)` or `self.log_dict(…, sync_dist=True)` in the `training_step` of a LightningModule, where
the value is logged in every step.

## Why it costs

Each such value is an all-reduce of one number that all processes wait for, in addition to the one for the gradients.

## Bad

```python
import pytorch_lightning as pl


class Net(pl.LightningModule):
    def training_step(self, batch, index):
        loss = self(batch).mean()
        self.log("loss", loss, sync_dist=True)
        return loss
```

## Good

```python
import pytorch_lightning as pl


class Net(pl.LightningModule):
    def training_step(self, batch, index):
        loss = self(batch).mean()
        self.log("loss", loss)
        return loss
```

## When it is wrong

Where training runs in a single process, nothing is reduced. In `validation_step` values are reduced at the end of the
epoch, and `sync_dist=True` is right.

## References

- Lightning: logging, `sync_dist`
)"},
    .calls = "*.log *.log_dict",
    .on_call = check};

} // namespace deepperf::rules::lightning_sync_dist
