#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::clip_before_unscale {

using namespace python;

namespace {

// What the function does with a GradScaler, each in the order of its code.
struct ScalerCalls {
  std::vector<const Call *> scaled_backward;
  std::vector<const Call *> unscale;
  std::vector<const Call *> step;
};

bool is_scaler(const Call &call) {
  const Expr *receiver = receiver_of(call);
  return receiver != nullptr && model::kind_of(receiver) == Kind::GradScaler;
}

// `scaler.scale(loss).backward()`
bool is_scaled_backward(const Call &call) {
  const auto *scaled = called_method(call) == "backward" ? as<Call>(receiver_of(call)) : nullptr;
  return scaled != nullptr && called_method(*scaled) == "scale" && is_scaler(*scaled);
}

const ScalerCalls &scaler_calls(const Site &site) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const void *about = definition != nullptr ? static_cast<const void *>(definition) : site.module;
  return site.memory.recall<ScalerCalls>(about, [&] {
    ScalerCalls found;
    any_node(definition != nullptr ? definition->body : site.module->parsed->tree.body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
      if (method == "backward" && is_scaled_backward(*call)) {
        found.scaled_backward.push_back(call);
      } else if (method == "unscale_") {
        found.unscale.push_back(call);
      } else if (method == "step" && is_scaler(*call)) {
        found.step.push_back(call);
      }
      return false;
    });
    for (auto *calls : {&found.scaled_backward, &found.unscale, &found.step}) {
      std::ranges::sort(*calls, {}, &Call::start);
    }
    return found;
  });
}

const Call *last_before(const std::vector<const Call *> &calls, u32 place) {
  const auto next = std::ranges::lower_bound(calls, place, {}, &Call::start);
  return next != calls.begin() ? *(next - 1) : nullptr;
}

// The same where the step is spread over several functions.
void check_around(Site &site, const Call &call) {
  const TrainingStep &step = step_around(site, call);
  const auto place = std::ranges::find_if(step.events, [&](const PlacedEvent &one) { return one.event.call == &call; });
  if (step.function == nullptr || place == step.events.end()) {
    return;
  }
  const PlacedEvent *scaled = nullptr;
  for (auto at = step.events.begin(); at != place; ++at) {
    if (at->event.what == StepEvent::What::ScaledBackward) {
      scaled = &*at;
    } else if (at->event.what == StepEvent::What::Unscale || at->event.what == StepEvent::What::Other ||
               at->event.what == StepEvent::What::Helper) {
      scaled = nullptr;
    }
  }
  const auto stepped = std::find_if(
      place, step.events.end(), [](const PlacedEvent &one) { return one.event.what == StepEvent::What::ScalerStep; });
  if (scaled == nullptr || stepped == step.events.end()) {
    return;
  }
  Finding &finding = report(site, call, "the gradients are clipped while they are still multiplied by the loss scale",
                            "call `scaler.unscale_(optimizer)` before clipping");
  finding.notes.push_back({scaled->function->module->file, scaled->event.call->span(), "scaled here"});
  finding.notes.push_back({stepped->function->module->file, stepped->event.call->span(), "unscaled here"});
}

void check(Site &site, const Call &call) {
  if (text_of(site, &call).find("scale") != std::string_view::npos) {
    return; // the limit is multiplied by the scale
  }
  const ScalerCalls &calls = scaler_calls(site);
  const Call *const scaled_backward = last_before(calls.scaled_backward, call.start);
  const Call *const unscale = last_before(calls.unscale, call.start);
  const auto step = std::ranges::upper_bound(calls.step, call.end, {}, &Call::start);
  if (scaled_backward == nullptr && unscale == nullptr) {
    check_around(site, call);
    return;
  }
  if (scaled_backward == nullptr || step == calls.step.end() ||
      (unscale != nullptr && unscale->start > scaled_backward->start)) {
    return;
  }
  Finding &finding = report(site, call, "the gradients are clipped while they are still multiplied by the loss scale",
                            "call `scaler.unscale_(optimizer)` before clipping");
  add_note(finding, site, *scaled_backward, "scaled here");
  add_note(finding, site, **step, "unscaled here");
}

} // namespace

extern constinit const Rule kClipBeforeUnscale = {
    .info = {.code = "DP827",
             .name = "clip-before-unscale",
             .summary = "gradient clipping before `GradScaler` has unscaled the gradients",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`clip_grad_norm_` or `clip_grad_value_` between `scaler.scale(loss).backward()` and `scaler.step(optimizer)`, with no `scaler.unscale_(optimizer)` before it.

## Why it is wrong

The scale starts at 65536, so almost every gradient exceeds the limit and is clipped. After `scaler.step` divides by the scale, the steps
are far smaller than intended, and they change with the scale.

## Bad

```python
import torch


def step(model, x, y, loss_function, optimizer):
    scaler = torch.amp.GradScaler("cuda")
    with torch.autocast("cuda"):
        loss = loss_function(model(x), y)
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
```

## Good

```python
import torch


def step(model, x, y, loss_function, optimizer):
    scaler = torch.amp.GradScaler("cuda")
    with torch.autocast("cuda"):
        loss = loss_function(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
```

## When it is wrong

Where the limit is multiplied by `scaler.get_scale()`.

## References

- PyTorch: automatic mixed precision examples, gradient clipping
)"},
    .calls = "torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_norm torch.nn.utils.clip_grad_value_",
    .on_call = check};

} // namespace deepperf::rules::clip_before_unscale
