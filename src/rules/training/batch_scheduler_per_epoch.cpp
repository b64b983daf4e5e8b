#include "rules/assignments.h"
#include "rules/called_by_name.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

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

// The loop over epochs that all calls of the function stand in, and no loop over batches: on_epoch_end() of a callback.
const model::Loop *epochs_around_calls(const Site &site, const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kMostDepth = 3;
  std::vector<const model::CallSite *> callers(function.called_by.begin(), function.called_by.end());
  if (function.type != nullptr && function.name) {
    const auto &named = calls_by_name(site, function.name);
    callers.insert(callers.end(), named.begin(), named.end());
  }
  const model::Loop *found = nullptr;
  for (const model::CallSite *caller : callers) {
    const bool is_passed_on =
        caller->loop == nullptr || caller->loop->few_iterations || caller->loop->iterations == model::Iterations::Few;
    const model::Loop *const loop = !is_passed_on        ? caller->loop
                                    : depth < kMostDepth ? epochs_around_calls(site, *caller->caller, depth + 1)
                                                         : nullptr;
    if (loop == nullptr || !goes_over_epochs(*loop) || caller->conditional) {
      return nullptr;
    }
    found = loop;
  }
  return found;
}

// Places where the project steps a scheduler.
struct SchedulerSteps {
  std::vector<std::pair<const Call *, const Call *>> all; // the call of step(), and what made the scheduler
  bool unknown = false;                                   // some steps are of schedulers that are not known
};

SchedulerSteps find_steps(const Site &site) {
  SchedulerSteps found;
  for (const model::FunctionInfo &function : site.project.functions) {
    const FunctionDef *const definition = function.definition();
    if (definition == nullptr || !has_word(text_of(function), {".step("})) {
      continue;
    }
    any_node(definition->body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call == nullptr || called_method(*call) != "step" || call->args.size() > 1) {
        return false;
      }
      const model::Value stepped = value_of(site_of(site, *call), receiver_of(*call));
      if (stepped.is_kind(Kind::TorchScheduler)) {
        found.all.emplace_back(call, stepped.maker());
        found.unknown |= stepped.maker() == nullptr || stepped.alternatives != nullptr;
      } else if (!stepped.known() && call->args.empty()) {
        found.unknown = true; // perhaps one
      }
      return false;
    });
  }
  return found;
}

// Is it the only place where the scheduler is stepped?
bool is_only_step(const Site &site, const Call &step, const Call &maker) {
  const SchedulerSteps &steps = site.memory.recall<SchedulerSteps>(&site.project, [&] { return find_steps(site); });
  return !steps.unknown &&
         std::ranges::none_of(steps.all, [&](const auto &one) { return one.first != &step && one.second == &maker; });
}

// The loop over epochs that comes to the place once in each iteration: around it, or around the call of a function that
// goes through the data in a loop of its own.
const model::Loop *loop_over_epochs(const Site &site) {
  if (const model::Loop *const loop = loop_around(site)) {
    return goes_over_epochs(*loop) && runs_every_iteration(site, *loop) ? loop : nullptr;
  }
  const model::FunctionInfo &function = *site.function;
  const bool has_steps = std::ranges::any_of(function.loops, &model::Loop::steps);
  if (function.definition() == nullptr || enclosing(site, NodeKind::If) != nullptr) {
    return nullptr;
  }
  if (!has_steps) {
    return epochs_around_calls(site, function, 0);
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
  if (!scheduler.is_kind(Kind::TorchScheduler) || scheduler.maker() == nullptr || scheduler.alternatives != nullptr ||
      scheduler.many || scheduler.open || !scheduler.name()) {
    return;
  }
  const Call &maker = *scheduler.maker();
  const Site there = site_of(site, maker);
  if (!is_in_batches(there, maker, scheduler.name().text())) {
    return;
  }
  const bool is_helper =
      loop->function != site.function && std::ranges::none_of(site.function->loops, &model::Loop::steps);
  if (is_helper && !is_only_step(site, call, maker)) {
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
