#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::clip_before_unscale {

using namespace python;

namespace {

// What the function does with a GradScaler, in the order of its code.
struct ScalerCalls {
  const Call *scaled_backward = nullptr; // the last before the clipping
  const Call *unscale = nullptr;         // the same
  const Call *step = nullptr;            // the first after it
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

void check(Site &site, const Call &call) {
  if (text_of(site, &call).find("scale") != std::string_view::npos) {
    return; // the limit is multiplied by the scale
  }
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block scope = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  ScalerCalls found;
  any_node(scope, [&](const Node *node) {
    const auto *other = as<Call>(node);
    if (other == nullptr) {
      return false;
    }
    const std::string_view method = called_method(*other);
    if (other->start < call.start && is_scaled_backward(*other)) {
      found.scaled_backward = other;
    } else if (other->start < call.start && method == "unscale_") {
      found.unscale = other;
    } else if (found.step == nullptr && other->start > call.end && method == "step" && is_scaler(*other)) {
      found.step = other;
    }
    return false;
  });
  if (found.scaled_backward == nullptr || found.step == nullptr ||
      (found.unscale != nullptr && found.unscale->start > found.scaled_backward->start)) {
    return;
  }
  Finding &finding = report(site, call, "the gradients are clipped while they are still multiplied by the loss scale",
                            "call `scaler.unscale_(optimizer)` before clipping");
  add_note(finding, site, *found.scaled_backward, "scaled here");
  add_note(finding, site, *found.step, "unscaled here");
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
