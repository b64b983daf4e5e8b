#include "rules/lightning.h"
#include "rules/reach.h"

namespace deepperf::rules::plateau_without_monitor {

using namespace python;
using model::Value;

namespace {

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.function->type == nullptr || !site.function->name ||
      site.function->name.text() != "configure_optimizers" || !is_lightning_module(*site.function->type) ||
      site.module->is_test || function_has_word(site, {"monitor"}) ||
      file_has_word(site, {"automatic_optimization", "lr_scheduler_step", "manual_backward"})) {
    return;
  }
  report(
      site, call, "Lightning does not know which metric to pass to this scheduler: MisconfigurationException",
      "return `{\"optimizer\": optimizer, \"lr_scheduler\": {\"scheduler\": scheduler, \"monitor\": \"val_loss\"}}`");
}

} // namespace

extern constinit const Rule kPlateauWithoutMonitor = {
    .info = {.code = "DP938",
             .name = "plateau-without-monitor",
             .summary = "a `ReduceLROnPlateau` whose metric Lightning does not know",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`configure_optimizers` of a LightningModule that returns a `ReduceLROnPlateau` scheduler without `"monitor"`.

## Why it is wrong

Lightning steps the scheduler itself and has to pass it a metric. Without `monitor` it raises a `MisconfigurationException`.

## Bad

```python
import lightning as L
import torch


class Net(L.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters())
        return [optimizer], [torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)]
```

## Good

```python
import lightning as L
import torch


class Net(L.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters())
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}
```

## When it is wrong

With manual optimization, where the module steps the scheduler; such files are not reported.

## References

- Lightning: `LightningModule.configure_optimizers`
)"},
    .calls = "torch.optim.lr_scheduler.ReduceLROnPlateau",
    .on_call = check};

} // namespace deepperf::rules::plateau_without_monitor
