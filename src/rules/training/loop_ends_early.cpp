#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::loop_ends_early {

using namespace python;

namespace {

// `return total / n` as the last statement of the loop instead of after it
void check_return(Site &site, const Node &node) {
  const Block &body =
      node.kind == NodeKind::For ? static_cast<const For &>(node).body : static_cast<const While &>(node).body;
  const model::Loop *fact = site.project.loop_at(&node);
  const auto last = std::ranges::find_if(body, [](const Stmt *one) { return one->kind == NodeKind::Return; });
  const auto *result = last != body.end() && last != body.begin() ? as<Return>(*last) : nullptr;
  if (result == nullptr || fact == nullptr || site.module->is_test || result->value == nullptr) {
    return;
  }
  if (!goes_over_data(site, *fact)) {
    return;
  }
  // What it returns is a total that the loop adds to; the first batch alone may be wanted.
  bool is_total = false;
  any_node(body, [&](const Node *inner) {
    const Expr *total = nullptr;
    if (const auto *sum = as<AugAssign>(inner)) {
      total = sum->target;
    } else if (const auto *call = as<Call>(inner); call != nullptr && called_method(*call) == "append") {
      total = receiver_of(*call);
    }
    const auto *name = as<Name>(total);
    is_total = is_total || (name != nullptr && mentions(result->value, name->id));
    return inner->kind == NodeKind::Continue;
  });
  const bool skips = any_node(body, [](const Node *inner) { return inner->kind == NodeKind::Continue; });
  // One step for each call: who wants that calls it a step or a batch.
  const bool trains_once =
      fact->steps && site.function->in_loop &&
      !has_word_in_any_case(site.function->name.text(), {"step", "batch", "one", "iter", "single"});
  if ((!is_total && !trains_once) || skips) {
    return;
  }
  if (!is_total) {
    Finding &finding = report(site, *result, "this returns after the first batch, so the others are never trained on",
                              "move the `return` after the loop");
    add_note(finding, site, node, "the loop over the batches");
    return;
  }
  Finding &finding = report(site, *result, "this returns after the first batch, so the total covers only one batch",
                            "move the `return` after the loop");
  add_note(finding, site, node, "the loop over the batches");
}

bool is_inside(const Node *outer, const Node *inner) { return outer != inner && contains(outer, inner); }

// What loops of a function assign to a name, by where they end; each entry also tells of those before it.
struct InLoops {
  struct Entry {
    u32 end = 0;                      // of the loop
    bool is_sum = false;              // one of the loops adds to the name
    const Assign *computed = nullptr; // the last assignment in the loop that begins last
    const For *loop = nullptr;        // that one
  };
  std::unordered_map<u32, std::vector<Entry>> of; // by name
};

InLoops find_in_loops(const Block &body) {
  InLoops found;
  any_node(body, [&](const Node *node) {
    const auto *over = as<For>(node);
    if (over == nullptr) {
      return false;
    }
    const auto entry = [&](Symbol name) -> InLoops::Entry & {
      std::vector<InLoops::Entry> &all = found.of[name.id];
      if (all.empty() || all.back().loop != over) {
        all.push_back({.end = over->end, .loop = over});
      }
      return all.back();
    };
    any_node(over->body, [&](const Node *inner) {
      const auto *assignment = as<Assign>(inner);
      const auto *target =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      if (target != nullptr) {
        InLoops::Entry &of = entry(target->id);
        of.is_sum = of.is_sum || mentions(assignment->value, target->id);
        of.computed = assignment;
      }
      const auto *sum = as<AugAssign>(inner);
      if (const auto *added = sum != nullptr ? as<Name>(sum->target) : nullptr) {
        entry(added->id).is_sum = true;
      }
      return false;
    });
    return false;
  });
  for (auto &[name, all] : found.of) {
    std::ranges::stable_sort(all, {}, &InLoops::Entry::end);
    for (std::size_t i = 1; i < all.size(); ++i) {
      all[i].is_sum = all[i].is_sum || all[i - 1].is_sum;
      const bool is_earlier = all[i - 1].computed != nullptr && all[i].loop->start < all[i - 1].loop->start;
      if (all[i].computed == nullptr || is_earlier) {
        all[i].computed = all[i - 1].computed;
        all[i].loop = all[i - 1].loop;
      }
    }
  }
  return found;
}

// `loss.backward()` after the loop that computes the loss of each batch
void check_backward(Site &site, const Call &call) {
  const auto *loss = as<Name>(receiver_of(call));
  if (loss == nullptr || site.module->is_test) {
    return;
  }
  const InLoops &loops =
      site.memory.recall<InLoops>(&body_around(site), [&site] { return find_in_loops(body_around(site)); });
  const auto known = loops.of.find(loss->id.id);
  if (known == loops.of.end()) {
    return;
  }
  const auto after = std::ranges::upper_bound(known->second, call.start, {}, &InLoops::Entry::end);
  if (after == known->second.begin() || (after - 1)->computed == nullptr) {
    return;
  }
  const Assign *const computed = (after - 1)->computed;
  const For *const loop = (after - 1)->loop;
  const bool is_sum = (after - 1)->is_sum;
  const model::Loop *fact = site.project.loop_at(loop);
  const Expr *iterated = fact != nullptr ? iterated_by(site, *fact) : nullptr;
  if (iterated == nullptr || is_sum || model::kind_of(iterated) != Kind::TorchDataLoader ||
      !model::has_grad(computed->value)) {
    return;
  }
  const Expr *last = assigned_before(site, loss->id, call.start);
  if (last != computed->value) {
    return;
  }
  Finding &finding =
      report(site, call, "only the loss of the last batch is used: the loop before replaces it in every iteration",
             "move `backward()` and the optimizer's step into the loop");
  add_note(finding, site, *computed, "the loss of each batch is computed here");
}

// `optimizer.step()` after the loop whose iterations clear the gradients
void check_step(Site &site, const Call &call) {
  const std::vector<StepEvent> &events = step_events(site);
  const std::size_t place = place_of_event(site, call);
  if (place >= events.size() || site.module->is_test) {
    return;
  }
  const StepEvent &step = events[place];
  const StepEvent *backward = nullptr;
  const StepEvent *clears = nullptr;
  for (std::size_t i = place; i-- > 0;) {
    const StepEvent &event = events[i];
    if (event.what == StepEvent::What::Step || event.what == StepEvent::What::ScalerStep ||
        event.what == StepEvent::What::Helper || event.what == StepEvent::What::Other) {
      break;
    }
    if (event.what == StepEvent::What::Backward && backward == nullptr) {
      backward = &event;
    }
    if (event.what == StepEvent::What::ZeroGrad && clears == nullptr && event.test == nullptr) {
      clears = &event;
    }
  }
  if (backward == nullptr || clears == nullptr || backward->loop == nullptr || clears->loop != backward->loop ||
      step.loop == backward->loop || is_inside(backward->loop, step.call) || backward->loop->kind != NodeKind::For ||
      receiver_of(*clears->call) == nullptr ||
      text_of(site, receiver_of(*clears->call)) != text_of(site, receiver_of(call))) {
    return;
  }
  const model::Loop *fact = site.project.loop_at(backward->loop);
  const Expr *iterated = fact != nullptr ? iterated_by(site, *fact) : nullptr;
  if (iterated == nullptr || model::kind_of(iterated) != Kind::TorchDataLoader) {
    return;
  }
  Finding &finding = report(site, call, "this steps once after the loop, with the gradients of the last batch only",
                            "move it into the loop, after `backward()`");
  add_note(finding, site, *clears->call, "each iteration clears the gradients of the one before");
}

} // namespace

extern constinit const Rule kLoopEndsEarly = {
    .info = {.code = "DP929",
             .name = "loop-ends-early",
             .summary = "a loop over batches of which only the first or last has an effect",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over a `DataLoader` that returns its total in the first iteration, `backward()` after a loop that computes a new loss in every iteration, and `optimizer.step()` after
a loop that clears the gradients in every iteration.

## Why it is wrong

One level of indentation makes the difference. The evaluation then covers a single batch, or the model learns from one batch per epoch.

## Bad

```python
import torch
from torch.utils.data import DataLoader


def train(model: torch.nn.Module, dataset, optimizer: torch.optim.Optimizer):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
    optimizer.step()
```

## Good

```python
import torch
from torch.utils.data import DataLoader


def train(model: torch.nn.Module, dataset, optimizer: torch.optim.Optimizer):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where the loader has only one batch.
)"},
    .calls = "TorchTensor.backward TorchOptimizer.step",
    .on_call =
        [](Site &site, const Call &call) {
          if (called_method(call) == "backward") {
            check_backward(site, call);
          } else {
            check_step(site, call);
          }
        },
    .nodes = {NodeKind::For, NodeKind::While},
    .on_node = check_return};

} // namespace deepperf::rules::loop_ends_early
