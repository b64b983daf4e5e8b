#include "rules/encoding.h"
#include "rules/lightning.h"
#include "rules/options.h"
#include "rules/per_step.h"
#include "rules/reach.h"

namespace deepperf::rules::lightning_sync_dist {

using namespace python;

namespace {

// `train = stage == "train"` in a helper of all stages: true in a training step.
bool depends_on_stage(const Site &site, const Expr *on_step) {
  const auto *name = as<Name>(on_step);
  const Expr *const value = name != nullptr ? assigned_to(site, *name) : on_step;
  return value != nullptr && value->kind == NodeKind::Compare;
}

// Values that all processes exchange in every step for nothing but a log: `self.all_gather(loss)`, `metric.compute()`.
void check_exchange(Site &site, const Call &call) {
  const bool is_metric = called_method(call) == "compute";
  if (site.module->is_test || enclosing(site, NodeKind::If) != nullptr ||
      !(in_lightning_training_step(site) || (is_metric && runs_in_every_step(site)))) {
    return;
  }
  if (is_metric) {
    report(
        site, call,
        "`compute()` makes every training step compute the metric over all batches so far, and wait for all "
        "processes",
        "log the metric itself, `self.log(…, metric, on_step=False, on_epoch=True)`, or compute it at the end of the "
        "epoch");
    return;
  }
  const auto *self = as<Name>(receiver_of(call));
  const bool is_own = self != nullptr && !site.function->params.empty() && site.function->params[0]->name == self->id;
  const Expr *value = argument(call, 0, "data");
  const auto *detached = as<Call>(value);
  // What is part of the loss, as in contrastive learning, is needed.
  if (is_own && detached != nullptr && called_method(*detached) == "detach" &&
      argument(call, 2, "sync_grads") == nullptr && !function_has_word(site, {"queue", "memory_bank", "negatives"})) {
    report(
        site, call, "`all_gather()` of a detached value makes every step wait for all processes",
        "log the value of each process, or reduce it once per epoch with `self.log(…, on_epoch=True, sync_dist=True)`");
  }
}

void check(Site &site, const Call &call) {
  if (called_method(call) == "compute" || called_method(call) == "all_gather") {
    check_exchange(site, call);
    return;
  }
  const Option sync = option_of(site, call, "sync_dist");
  if (sync.as_bool() != true || !leads_from_training_step(site)) {
    return;
  }
  // Only at the end of the epoch.
  const Option on_step = option_of(site, call, "on_step");
  if (!on_step.is_absent && on_step.as_bool() != true &&
      (on_step.value == nullptr || !depends_on_stage(site, on_step.value))) {
    return;
  }
  report_option(site, call, sync, "`sync_dist=True` in `training_step` makes every step wait for all processes",
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
the value is logged in every step. Also `self.all_gather(loss.detach())` and `metric.compute()` there.

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
    .calls = "*.log *.log_dict *.all_gather TorchMetric.compute",
    .on_call = check};

} // namespace deepperf::rules::lightning_sync_dist
