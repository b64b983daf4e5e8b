#include "rules/step_order.h"

#include "python/children.h"

#include <fmt/format.h>

#include <vector>

namespace deepperf::rules::detached_from_optimizer {

using namespace python;

namespace {

using What = StepEvent::What;

// The module whose parameters the optimizer has, as the code around the step writes it; null if that is not known.
const Expr *module_of(const Site &site, const Expr *optimizer) {
  const model::Value value = value_of(site, optimizer);
  if (!value.is_kind(Kind::TorchOptimizer) || value.maker() == nullptr || value.alternatives != nullptr || value.many ||
      value.open) {
    return nullptr;
  }
  const Site there = site_of(site, *value.maker());
  const auto *parameters = as<Call>(argument(*value.maker(), 0, "params"));
  const Expr *module =
      parameters != nullptr && called_method(*parameters) == "parameters" ? receiver_of(*parameters) : nullptr;
  const auto *attribute = as<Attribute>(module);
  const bool is_of_self = attribute != nullptr && attribute->value->kind == NodeKind::Name && there.type != nullptr &&
                          there.type == site.type && optimizer->kind == NodeKind::Attribute;
  const bool is_name = module != nullptr && module->kind == NodeKind::Name &&
                       (there.function == site.function || there.function == there.module->body) &&
                       there.module == site.module;
  return is_of_self || is_name ? module : nullptr;
}

// How a loss depends on the module.
class Dependence {
public:
  Dependence(const Site &site, std::string_view module) : site_(site), module_(module) {}

  const Node *detached = nullptr; // where the module's result loses its graph
  bool is_attached = false;
  bool is_unknown = false;

  void visit(const Expr *expr, const Node *cut, u32 depth) {
    constexpr u32 kMostDepth = 24;
    if (depth > kMostDepth) {
      is_unknown = true;
      return;
    }
    if (text_of(site_, expr) == module_) {
      note(cut);
      return;
    }
    switch (expr->kind) {
    case NodeKind::Call:
      return visit_call(static_cast<const Call &>(*expr), cut, depth);
    case NodeKind::Name:
      return visit_name(static_cast<const Name &>(*expr), cut, depth);
    case NodeKind::Attribute: {
      const auto &attribute = static_cast<const Attribute &>(*expr);
      const bool is_data = attribute.attr.text() == "data";
      if (!is_data && model::has_grad(expr) && cut == nullptr) {
        is_unknown = true;
        return;
      }
      return is_data ? visit(attribute.value, cut != nullptr ? cut : expr, depth + 1) : void();
    }
    case NodeKind::Lambda:
    case NodeKind::ListComp:
    case NodeKind::GeneratorExp:
    case NodeKind::IfExp:
      is_unknown = true;
      return;
    default:
      for_each_child(expr, [&](const Node *child) {
        if (child->kind < NodeKind::FunctionDef) {
          visit(static_cast<const Expr *>(child), cut, depth + 1);
        }
      });
    }
  }

private:
  void note(const Node *cut) {
    if (cut == nullptr) {
      is_attached = true;
    } else {
      detached = cut;
    }
  }

  void visit_arguments(const Call &call, const Node *cut, u32 depth) {
    for (const Expr *arg : call.args) {
      visit(arg, cut, depth + 1);
    }
    for (const Keyword *keyword : call.keywords) {
      visit(keyword->value, cut, depth + 1);
    }
  }

  void visit_call(const Call &call, const Node *cut, u32 depth) {
    const Expr *receiver = receiver_of(call);
    const std::string_view method = called_method(call);
    if (receiver != nullptr && (method == "detach" || method == "item")) {
      visit(receiver, cut != nullptr ? cut : &call, depth + 1);
      return;
    }
    if (text_of(site_, call.func) == module_) {
      note(cut);
      visit_arguments(call, cut, depth);
      return;
    }
    const Kind callee = model::kind_of(call.func);
    const std::string_view api = called_api(site_, call);
    const bool is_api = !api.empty();
    if (api == "torch.tensor" || api == "torch.as_tensor" || api.ends_with("Tensor") || api.ends_with(".Variable")) {
      is_unknown = true; // a copy of the loss itself is another mistake: graph-cut-by-copy
      return;
    }
    if (is_api || callee == Kind::TorchModule || callee == Kind::TorchLoss) {
      visit_arguments(call, cut, depth);
    } else if (receiver != nullptr && model::kind_of(receiver) == Kind::TorchTensor) {
      visit(receiver, cut, depth + 1);
      visit_arguments(call, cut, depth);
    } else {
      is_unknown |= cut == nullptr;
    }
  }

  void visit_name(const Name &name, const Node *cut, u32 depth) {
    const Expr *written = last_assigned(site_, name);
    if (written != nullptr && !contains(written, &name) && written->end <= name.start) {
      visit(written, cut, depth + 1);
    } else {
      is_unknown |= cut == nullptr && model::has_grad(&name);
    }
  }

  const Site &site_;
  std::string_view module_;
};

// For each event the one backward() since the gradients were cleared; null if there are none or several, or if a
// function that trains was called before it.
struct OnlyBackward {
  std::vector<const StepEvent *> of;
};

OnlyBackward only_backward(const std::vector<StepEvent> &events) {
  OnlyBackward found;
  const StepEvent *backward = nullptr;
  u32 count = 0;
  bool is_known = true;
  for (const StepEvent &event : events) {
    found.of.push_back(is_known && count == 1 ? backward : nullptr);
    if (event.what == What::ZeroGrad) {
      count = 0;
    } else if (event.what == What::Backward) {
      ++count;
      backward = &event;
    } else if (event.what == What::Helper) {
      is_known = false;
    }
  }
  return found;
}

// The one backward() whose gradients the step uses; null if there are several, or it is not known.
const StepEvent *backward_before(const Site &site, const Call &step) {
  const std::vector<StepEvent> &events = step_events(site);
  const OnlyBackward &before = site.memory.recall<OnlyBackward>(&events, [&] { return only_backward(events); });
  const std::size_t here = place_of_event(site, step);
  const StepEvent *backward = here < events.size() ? before.of[here] : nullptr;
  return backward != nullptr && backward->block == events[here].block ? backward : nullptr;
}

void check(Site &site, const Call &call) {
  const Expr *optimizer = receiver_of(call);
  const Expr *module = module_of(site, optimizer);
  const StepEvent *backward = module != nullptr ? backward_before(site, call) : nullptr;
  if (backward == nullptr || site.module->is_test) {
    return;
  }
  const Site there = site_of(site, *value_of(site, optimizer).maker());
  const std::string written(text_of(there, module));
  const Expr *loss = receiver_of(*backward->call);
  Dependence dependence(site, written);
  dependence.visit(loss, nullptr, 0);
  if (dependence.detached == nullptr || dependence.is_attached || dependence.is_unknown) {
    return;
  }
  Finding &finding =
      report(site, *dependence.detached,
             fmt::format("the output of `{}` is detached, so the loss that `{}` minimizes computes no gradient for it",
                         written, text_of(site, optimizer)),
             "pass it without `detach()`");
  add_note(finding, site, *backward->call, "the gradients are computed here");
  add_note(finding, site, call, "this step has no gradients to use");
}

} // namespace

extern constinit const Rule kDetachedFromOptimizer = {
    .info = {.code = "DP877",
             .name = "detached-from-optimizer",
             .summary = "an optimizer whose only loss depends on detached outputs of its module",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

An optimizer for one module that steps after the `backward()` of a loss that depends on that module only through `detach()`, `.data` or
`item()`.

## Why it is wrong

`detach()` cuts the autograd graph: `backward()` computes no gradient for the module, and the step changes nothing. A generator or actor
whose own loss uses detached outputs never learns. Only the loss of the other network, the discriminator or critic, should use them.

## Bad

```python
import torch
from torch import nn

generator, critic = nn.Linear(8, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam(generator.parameters())


def step(noise):
    fake = generator(noise)
    loss = -critic(fake.detach()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good

```python
import torch
from torch import nn

generator, critic = nn.Linear(8, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam(generator.parameters())


def step(noise):
    fake = generator(noise)
    loss = -critic(fake).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it is wrong

Where the loss depends on the module in a way that the rule does not see.

## References

- PyTorch documentation, `torch.Tensor.detach`
)"},
    .calls = "TorchOptimizer.step",
    .on_call = check};

} // namespace deepperf::rules::detached_from_optimizer
