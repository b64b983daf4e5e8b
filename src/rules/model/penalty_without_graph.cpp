#include "rules/loss_flow.h"

#include <optional>

namespace deepperf::rules::penalty_without_graph {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (has_hidden_arguments(call) || site.function == nullptr || under_no_grad(site)) {
    return;
  }
  const Expr *keeps = argument(call, 4, "create_graph");
  if (keeps != nullptr && bool_of(site, keeps) != false) {
    return;
  }
  const Call *backward = backward_of(site.memory, site.project, *site.function, &call, Way::Term);
  if (backward == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call, "these gradients have no autograd graph, so the penalty computed from them is a constant",
             "pass `create_graph=True`");
  const Site there = site_of(site, *backward);
  finding.notes.push_back(
      {there.module != nullptr ? there.module->file : site.module->file, backward->span(), "it is part of this loss"});
  if (keeps != nullptr) {
    set_fix(finding, false, {replace(*keeps, "True")});
  } else if (const std::optional<Edit> edit = add_argument(site, call, "create_graph=True")) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kPenaltyWithoutGraph = {
    .info = {.code = "DP870",
             .name = "penalty-without-graph",
             .summary = "a gradient penalty whose gradients are computed without `create_graph=True`",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`torch.autograd.grad(…)` without `create_graph=True` whose result becomes, through norms and sums, a term of a loss on which `backward()` is
called.

## Why it is wrong

Without `create_graph=True` the gradients are constants. A penalty that is computed from them changes the value of the loss and nothing
else: its own gradient is zero, so it does not constrain the network.

## Bad

```python
import torch


def penalty(critic, x):
    x = x.requires_grad_(True)
    score = critic(x)
    gradients = torch.autograd.grad(score.sum(), x)[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()


def step(critic, optimizer, real, fake):
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good

```python
import torch


def penalty(critic, x):
    x = x.requires_grad_(True)
    score = critic(x)
    gradients = torch.autograd.grad(score.sum(), x, create_graph=True)[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()


def step(critic, optimizer, real, fake):
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it is wrong

Where the gradients are meant as constants, such as factors that scale other terms.

## References

- PyTorch documentation, `torch.autograd.grad`
)"},
    .calls = "torch.autograd.grad",
    .on_call = check};

} // namespace deepperf::rules::penalty_without_graph
