#include "model/bind.h"
#include "rules/lightning.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::vector_logged {

using namespace python;

namespace {

// A loss that is told to give one number for each element: reduction="none".
bool is_unreduced(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const auto *call = as<Call>(name != nullptr ? last_assigned(site, *name) : expr);
  if (call == nullptr) {
    return false;
  }
  const Call *maker = call;
  if (!called_api(site, *call).starts_with("torch.nn.functional.")) {
    std::string_view api;
    maker = maker_of_callee(site, *call, &api);
    if (maker == nullptr || !api.starts_with("torch.nn.") || !api.ends_with("Loss")) {
      return false;
    }
  }
  const Keyword *reduction = keyword_argument(*maker, "reduction");
  return reduction != nullptr && string_of(site_of(site, *maker), reduction->value) == "none";
}

void check(Site &site, const Call &call) {
  if (site.type == nullptr || site.function == nullptr || !is_lightning_module(*site.type) ||
      !model::is_own_object(*site.function, receiver_of(call))) {
    return;
  }
  const Expr *value = argument(call, 1, "value");
  if (value == nullptr || !is_unreduced(site, value)) {
    return;
  }
  report(site, *value, "`self.log` takes one number, and this loss has one for each element of the batch",
         "log its mean: `" + std::string(text_of(site, value)) + ".mean()`");
}

} // namespace

extern constinit const Rule kVectorLogged = {
    .info = {.code = "DP880",
             .name = "vector-logged",
             .summary = "`self.log` of a tensor that is not reduced to one number",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "Lightning",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.log(name, loss)` in a LightningModule, where the loss was computed with `reduction="none"`.

## Why it is wrong

Lightning logs numbers. It raises a `ValueError` for a tensor with more than one element.

## Bad

```python
import lightning.pytorch as pl
import torch


class Model(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = torch.nn.functional.mse_loss(self(x), y, reduction="none")
        self.log("loss", loss)
        return loss.mean()
```

## Good

```python
import lightning.pytorch as pl
import torch


class Model(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = torch.nn.functional.mse_loss(self(x), y, reduction="none")
        self.log("loss", loss.mean())
        return loss.mean()
```

## When it is wrong

With a batch of one element and one output.

## References

- Lightning: logging, `LightningModule.log`
)"},
    .calls = "*.log",
    .on_call = check};

} // namespace deepperf::rules::vector_logged
