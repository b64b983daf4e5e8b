#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::batch_scheduler_per_epoch {

using namespace python;

namespace {

// Is it a number of batches: `epochs * len(loader)`, also under a name?
bool counts_batches(const Site &there, const Expr *expr) {
  if (expr == nullptr) {
    return false;
  }
  const auto *name = as<Name>(expr);
  const Expr *const value = name != nullptr ? assigned_before(there, name->id, name->start) : expr;
  if (value == nullptr) {
    return false;
  }
  const std::string_view text = text_of(there, value);
  return text.find("len(") != std::string_view::npos && text.find('*') != std::string_view::npos;
}

// Is the length of the schedule given in batches?
bool is_in_batches(const Site &there, const Call &maker, std::string_view api) {
  if (has_hidden_arguments(maker)) {
    return false;
  }
  if (api.ends_with(".OneCycleLR")) {
    const Expr *const per_epoch = argument(maker, 4, "steps_per_epoch");
    return (per_epoch != nullptr && integer_of(there, per_epoch) != 1) ||
           counts_batches(there, argument(maker, 2, "total_steps"));
  }
  if (api.ends_with(".CosineAnnealingLR")) {
    return counts_batches(there, argument(maker, 1, "T_max"));
  }
  if (api.ends_with("_schedule_with_warmup")) {
    return counts_batches(there, argument(maker, 2, "num_training_steps"));
  }
  if (api.ends_with(".PolynomialLR") || api.ends_with(".LinearLR")) {
    return counts_batches(there, argument(maker, api.ends_with(".LinearLR") ? 3 : 1, "total_iters"));
  }
  return false;
}

// A loop over epochs: it trains, but not one step in each iteration.
bool goes_over_epochs(const model::Loop &loop) { return loop.trains && !loop.steps; }

// The loop over epochs that comes to the place once in each iteration: around it, or around the call of a function that
// goes through the data in a loop of its own.
const model::Loop *loop_over_epochs(const Site &site) {
  if (const model::Loop *const loop = loop_around(site)) {
    return goes_over_epochs(*loop) && runs_every_turn(site, *loop) ? loop : nullptr;
  }
  const model::FunctionInfo &function = *site.function;
  const bool has_steps = std::ranges::any_of(function.loops, &model::Loop::steps);
  if (!has_steps || function.definition() == nullptr || enclosing(site, NodeKind::If) != nullptr) {
    return nullptr;
  }
  for (const model::CallSite *caller : function.called_by) {
    if (caller->loop != nullptr && goes_over_epochs(*caller->loop) && !caller->conditional) {
      return caller->loop;
    }
  }
  return nullptr;
}

void check(Site &site, const Call &call) {
  const model::Loop *const loop = loop_over_epochs(site);
  if (loop == nullptr) {
    return;
  }
  const model::Value scheduler = value_of(site, receiver_of(call));
  if (!scheduler.is_kind(Kind::TorchScheduler) || scheduler.call == nullptr || scheduler.alternatives != nullptr ||
      scheduler.many || scheduler.open || !scheduler.name()) {
    return;
  }
  const Call &maker = *scheduler.call;
  const Site there = site_of(site, maker);
  if (!is_in_batches(there, maker, scheduler.name().text())) {
    return;
  }
  // Somebody else may step it for each batch.
  const std::string_view step = text_of(site, call.func);
  const auto steps_elsewhere = [step](std::string_view text) { return text.find(step) != text.rfind(step); };
  if (loop->function == site.function
          ? steps_elsewhere(text_of(site, loop->node))
          : steps_elsewhere(text_of(*site.function)) || text_of(*loop->function).find(step) != std::string_view::npos) {
    return;
  }
  Finding &finding =
      report(site, call, "this schedule counts batches but is stepped once per epoch, so most of it is never reached",
             "call it for every batch, right after `optimizer.step()`");
  finding.notes.push_back({there.module->file, maker.span(), "the schedule is created here"});
}

} // namespace

extern constinit const Rule kBatchSchedulerPerEpoch = {
    .info = {.code = "DP912",
             .name = "batch-scheduler-per-epoch",
             .summary = "a learning rate schedule in batches that is stepped once per epoch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`scheduler.step()` once per epoch for a schedule whose length is a number of batches: `OneCycleLR` with `steps_per_epoch`, or a
`CosineAnnealingLR`, `LinearLR` or warm-up schedule over `epochs * len(loader)` steps.

## Why it is wrong

The schedule counts calls of `step()`. With 1,000 batches per epoch it advances a thousand times too slowly: the learning rate stays in the
warm-up, or close to its first value, for the whole training.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, loss_function, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.4, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()
        scheduler.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, loss_function, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.4, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()
            scheduler.step()
```

## When it is wrong

Where `len()` in the schedule's length is not the number of batches.

## References

- PyTorch documentation of `torch.optim.lr_scheduler.OneCycleLR`: `step` should be called after a batch has been used
)"},
    .calls = "TorchScheduler.step",
    .on_call = check};

} // namespace deepperf::rules::batch_scheduler_per_epoch
