#include "model/bind.h"
#include "model/variance.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::hook_in_step {

using namespace python;

namespace {

// The object that the expression is, or is a part of: of `self.net.layers[0]` and of what a loop takes from
// `net.layers`, `self` and `net`.
const Name *root_of(const Site &site, const Expr *expr) {
  constexpr u32 kMostLoops = 3;
  const Name *root = model::root_name(expr);
  for (u32 i = 0; root != nullptr && i < kMostLoops; ++i) {
    const Name *around = nullptr;
    for (const Node *node : site.ancestors) {
      const auto *loop = as<For>(node);
      const auto *target = loop != nullptr ? as<Name>(loop->target) : nullptr;
      const auto *call = target != nullptr ? as<Call>(loop->iter) : nullptr; // net.modules()
      if (target != nullptr && target->id == root->id) {
        around = model::root_name(call != nullptr ? receiver_of(*call) : loop->iter);
      }
    }
    if (around == nullptr) {
      break;
    }
    root = around;
  }
  return root;
}

// Is it the same module in every call: of the object itself, of the file, or what all callers have under a name?
bool is_same_module(const Site &site, const Expr *owner) {
  const Name *const root = root_of(site, owner);
  if (root == nullptr) {
    return false;
  }
  const auto param = std::ranges::find(site.function->params, root->id, &Param::name);
  if (param == site.function->params.end()) {
    return site.function->slot_of(root->id) == model::FunctionInfo::kNoSlot || loop_around(site) != nullptr;
  }
  const auto place = static_cast<u32>(param - site.function->params.begin());
  return model::is_own_object(*site.function, root) ||
         std::ranges::all_of(site.function->called_by, [place](const model::CallSite *caller) {
           const Expr *const given = model::passed_argument(*caller, place);
           return given != nullptr && (given->kind == NodeKind::Name || given->kind == NodeKind::Attribute);
         });
}

void check(Site &site, const Call &call) {
  const bool is_discarded = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::ExprStmt;
  const Expr *owner = receiver_of(call);
  if (!is_discarded || owner == nullptr || site.module->is_test || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const PlaceContext context = context_of(site);
  if (!context.in_training_step && !context.in_evaluation_step && !in_method(site, Kind::TorchModule, "forward")) {
    return;
  }
  if (!is_same_module(site, owner)) {
    return; // a new one gets its own
  }
  report(site, call,
         fmt::format("every iteration adds one more hook to `{}`, and all of them run in every forward pass",
                     text_of(site, owner)),
         "register it once, before the loop, or call `remove()` on the handle that it returns");
}

} // namespace

extern constinit const Rule kHookInStep = {
    .info = {.code = "DP266",
             .name = "hook-in-step",
             .summary = "a hook that is registered again in every iteration and never removed",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`register_forward_hook()` and similar methods of a module in every step or forward pass, with the handle discarded.

## Why it costs

Hooks stay until their handle's `remove()` is called. After a thousand steps a thousand hooks run in each forward pass, and what they hold stays in memory.

## Bad

```python
import torch


def features(model: torch.nn.Linear, loader, store):
    for x, y in loader:
        model.register_forward_hook(store)
        with torch.no_grad():
            model(x)
```

## Good

```python
import torch


def features(model: torch.nn.Linear, loader, store):
    handle = model.register_forward_hook(store)
    for x, y in loader:
        with torch.no_grad():
            model(x)
    handle.remove()
```

## When it is wrong

Where the hook removes itself.
)"},
    .calls =
        "*.register_forward_hook *.register_forward_pre_hook *.register_full_backward_hook *.register_backward_hook",
    .on_call = check};

} // namespace deepperf::rules::hook_in_step
