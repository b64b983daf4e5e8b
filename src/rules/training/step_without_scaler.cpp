#include "base/steps.h"
#include "rules/reach.h"
#include "rules/step_order.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::step_without_scaler {

using namespace python;

namespace {

using What = StepEvent::What;

constexpr std::string_view kScalerSteps[] = {"scaler.step", "scaler.unscale_", ".unscale_("};

// Does the function step or unscale with a scaler?
bool unscales(const Site &site) {
  struct Unscales {
    bool value = false;
  };
  const std::vector<StepEvent> &events = step_events(site);
  return site.memory
      .recall<Unscales>(&events,
                        [&] {
                          return Unscales{std::ranges::any_of(events, [](const StepEvent &event) {
                            return event.what == What::ScalerStep || event.what == What::Unscale;
                          })};
                        })
      .value;
}

// The scaled backward pass inside the place that is the last before an event, with no other and no step in between.
const StepEvent *scaled_before(const std::vector<StepEvent> &events, std::size_t here, const Node &place) {
  for (std::size_t i = here; i-- > 0 && contains(&place, events[i].call);) {
    take_steps();
    if (events[i].what == What::ScaledBackward) {
      return &events[i];
    }
    if (events[i].what == What::Backward || events[i].what == What::Step) {
      return nullptr;
    }
  }
  return nullptr;
}

void check(Site &site, const Call &call) {
  const Expr *optimizer = receiver_of(call);
  if (optimizer == nullptr || !is_optimizer(site, optimizer)) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  const Node *place = loop != nullptr ? loop->node : site.function->node;
  if (place == nullptr) {
    return;
  }
  const std::vector<StepEvent> &events = step_events(site);
  const std::size_t here = place_of_event(site, call);
  const StepEvent *scaled = here < events.size() && !unscales(site) ? scaled_before(events, here, *place) : nullptr;
  if (scaled == nullptr || scaled->block != events[here].block || reaches_word(site, *place, kScalerSteps)) {
    return;
  }
  const auto *scale = as<Call>(receiver_of(*scaled->call));
  const std::string_view scaler = text_of(site, receiver_of(*scale));
  Finding &finding =
      report(site, call, "the optimizer steps with gradients that are still multiplied by the loss scale",
             fmt::format("call `{}.step({})`, which unscales the gradients and skips steps with infinite ones", scaler,
                         text_of(site, optimizer)));
  add_note(finding, site, *scaled->call, "scaled here");
  if (model::kind_of(optimizer) != Kind::TorchOptimizer || model::kind_of(receiver_of(*scale)) != Kind::GradScaler) {
    finding.tier = Tier::Hint; // known by their names only
  }
  if (call.args.empty() && call.keywords.empty()) {
    set_fix(finding, false, {replace(call, fmt::format("{}.step({})", scaler, text_of(site, optimizer)))});
  }
}

} // namespace

extern constinit const Rule kStepWithoutScaler = {
    .info = {.code = "DP866",
             .name = "step-without-scaler",
             .summary = "`optimizer.step()` with gradients that a `GradScaler` has scaled",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`optimizer.step()` after `scaler.scale(loss).backward()`, in a function that calls neither `scaler.step()` nor `scaler.unscale_()`.

## Why it is wrong

The gradients are multiplied by the loss scale, which starts at 65536. `scaler.step(optimizer)` divides by it and skips steps whose
gradients are infinite. `optimizer.step()` uses the scaled gradients, so the weights explode; and `scaler.update()` fails, because no
gradients were checked.

## Bad

```python
import torch


def step(model, x, y, loss_function, optimizer):
    scaler = torch.amp.GradScaler("cuda")
    with torch.autocast("cuda"):
        loss = loss_function(model(x), y)
    scaler.scale(loss).backward()
    optimizer.step()
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
    scaler.step(optimizer)
    scaler.update()
```

## When it is wrong

Where the program divides the gradients by the scale itself.

## References

- PyTorch: automatic mixed precision examples
)"},
    .calls = "*.step",
    .on_call = check};

} // namespace deepperf::rules::step_without_scaler
