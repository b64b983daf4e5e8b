#include "rules/api_history.h"
#include "rules/step_order.h"

#include "python/children.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace deepperf::rules::scheduler_before_optimizer {

using namespace python;

namespace {

// Where in the node an optimizer steps, before and after a place: directly, or in a function that is called there.
struct Steps {
  const Call *before = nullptr;
  const Call *behind = nullptr;
};

// All of them in a loop, in source order.
struct StepsInside {
  std::vector<const Call *> calls;
};

void find_steps(const Site &site, const Node *node, StepsInside &steps) {
  if (const auto *call = as<Call>(node)) {
    const Expr *receiver = receiver_of(*call);
    const Kind kind = receiver != nullptr ? model::kind_of(receiver) : Kind::Unknown;
    const bool steps_itself =
        called_method(*call) == "step" && (kind == Kind::TorchOptimizer || kind == Kind::GradScaler ||
                                           (receiver != nullptr && is_optimizer(site, receiver)));
    const model::FunctionInfo *function = called_function(site, *call);
    if (steps_itself || (function != nullptr && function->trains)) {
      steps.calls.push_back(call);
    }
  }
  for_each_child(node, [&](const Node *child) { find_steps(site, child, steps); });
}

Steps steps_in_loop(const Site &site, const model::Loop &loop, const Call &place) {
  const StepsInside &inside = site.memory.recall<StepsInside>(loop.node, [&] {
    StepsInside found;
    find_steps(site, loop.node, found);
    std::ranges::stable_sort(found.calls, {}, &Call::start);
    return found;
  });
  const auto behind = std::ranges::upper_bound(inside.calls, place.start, {}, &Call::start);
  const auto before = std::ranges::lower_bound(inside.calls, place.start, {}, &Call::start);
  return {before != inside.calls.begin() ? *(before - 1) : nullptr,
          behind != inside.calls.end() ? inside.calls.back() : nullptr};
}

// What the engine knows of the receiver: a scheduler of PyTorch, an object of a class that is one, or one of several.
struct Scheduler {
  bool is_one = false;
  bool is_plateau = false;
};

Scheduler scheduler_of(const Site &site, const Call &call) {
  const Expr *receiver = receiver_of(call);
  Scheduler found;
  if (receiver == nullptr) {
    return found;
  }
  found.is_one = model::kind_of(receiver) == Kind::TorchScheduler;
  const model::Value callee = site.project.callee_of(&call);
  const auto look = [&found](const model::Value &one) {
    found.is_plateau |= one.is_kind(Kind::TorchScheduler) && one.maker() != nullptr && one.name() &&
                        one.name().text().ends_with("ReduceLROnPlateau");
  };
  if (callee.is(model::Value::Tag::ApiMethod)) {
    look(callee.receiver());
  }
  if (found.is_one) {
    return found;
  }
  u32 schedulers = 0;
  u32 others = 0;
  model::for_each_alternative(value_of(site, receiver), [&](const model::Value &one) {
    look(one);
    const bool is_scheduler = one.is_kind(Kind::TorchScheduler) ||
                              (one.is(model::Value::Tag::Object) && one.type->kind == Kind::TorchScheduler);
    ++(is_scheduler ? schedulers : others);
  });
  found.is_one = schedulers != 0 && others == 0;
  return found;
}

// In a function that does a part of a training step, and that a loop calls.
Steps steps_around(const Site &site, const Call &call) {
  Steps found;
  bool is_behind = false;
  for (const PlacedEvent &one : step_around(site, call).events) {
    using What = StepEvent::What;
    if (one.event.call == &call) {
      if (one.event.test != nullptr || one.is_repeated) {
        return {};
      }
      is_behind = true;
    } else if (one.event.what == What::Step || one.event.what == What::ScalerStep) {
      (is_behind ? found.behind : found.before) = one.event.call;
    }
  }
  return is_behind ? found : Steps{};
}

void check(Site &site, const Call &call) {
  const Scheduler scheduler = scheduler_of(site, call);
  if (!scheduler.is_one || scheduler.is_plateau) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  Steps steps;
  if (loop == nullptr) {
    steps = steps_around(site, call);
  } else if (loop->trains && runs_every_iteration(site, *loop)) {
    steps = steps_in_loop(site, *loop, call);
  }
  if (steps.behind == nullptr || steps.before != nullptr) {
    return;
  }
  Finding &finding =
      report(site, call, "the scheduler steps before the optimizer, so the first learning rate is never used",
             "call it after the optimizer's `step()`, as PyTorch expects since 1.1");
  if (!call.args.empty() || !call.keywords.empty()) {
    finding.tier = Tier::Hint; // told the epoch, it sets the rate for that one
  }
  finding.notes.push_back(
      {site_of(site, *steps.behind).module->file, steps.behind->span(), "the optimizer steps here"});
  if (status_in(site, "torch", "1.1") == Status::Fine) {
    report_for_upgrade(finding, site, "torch");
  }
}

} // namespace

extern constinit const Rule kSchedulerBeforeOptimizer = {
    .info = {.code = "DP807",
             .name = "scheduler-before-optimizer",
             .summary = "`scheduler.step()` before `optimizer.step()`, which skips the first learning rate",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A training step in which a learning rate scheduler steps first and the optimizer after it, directly or in a function that is called.

## Why it is wrong

Since PyTorch 1.1 the scheduler's constructor sets the first learning rate, and `step()` moves to the next one. Called first, it skips the
first value of the schedule, and all later values come one step too early: a warm-up starts too high, a decay happens too soon. PyTorch
warns about it once at run time.

## Bad

```python
import torch


def train(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for epoch in range(90):
        scheduler.step()
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
```

## Good

```python
import torch


def train(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for epoch in range(90):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        scheduler.step()
```

## When it is wrong

In programs for PyTorch before 1.1. With an explicit epoch (`scheduler.step(epoch)`) the rate is right, although PyTorch still warns: that
is a hint.

## References

- PyTorch documentation of `torch.optim`: how to adjust learning rate
)"},
    .calls = "*.step",
    .on_call = check};

} // namespace deepperf::rules::scheduler_before_optimizer
