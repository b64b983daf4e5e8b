#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::sync_every_micro_batch {

using namespace python;

namespace {

// A model that DistributedDataParallel wraps, and nothing else.
bool is_distributed(const Site &site, const Expr *callee) {
  bool all = false;
  bool other = false;
  for_each_alternative(value_of(site, callee), [&](const model::Value &one) {
    const bool is_it = one.is_kind(Kind::TorchModule) && one.name() &&
                       one.name().text() == "torch.nn.parallel.DistributedDataParallel";
    all |= is_it;
    other |= !is_it;
  });
  return all && !other;
}

// What a function of the project that an iteration calls does of a training step.
struct HelperParts {
  const model::FunctionInfo *function = nullptr;
  const Call *backward = nullptr; // in every call
  bool steps = false;
  bool is_known = false;
};

HelperParts parts_of_helper(const Site &site, const Call &call) {
  HelperParts parts;
  parts.function = called_function(site, call);
  if (parts.function == nullptr || parts.function->definition() == nullptr) {
    return parts;
  }
  parts.is_known = true;
  Site there = site;
  there.function = parts.function;
  there.module = parts.function->module;
  there.type = parts.function->type;
  there.ancestors.clear();
  for (const StepEvent &event : step_events(there)) {
    using What = StepEvent::What;
    parts.steps |= event.what == What::Step || event.what == What::ScalerStep;
    parts.is_known &= event.what != What::Helper;
    if ((event.what == What::Backward || event.what == What::ScaledBackward) && event.test == nullptr &&
        event.loop == nullptr && parts.backward == nullptr) {
      parts.backward = event.call;
    }
  }
  return parts;
}

bool runs_distributed(const Site &place, const Node &code) {
  return any_node_inside(&code, [&](const Node *inner) {
    const auto *call = as<Call>(inner);
    return call != nullptr && model::kind_of(call->func) == Kind::TorchModule && is_distributed(place, call->func);
  });
}

// `for _ in range(accumulate): accelerator.backward(loss)`, and one step after that loop. Accelerate wraps the model
// for several processes, and only `accumulate()` or `no_sync()` tell it that more is to come.
bool check_inner_loop(Site &site, const Node &node) {
  const Call *backward = nullptr;
  const Call *step = nullptr;
  const model::FunctionInfo *helper = nullptr; // that has the backward pass, if it is not the loop itself
  const auto &events = step_events(site);      // in the order of the code
  constexpr u32 kMostAfter = 100;              // the step of an accumulation is not far after its loop
  u32 after = 0;
  const auto first =
      std::ranges::lower_bound(events, node.start, {}, [](const StepEvent &event) { return event.call->start; });
  for (auto at = first; at != events.end(); ++at) {
    using What = StepEvent::What;
    const StepEvent &event = *at;
    if (event.call->start >= node.end && (backward == nullptr || step != nullptr || ++after > kMostAfter)) {
      break;
    }
    const bool is_inside = contains(&node, event.call);
    // A method of the project may be called backward() or step(), too.
    const bool is_helper = event.what == What::Helper || called_function(site, *event.call) != nullptr;
    const HelperParts parts =
        is_helper && (is_inside || event.call->start > node.end) ? parts_of_helper(site, *event.call) : HelperParts{};
    const bool is_step = event.what == What::Step || event.what == What::ScalerStep || parts.steps;
    if (is_inside && (is_step || (is_helper && !parts.is_known))) {
      return false;
    }
    if (is_inside && event.loop == &node && event.test == nullptr && parts.backward != nullptr) {
      backward = parts.backward;
      helper = parts.function;
    } else if (is_inside && !is_helper && (event.what == What::Backward || event.what == What::ScaledBackward) &&
               event.loop == &node) {
      backward = event.call;
      helper = nullptr;
    } else if (is_step && parts.backward == nullptr && event.call->start > node.end && step == nullptr) {
      step = event.call;
    }
  }
  if (backward == nullptr || step == nullptr || (helper != nullptr && helper->module != site.module)) {
    return false;
  }
  const Expr *const receiver = receiver_of(*backward);
  const bool is_accelerated = receiver != nullptr && model::kind_of(receiver) == Kind::Accelerator;
  const bool is_distributed_here = is_accelerated || runs_distributed(site, node) ||
                                   (helper != nullptr && runs_distributed(site_of(site, *backward), *helper->node));
  constexpr std::string_view kExcuses[] = {"no_sync", "grad_sync", "accumulate("};
  if (!is_distributed_here || function_has_word(site, kExcuses) ||
      (helper != nullptr && reaches_word(site, node, kExcuses))) {
    return false;
  }
  Finding &finding = report(
      site, *backward,
      "gradients are accumulated over several batches, but exchanged between the devices after each of them",
      is_accelerated ? "run each batch inside `with accelerator.accumulate(model):`, or all but the last inside "
                       "`with accelerator.no_sync(model):`"
                     : "run all but the last forward and backward pass of an update inside `with model.no_sync():`");
  add_note(finding, site, *step, "the optimizer steps only here");
  return true;
}

// `if (i + 1) % n != 0: continue` of the loop, after a place of its body; null if there is none.
const If *skips_after(const Node &loop, const model::FunctionInfo &function, const Node &place) {
  const auto *statement = as<For>(&loop);
  if (statement == nullptr) {
    return nullptr;
  }
  for (const Stmt *one : statement->body) {
    const auto *branch = as<If>(one);
    if (branch != nullptr && branch->start > place.end && !branch->body.empty() &&
        branch->body.back()->kind == NodeKind::Continue && counted_by(*branch, function) != nullptr) {
      return branch;
    }
  }
  return nullptr;
}

// accelerator.backward(loss) in every iteration, and a step in every n-th, also through functions: Accelerate exchanges
// gradients unless `accumulate()` or `no_sync()` tell it that more is to come.
void check_accelerated(Site &site, const Call &call) {
  if (site.module->is_test || site.function == nullptr || enclosing(site, NodeKind::If) != nullptr ||
      project_has_word(site, {"no_sync", "grad_sync", "accumulate(", "sync_gradients", "GradientAccumulationPlugin"})) {
    return;
  }
  // What says how many batches make a step is DP831's: `Accelerator(gradient_accumulation_steps=n)`.
  const model::Value accelerator = value_of(site, receiver_of(call));
  if (accelerator.maker() != nullptr &&
      !argument_of(site_of(site, *accelerator.maker()), *accelerator.maker(), ~0U, "gradient_accumulation_steps")
           .is_absent()) {
    return;
  }
  // The loop may be in a function that leads here.
  constexpr u32 kMostCalls = 3;
  const TrainingStep *around = &step_around(site, call);
  const Call *place = &call;
  for (u32 i = 0; i < kMostCalls && around->function != nullptr && around->node->kind == NodeKind::FunctionDef &&
                  around->function->called_by.size() == 1;
       ++i) {
    const model::CallSite &caller = *around->function->called_by[0];
    place = caller.call;
    around = &step_around(site_at(site, caller), *place);
  }
  const TrainingStep &step = *around;
  if (step.function == nullptr || step.node->kind != NodeKind::For) {
    return;
  }
  const If *const skip = contains(step.node, place) ? skips_after(*step.node, *step.function, *place) : nullptr;
  const Site there = place == &call ? site : site_of(site, *place);
  const std::vector<StepEvent> events = skip != nullptr ? events_inside(there, *step.node) : std::vector<StepEvent>{};
  constexpr std::string_view kSteps[] = {".step("};
  const bool steps_before = std::ranges::any_of(events, [&](const StepEvent &event) {
    return event.call->end < skip->start &&
           (event.what == StepEvent::What::Helper || event.what == StepEvent::What::Other) &&
           reaches_word(there, *event.call, Words(kSteps));
  });
  if (steps_before) {
    return; // what steps in every iteration is a function
  }
  const Node *test = nullptr;
  for (const PlacedEvent &one : step.events) {
    if (one.event.what == StepEvent::What::Step || one.event.what == StepEvent::What::ScalerStep) {
      const bool is_tested = one.event.test != nullptr && counted_by(*one.event.test, *one.tested_in) != nullptr;
      const bool is_skipped = skip != nullptr && (one.function != step.function || one.event.call->start > skip->end);
      if (one.is_repeated || (!is_tested && !is_skipped)) {
        return; // it steps in every iteration
      }
      test = is_tested ? one.event.test->test : skip->test;
    }
  }
  const bool is_reported = std::ranges::any_of(site.findings, [&](const Finding &finding) {
    return finding.rule == &site.rule->info && finding.file == site.module->file && finding.span.start == call.start;
  });
  if (test == nullptr || is_reported) {
    return;
  }
  Finding &finding =
      report(site, call,
             "gradients are accumulated over several batches, but exchanged between the devices after each of them",
             "run each batch inside `with accelerator.accumulate(model):`, or all but the last inside "
             "`with accelerator.no_sync(model):`");
  if (contains(step.node, test)) {
    finding.notes.push_back({step.function->module->file, test->span(), "the optimizer steps only here"});
  }
}

void check(Site &site, const Node &node) {
  const model::Loop *const loop = site.project.loop_at(&node);
  if (loop == nullptr || !loop->trains || !site.module->torch || site.module->is_test) {
    return;
  }
  if (check_inner_loop(site, node)) {
    return;
  }
  const Call *backward = nullptr;
  const model::FunctionInfo *helper = nullptr; // that has it, if it is not the loop itself
  const If *test = nullptr;
  const std::vector<StepEvent> events = events_inside(site, node);
  for (const StepEvent &event : events) {
    using What = StepEvent::What;
    // A method of the project may be called backward(), too.
    const bool is_helper = event.what == What::Helper || called_function(site, *event.call) != nullptr;
    const HelperParts parts = is_helper ? parts_of_helper(site, *event.call) : HelperParts{};
    const bool is_step = event.what == What::Step || event.what == What::ScalerStep || parts.steps;
    if (is_helper && !parts.is_known) {
      return;
    }
    if (is_step) {
      const auto *branch = as<If>(event.block);
      if (branch == nullptr || counted_by(*branch, *site.function) == nullptr || parts.backward != nullptr) {
        return; // it steps in every iteration
      }
      test = branch;
    } else if (parts.backward != nullptr && backward == nullptr && event.block == &node) {
      backward = parts.backward;
      helper = parts.function;
    } else if (!is_helper && (event.what == What::Backward || event.what == What::ScaledBackward) &&
               backward == nullptr && event.block == &node) {
      backward = event.call;
    }
  }
  constexpr std::string_view kExcuses[] = {"no_sync", "grad_sync", "accumulate("};
  if (backward == nullptr || test == nullptr || (helper == nullptr && contains(test, backward)) ||
      node_has_word(site, node, kExcuses) || (helper != nullptr && reaches_word(site, node, kExcuses))) {
    return;
  }
  const Site there = helper != nullptr ? site_of(site, *backward) : site;
  if (!runs_distributed(site, node) && (helper == nullptr || !runs_distributed(there, *helper->node))) {
    return;
  }
  if (helper != nullptr && helper->module != site.module) {
    return; // a finding stands in the file of its loop
  }
  Finding &finding =
      report(site, *backward,
             "gradients are accumulated over several batches, but exchanged between the devices after each of them",
             "run all but the last forward and backward pass of an update inside `with model.no_sync():`");
  add_note(finding, site, *test->test, "the optimizer steps only here");
}

} // namespace

extern constinit const Rule kSyncEveryMicroBatch = {
    .info = {.code = "DP440",
             .name = "sync-every-micro-batch",
             .summary = "gradient accumulation with `DistributedDataParallel` and without `no_sync()`",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that runs a model of `DistributedDataParallel` backwards in every iteration and steps the optimizer only in every n-th, without `no_sync()`; and the same with Accelerate, where neither `accumulate()` nor `no_sync()` is used.

## Why it costs

`backward()` of such a model adds up the gradients of all devices. With accumulation only the sum at the end is needed, so n - 1 of n exchanges are wasted.

## Bad

```python
import torch
from torch.nn.parallel import DistributedDataParallel


def train(net: torch.nn.Module, loader, loss_function, n: int):
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y) / n
        loss.backward()
        if (i + 1) % n == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## Good

```python
import contextlib

import torch
from torch.nn.parallel import DistributedDataParallel


def train(net: torch.nn.Module, loader, loss_function, n: int):
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        is_last = (i + 1) % n == 0
        with contextlib.nullcontext() if is_last else model.no_sync():
            loss = loss_function(model(x), y) / n
            loss.backward()
        if is_last:
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

Where the exchange is hidden behind the backward pass anyway, as for small models on fast links.

## References

- PyTorch: `DistributedDataParallel.no_sync`
)"},
    .calls = "Accelerator.backward",
    .on_call = check_accelerated,
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::sync_every_micro_batch
