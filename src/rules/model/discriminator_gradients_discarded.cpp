#include "rules/reach.h"
#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::discriminator_gradients_discarded {

using namespace python;

namespace {

using What = StepEvent::What;

// `fake` of `discriminator(real, fake.detach())`; null if no argument is detached.
const Expr *detached_argument(const Call &call) {
  for (const Expr *arg : call.args) {
    const auto *inner = as<Call>(arg);
    const auto *data = as<Attribute>(arg);
    if (inner != nullptr && called_method(*inner) == "detach") {
      return receiver_of(*inner);
    }
    if (data != nullptr && data->attr.text() == "data") {
      return data->value;
    }
  }
  return nullptr;
}

// Both passes of one model in a step: over the detached output of another one, and over the output itself.
struct Passes {
  const Call *detached = nullptr;
  const Call *attached = nullptr;
};

Passes passes_in(const Site &site, const Node &loop) {
  std::vector<const Call *> calls;
  any_node(&loop, [&](const Node *node) {
    if (const auto *call = as<Call>(node); call != nullptr && !call->args.empty()) {
      calls.push_back(call);
    }
    return false;
  });
  for (const Call *detached : calls) {
    const Expr *const output = detached_argument(*detached);
    const auto *name = as<Name>(output);
    const bool is_method = receiver_of(*detached) != nullptr && called_method(*detached) != "forward" &&
                           model::kind_of(detached->func) != Kind::TorchModule;
    if (name == nullptr || is_method) {
      continue;
    }
    const std::string_view model = text_of(site, detached->func);
    for (const Call *other : calls) {
      const bool is_pass = other != detached && text_of(site, other->func) == model &&
                           std::ranges::any_of(other->args, [&](const Expr *arg) {
                             const auto *given = as<Name>(arg);
                             return given != nullptr && given->id == name->id;
                           });
      if (is_pass) {
        return {.detached = detached, .attached = other};
      }
    }
  }
  return {};
}

void check(Site &site, const Node &node) {
  const model::Loop *const loop = site.project.loop_at(&node);
  if (loop == nullptr || !loop->steps || !site.module->torch || site.module->is_test ||
      file_has_word(site, {"requires_grad", "toggle_grad", "freeze", "toggle_optimizer", "autograd.grad"})) {
    return;
  }
  // Two optimizers that step in the same loop, the discriminator's and the generator's.
  std::vector<StepEvent> backward;
  std::vector<std::string_view> stepped;
  for (const StepEvent &event : events_inside(site, node)) {
    const bool is_part = event.what == What::Backward || event.what == What::ScaledBackward ||
                         event.what == What::Step || event.what == What::ScalerStep;
    if (is_part && event.loop != &node) {
      return; // in loops inside: who knows what belongs together
    }
    if (event.what == What::Backward || event.what == What::ScaledBackward) {
      backward.push_back(event);
    } else if (event.what == What::Step || event.what == What::ScalerStep) {
      const Expr *optimizer = event.what == What::Step   ? receiver_of(*event.call)
                              : event.call->args.empty() ? nullptr
                                                         : event.call->args[0];
      const std::string_view text = optimizer != nullptr ? text_of(site, optimizer) : std::string_view{};
      if (std::ranges::find(stepped, text) == stepped.end()) {
        stepped.push_back(text);
      }
    } else if (event.what == What::Helper) {
      return;
    }
  }
  constexpr std::size_t kTwo = 2;
  if (stepped.size() < kTwo || backward.size() < kTwo) {
    return;
  }
  const Passes passes = passes_in(site, node);
  if (passes.attached == nullptr) {
    return;
  }
  // The first backward pass after the model ran on the output itself is the generator's.
  const auto generator = std::ranges::find_if(
      backward, [&](const StepEvent &event) { return event.call->start > passes.attached->start; });
  if (generator == backward.end()) {
    return;
  }
  const std::string_view name = text_of(site, passes.attached->func);
  Finding &finding = report(
      site, *generator->call,
      fmt::format("this backward pass also computes gradients of all weights of `{}`, which no optimizer uses", name),
      fmt::format("freeze it for the generator's pass: `{}.requires_grad_(False)` before, `True` after", name));
  add_note(finding, site, *passes.attached, fmt::format("the generator's loss goes through `{}` here", name));
  add_note(finding, site, *passes.detached, fmt::format("`{}` is trained on the detached output", name));
}

} // namespace

extern constinit const Rule kDiscriminatorGradientsDiscarded = {
    .info = {.code = "DP263",
             .name = "discriminator-gradients-discarded",
             .summary = "a generator step that computes the discriminator's gradients, which nothing uses",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that trains two networks against each other: one optimizer steps for the loss of `netD(fake.detach())`, and the
other for the loss of `netD(fake)`, while the weights of `netD` require gradients in both.

## Why it costs

The generator's loss needs the gradient with respect to `fake` only. Autograd also computes the gradients of all weights
of the discriminator, and `DistributedDataParallel` synchronizes them. The next `zero_grad()` discards them.

## Bad

```python
import torch


def train(netG: torch.nn.Module, netD: torch.nn.Module, loader, criterion, optG: torch.optim.Optimizer, optD: torch.optim.Optimizer):
    for real, noise in loader:
        fake = netG(noise)
        optD.zero_grad()
        loss_d = criterion(netD(real), 1) + criterion(netD(fake.detach()), 0)
        loss_d.backward()
        optD.step()
        optG.zero_grad()
        loss_g = criterion(netD(fake), 1)
        loss_g.backward()
        optG.step()
```

## Good

```python
import torch


def train(netG: torch.nn.Module, netD: torch.nn.Module, loader, criterion, optG: torch.optim.Optimizer, optD: torch.optim.Optimizer):
    for real, noise in loader:
        fake = netG(noise)
        optD.zero_grad()
        loss_d = criterion(netD(real), 1) + criterion(netD(fake.detach()), 0)
        loss_d.backward()
        optD.step()
        optG.zero_grad()
        netD.requires_grad_(False)
        loss_g = criterion(netD(fake), 1)
        loss_g.backward()
        netD.requires_grad_(True)
        optG.step()
```

## When it is wrong

Where the discriminator is small next to the generator, little is saved.

## References

- PyTorch: autograd mechanics, locally disabling gradient computation
)"},
    .nodes = {NodeKind::For, NodeKind::While},
    .on_node = check};

} // namespace deepperf::rules::discriminator_gradients_discarded
