#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::seed_in_step {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (call.args.size() != 1 || !call.keywords.empty() || site.module->is_test ||
      !setting_of(site, call.args[0]).has_value()) {
    return;
  }
  const PlaceContext context = context_of(site);
  if (!context.in_training_step && !context.per_sample) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  if (enclosing(site, NodeKind::If) != nullptr || enclosing(site, NodeKind::IfExp) != nullptr ||
      (loop != nullptr && loop->few_iterations)) {
    return;
  }
  report(site, call,
         context.per_sample ? "the same seed for every sample gives every sample the same random numbers"
                            : "the same seed in every step gives every step the same random numbers: noise, dropout "
                              "and augmentation never change",
         "set the seed once, before the loop");
}

} // namespace

extern constinit const Rule kSeedInStep = {
    .info = {.code = "DP927",
             .name = "seed-in-step",
             .summary = "a constant random seed that is set again in every training step or for every sample",
             .root_cause = "Training: Wrong Random Numbers",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.manual_seed(0)`, `random.seed(42)` or `np.random.seed(1)` with a constant in every training step or in a data set's `__getitem__`.

## Why it is wrong

Each step then draws the same noise, the same dropout masks and the same augmentation. What should be random is a constant that the model learns.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        torch.manual_seed(0)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x + torch.randn_like(x)), y).backward()
        optimizer.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    torch.manual_seed(0)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x + torch.randn_like(x)), y).backward()
        optimizer.step()
```

## When it is wrong

Where all steps must see the same random numbers, as in a comparison of gradients.
)"},
    .calls = "torch.manual_seed torch.random.manual_seed torch.cuda.manual_seed torch.cuda.manual_seed_all random.seed "
             "numpy.random.seed",
    .on_call = check};

} // namespace deepperf::rules::seed_in_step
