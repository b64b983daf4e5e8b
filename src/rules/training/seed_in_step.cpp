#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::seed_in_step {

using namespace python;

namespace {

// A generator of its own: fixed numbers may be what is wanted there.
bool makes_generator(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (api == "numpy.random.RandomState" || api == "numpy.random.default_rng" || api == "random.Random") {
    return true;
  }
  const auto *made = called_method(call) == "manual_seed" ? as<Call>(receiver_of(call)) : nullptr;
  return made != nullptr && called_api(site, *made) == "torch.Generator";
}

void check(Site &site, const Call &call) {
  if (call.args.size() != 1 || !call.keywords.empty() || site.module->is_test ||
      !setting_of(site, call.args[0]).has_value()) {
    return;
  }
  const bool is_generator = makes_generator(site, call);
  if (!is_generator && called_method(call) == "manual_seed" && called_api(site, call).empty()) {
    return; // of a generator that was made before
  }
  const PlaceContext context = context_of(site);
  const bool in_forward = in_method(site, Kind::TorchModule, "forward");
  if (!context.in_training_step && !context.per_sample && !in_forward) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  if (enclosing(site, NodeKind::If) != nullptr || enclosing(site, NodeKind::IfExp) != nullptr ||
      (loop != nullptr && loop->few_iterations)) {
    return;
  }
  Finding &finding =
      report(site, call,
             context.per_sample ? "the same seed for every sample gives every sample the same random numbers"
             : in_forward       ? "the same seed in every forward pass gives every batch the same random numbers"
                                : "the same seed in every step gives every step the same random numbers: noise, "
                                  "dropout and augmentation never change",
             is_generator ? "create the generator once, outside" : "set the seed once, before the loop");
  if (is_generator || (!context.per_sample && !context.in_training_step)) {
    finding.tier = Tier::Hint;
  }
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
A generator that is created there with a constant seed, such as `np.random.default_rng(0)`, is a hint, and so is a seed that is set in `forward`.

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
             "numpy.random.seed numpy.random.RandomState numpy.random.default_rng random.Random *.manual_seed",
    .on_call = check};

} // namespace deepperf::rules::seed_in_step
