#include "rules/half_precision.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::autocast_without_scaler {

using namespace python;

namespace {

// Anything that may scale the loss: a scaler under whatever name, or a library that has one of its own.
bool may_scale(const Site &site) {
  return file_has_word_in_any_case(site, {"scale_loss", "scaler.", "scaler(", "scaler =", "deepspeed", "accelerat",
                                          "fabric", "lightning", "loss_scale", "loss_scaling"});
}

// A file that names both types may choose the one that needs no scaling, unless it is known which one is meant.
bool may_be_bfloat16(const Site &site, const Call &call) {
  const Expr *const dtype = argument(call, 1, "dtype");
  return file_has_word_in_any_case(site, {"bfloat16"}) && (dtype == nullptr || value_of(site, dtype).open);
}

// Somewhere in the project, for whoever makes the optimizer.
bool project_may_scale(const Site &site) {
  return project_has_word_in_any_case(site, {"scale_loss", "scaler.", "scaler(", "scaler =", "deepspeed"});
}

// `optimizer.backward(loss)`: an object that runs the backward pass may scale the loss, as those of FairSeq and
// DeepSpeed do.
bool is_given_loss(const Call &backward) { return !backward.args.empty(); }

// The calls of backward() of a function, in the order of its code.
struct Backwards {
  std::vector<const Call *> calls;
};

// The first one after the call, in the same function.
const Call *backward_after(const Site &site, const Call &call) {
  const auto &found = site.memory.recall<Backwards>(site.function, [&] {
    Backwards backwards;
    const FunctionDef *definition = site.function->definition();
    any_node(definition != nullptr ? definition->body : site.module->parsed->tree.body, [&](const Node *node) {
      const auto *other = as<Call>(node);
      if (other != nullptr && called_method(*other) == "backward" && !is_given_loss(*other) &&
          model::kind_of(receiver_of(*other)) == Kind::TorchTensor) {
        backwards.calls.push_back(other);
      }
      return false;
    });
    std::ranges::sort(backwards.calls, {}, &Call::start);
    return backwards;
  });
  const auto next = std::ranges::upper_bound(found.calls, call.start, {}, &Call::start);
  return next != found.calls.end() ? *next : nullptr;
}

// A function that returns what it computes under autocast: the backward() of a caller that takes it, after the call.
const Call *backward_of_caller(const Site &site) {
  if (site.function->node == nullptr || site.function->trains) {
    return nullptr;
  }
  for (const model::CallSite *caller : site.function->called_by) {
    if (caller->caller->module != site.module || !caller->caller->trains) {
      continue;
    }
    Site there = site;
    there.function = caller->caller;
    if (const Call *backward = backward_after(there, *caller->call)) {
      return backward;
    }
    // backward() in another function, which is given the loss.
    for (const PlacedEvent &one : step_around(there, *caller->call).events) {
      if (one.event.what == StepEvent::What::Backward && one.function->module == site.module &&
          one.function != site.function && one.function != caller->caller && !is_given_loss(*one.event.call)) {
        return one.event.call;
      }
    }
  }
  return nullptr;
}

// The backward pass of a step that computes its loss under autocast at the place.
const Call *backward_of(const Site &site, const Call &call) {
  if (!site.function->trains) {
    return backward_of_caller(site);
  }
  if (const Call *backward = backward_after(site, call)) {
    return backward;
  }
  // In a function that is given the loss.
  for (const PlacedEvent &one : step_around(site, call).events) {
    if (one.event.what == StepEvent::What::Backward && one.function->module == site.module &&
        one.function != site.function && !is_given_loss(*one.event.call)) {
      return one.event.call;
    }
  }
  return nullptr;
}

// `def context(self): return torch.autocast("cuda", …)`: the backward pass of those who write `with self.context():`.
const Call *backward_of_users(const Site &site) {
  for (const model::CallSite *caller : site.function->called_by) {
    const Site there = site_at(site, *caller->caller, *caller->call);
    const bool is_entered = !there.ancestors.empty() && there.ancestors.back()->kind == NodeKind::With;
    const bool is_here = caller->caller->module == site.module && is_entered && !under_no_grad(there);
    if (const Call *backward = is_here ? backward_of(there, *caller->call) : nullptr) {
      return backward;
    }
  }
  return nullptr;
}

void check(Site &site, const Call &call) {
  const NodeKind around = site.ancestors.empty() ? NodeKind::Pass : site.ancestors.back()->kind;
  const bool is_returned = around == NodeKind::Return && site.function->node != nullptr;
  if ((around != NodeKind::With && !is_returned) || has_hidden_arguments(call) || !is_float16_autocast(site, call) ||
      (!is_returned && under_no_grad(site))) {
    return;
  }
  const Call *const backward = is_returned ? backward_of_users(site) : backward_of(site, call);
  if (backward == nullptr || may_scale(site) || may_be_bfloat16(site, call)) {
    return;
  }
  Finding &finding = report(site, call, "float16 autocast without a `GradScaler`: small gradients underflow to zero",
                            "scale the loss with `scaler.scale(loss).backward()`, `scaler.step(optimizer)` and "
                            "`scaler.update()`, or pass `dtype=torch.bfloat16` to autocast");
  add_note(finding, site, *backward, "the loss is not scaled here");
  if (project_may_scale(site)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kAutocastWithoutScaler = {
    .info = {.code = "DP501",
             .name = "autocast-without-scaler",
             .summary = "training under float16 autocast without scaling the loss",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A training step under `torch.autocast` in float16, the default for CUDA, whose `backward()` is not scaled, in a file
that has no gradient scaler. Where another file of the project has one, it is only a hint.

## Why it costs

float16 has no numbers between zero and 6e-8. Smaller gradients underflow to zero: training slows down, stalls or gives
a worse model, and the time saved per step is lost in more steps. A `GradScaler` multiplies the loss so that the
gradients stay in range, and divides them again before the optimizer step. bfloat16 has the range of float32 and needs
no scaler.

## Bad

```python
import torch

def train(model, loader, optimizer, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch

def train(model, loader, optimizer, criterion):
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = criterion(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
```

## When it is wrong

Where other code scales the loss, or where gradients are known to be large enough. The scaler is
`torch.amp.GradScaler("cuda")`; PyTorch 2.4 deprecated `torch.cuda.amp.GradScaler`.

## References

- PyTorch documentation: automatic mixed precision, gradient scaling
)"},
    .calls = "torch.autocast torch.amp.autocast torch.cuda.amp.autocast torch.amp.autocast_mode.autocast",
    .on_call = check};

} // namespace deepperf::rules::autocast_without_scaler
