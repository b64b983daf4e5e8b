#include "rules/optax_chain.h"
#include "rules/origins.h"
#include "rules/step_order.h"

#include "base/name_table.h"

namespace deepperf::rules::clip_without_effect {

using namespace python;

namespace {

using What = StepEvent::What;

// What the iteration or function around the clipping does before and after it.
struct Around {
  const StepEvent *clip = nullptr;
  const StepEvent *backward_before = nullptr; // the last
  const StepEvent *backward_after = nullptr;  // the first
  const StepEvent *step_before = nullptr;     // the last
  bool steps_after = false;
  bool zeroes = false;     // in the same block, so whenever it clips
  bool is_unclear = false; // a part is in a function that is called, or in a branch
};

Around look_around(const std::vector<StepEvent> &events, const Call &clip) {
  Around found;
  for (const StepEvent &event : events) {
    found.clip = event.call == &clip ? &event : found.clip;
  }
  if (found.clip == nullptr) {
    return found;
  }
  for (const StepEvent &event : events) {
    if (event.what == What::Other || event.what == What::Schedule) {
      continue;
    }
    const bool is_before = event.call->start < clip.start;
    found.is_unclear |= event.what == What::Helper || (event.what != What::Clip && event.block != found.clip->block);
    switch (event.what) {
    case What::Backward:
    case What::ScaledBackward:
      if (is_before) {
        found.backward_before = &event;
      } else if (found.backward_after == nullptr) {
        found.backward_after = &event;
      }
      break;
    case What::Step:
    case What::ScalerStep:
      if (is_before) {
        found.step_before = &event;
      } else {
        found.steps_after = true;
      }
      break;
    case What::ZeroGrad:
      found.zeroes = true;
      break;
    default:
      break;
    }
  }
  return found;
}

// optax.chain(optax.adam(…), optax.clip_by_global_norm(…)): what is clipped is the update, not the gradient.
void check_chain(Site &site, const Call &call) {
  for (const Chain &chain : chains_of(site, call)) {
    const ChainPart *optimizer = nullptr;
    for (const ChainPart &part : chain) {
      if (part.what == Transformation::Optimizer) {
        optimizer = &part;
      } else if (optimizer != nullptr && part.what == Transformation::Clip) {
        Site there = site_of_origin(site, *part.function);
        Finding &finding =
            report(there, *part.expr,
                   "this clips the update that the optimizer has computed, not the gradient: it comes "
                   "after the optimizer in the chain",
                   "move it before the optimizer: `optax.chain(optax.clip_by_global_norm(…), optax.adam(…))`");
        add_note(finding, site_of_origin(site, *optimizer->function), *optimizer->expr, "the optimizer");
        return;
      }
    }
  }
}

// The same where functions do the parts of the step: `self.opt.step()`, and then `self.clip()`.
void check_across(Site &site, const Call &call) {
  const PlacedEvent *clip = nullptr;
  const PlacedEvent *backward = nullptr;
  const PlacedEvent *step = nullptr;
  bool zeroes = false;
  const TrainingStep &around = step_around(site, call);
  for (const PlacedEvent &one : around.events) {
    const What what = one.event.what;
    const bool is_backward = what == What::Backward || what == What::ScaledBackward;
    const bool is_step = what == What::Step || what == What::ScalerStep;
    zeroes |= what == What::ZeroGrad;
    if (one.event.call == &call) {
      if (clip != nullptr || one.is_repeated) {
        return;
      }
      clip = &one;
    } else if ((is_backward || is_step || what == What::Unscale) &&
               (clip != nullptr || one.event.test != nullptr || one.is_repeated)) {
      return; // more follows, or not in every step
    } else if (is_backward) {
      if (backward != nullptr || step != nullptr) {
        return;
      }
      backward = &one;
    } else if (is_step) {
      if (backward == nullptr || step != nullptr) {
        return;
      }
      step = &one;
    }
  }
  if (clip == nullptr || step == nullptr || !zeroes) {
    return;
  }
  Finding &finding = report(site, call, "clipping has no effect here: the optimizer has already used the gradients",
                            "clip between `backward()` and the optimizer's `step()`");
  finding.notes.push_back({step->function->module->file, step->event.call->span(), "the gradients are used here"});
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "optax.chain") {
    return check_chain(site, call);
  }
  const model::Loop *loop = loop_around(site);
  const Node *place = loop != nullptr ? loop->node : site.function->node;
  const auto *statement = site.ancestors.empty() ? nullptr : as<ExprStmt>(site.ancestors.back());
  if (place == nullptr || statement == nullptr || (loop == nullptr && !site.function->in_loop)) {
    return; // whoever takes the norm may want only that
  }
  const std::vector<StepEvent> events = events_inside(site, *place);
  const Around found = look_around(events, call);
  if (found.clip == nullptr || found.is_unclear || !found.zeroes) {
    check_across(site, call);
    return;
  }
  const bool is_late = found.backward_before != nullptr && found.step_before != nullptr &&
                       found.step_before->call->start > found.backward_before->call->start && !found.steps_after &&
                       found.backward_after == nullptr;
  const bool is_early = found.backward_before == nullptr && found.backward_after != nullptr && found.steps_after &&
                        found.step_before == nullptr;
  if (is_late) {
    Finding &finding = report(site, call, "clipping has no effect here: the optimizer has already used the gradients",
                              "clip between `backward()` and the optimizer's `step()`");
    add_note(finding, site, *found.step_before->call, "the gradients are used here");
  } else if (is_early) {
    Finding &finding = report(site, call, "clipping has no effect here: the gradients are not computed yet",
                              "clip between `backward()` and the optimizer's `step()`");
    add_note(finding, site, *found.backward_after->call, "they are computed here");
  }
}

} // namespace

extern constinit const Rule kClipWithoutEffect = {
    .info = {.code = "DP865",
             .name = "clip-without-effect",
             .summary = "gradients clipped after the step that uses them, or before they are computed",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`clip_grad_norm_` or `clip_grad_value_` in a training step after `optimizer.step()`, or before `backward()`, where the gradients are set to zero in
the same step. Also a clipping in `optax.chain` after the optimizer, whether the parts are written there, come from functions or a table of
them, or from a list that is built step by step.

## Why it is wrong

Clipping changes the gradients that exist at that moment. After the step nothing reads them anymore, and before `backward()` they are zero:
large gradients reach the weights unclipped.

## Bad

```python
import torch


def train(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
```

## Good

```python
import torch


def train(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
```

## When it is wrong

No such case is known. Where the returned norm is used, the rule is silent.

## References

- PyTorch documentation, `torch.nn.utils.clip_grad_norm_`
)"},
    .calls = "torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_value_ torch.nn.utils.clip_grad_norm "
             "optax.chain",
    .on_call = check};

} // namespace deepperf::rules::clip_without_effect
