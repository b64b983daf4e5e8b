#include "rules/reach.h"
#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <string>

namespace deepperf::rules::scaler_not_updated {

using namespace python;

namespace {

struct Updates {
  bool any = false; // something that is, or may be, a GradScaler is updated in the file
};

bool updates_scaler(const Site &site) {
  return site.memory
      .recall<Updates>(site.module,
                       [&site] {
                         Updates updates;
                         for (const Stmt *statement : site.module->parsed->tree.body) {
                           updates.any = updates.any || any_node_inside(statement, [&site](const Node *node) {
                                           const auto *call = as<Call>(node);
                                           return call != nullptr && called_method(*call) == "update" &&
                                                  is_grad_scaler(site, receiver_of(*call));
                                         });
                         }
                         return updates;
                       })
      .any;
}

void check(Site &site, const Call &call) {
  const Expr *const scaler = receiver_of(call);
  const std::string_view text = text_of(site, scaler);
  const std::size_t dot = text.rfind('.');
  const std::string update = std::string(dot == std::string_view::npos ? text : text.substr(dot + 1)) + ".update";
  if (updates_scaler(site) || project_has_word(site, {update, "scaler.update"})) {
    return;
  }
  report(site, call, "the `GradScaler` is never updated, so the second `step()` raises an error",
         "call `scaler.update()` once per iteration, after `scaler.step(optimizer)`");
}

} // namespace

extern constinit const Rule kScalerNotUpdated = {.info = {.code = "DP911",
                                                          .name = "scaler-not-updated",
                                                          .summary = "a `GradScaler` that is used without `update()`",
                                                          .root_cause = "Training: Wrong Training Step",
                                                          .symptoms = "Program Crash, Wrong Result",
                                                          .stage = "Training",
                                                          .frameworks = "PyTorch",
                                                          .severity = Severity::Error,
                                                          .tier = Tier::On,
                                                          .documentation = R"(## What it finds

`scaler.step(optimizer)` in a program that never calls `scaler.update()`.

## Why it is wrong

`update()` lowers the scale after gradients overflowed and raises it again later, and it resets what the scaler remembers of each
optimizer. Without it, the next `step()` raises an error, since it "has already been called since the last update", and a scale that is too large
skips every step.

## Bad

```python
import torch


def train(model: torch.nn.Module, optimizer, loader, loss_function):
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = loss_function(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
```

## Good

```python
import torch


def train(model: torch.nn.Module, optimizer, loader, loss_function):
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = loss_function(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
```

## When it is wrong

Where a library that is not part of the checked files updates the scaler.

## References

- PyTorch documentation of `torch.amp.GradScaler.update`
)"},
                                                 .calls = "GradScaler.step",
                                                 .on_call = check};

} // namespace deepperf::rules::scaler_not_updated
