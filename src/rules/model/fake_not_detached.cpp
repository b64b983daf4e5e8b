#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::fake_not_detached {

using namespace python;

namespace {

struct Shared {
  const Call *reads = nullptr; // D(fake)
  const Call *makes = nullptr; // fake = G(noise)
  const Name *value = nullptr; // fake
};

// `D(fake)` in what the loss was computed from, where `fake` is what another model gave.
Shared shared_in(const Site &site, const Expr *loss, u32 depth = 0) {
  Shared found;
  any_node(static_cast<const Node *>(loss), [&](const Node *node) {
    if (const auto *name = as<Name>(node); name != nullptr && depth < 3) {
      const Expr *const value = assigned_before(site, name->id, name->start);
      if (value != nullptr) {
        found = shared_in(site, value, depth + 1);
      }
      return found.reads != nullptr;
    }
    const auto *call = as<Call>(node);
    const auto *value = call != nullptr && call->args.size() == 1 ? as<Name>(call->args[0]) : nullptr;
    if (value == nullptr || (call->func->kind != NodeKind::Name && call->func->kind != NodeKind::Attribute)) {
      return false;
    }
    const auto *maker = as<Call>(assigned_before(site, value->id, call->start));
    const Kind reader = model::kind_of(call->func);
    const Kind made_by = maker != nullptr ? model::kind_of(maker->func) : Kind::Unknown;
    const auto may_be_model = [](Kind kind) { return kind == Kind::TorchModule || kind == Kind::Unknown; };
    if (maker == nullptr || site.project.callee_of(maker).is(model::Value::Tag::ApiMethod) || !may_be_model(reader) ||
        !may_be_model(made_by) || !called_api(site, *call).empty() || !called_api(site, *maker).empty() ||
        (maker->func->kind != NodeKind::Name && maker->func->kind != NodeKind::Attribute) ||
        text_of(site, maker->func) == text_of(site, call->func)) {
      return false;
    }
    found = {call, maker, value};
    return true;
  });
  return found;
}

// Does the optimizer hold the parameters of one model, and not those of the other? Where nobody says, what it is called
// does not matter: a second optimizer steps later.
bool holds_only(const Site &site, const Expr *optimizer, std::string_view model, std::string_view other) {
  const model::Value value = value_of(site, optimizer);
  if (value.call == nullptr || !value.is_kind(Kind::TorchOptimizer)) {
    return true;
  }
  const Site there = site_of(site, *value.call);
  const std::string_view text = text_of(there, value.call);
  const auto last = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
  return text.find(std::string(last(model)) + ".") != std::string_view::npos &&
         text.find(std::string(last(other)) + ".") == std::string_view::npos;
}

// loss.backward(retain_graph=True), and then a step of the model that only reads what the other one made.
void check(Site &site, const Call &call) {
  const Keyword *const retains = keyword_argument(call, "retain_graph");
  const Expr *const loss = receiver_of(call);
  const auto *statement = site.ancestors.empty() ? nullptr : as<ExprStmt>(site.ancestors.back());
  if (retains == nullptr || bool_of(site, retains->value) != true || loss == nullptr || statement == nullptr ||
      under_no_grad(site)) {
    return;
  }
  const Shared shared = shared_in(site, loss);
  if (shared.reads == nullptr) {
    return;
  }
  // What follows in the same function: step() of this model, then another loss that reads the same tensor.
  const Call *step = nullptr;
  const Call *again = nullptr;
  const Call *second = nullptr;
  any_node(body_around(site), [&](const Node *node) {
    const auto *other = as<Call>(node);
    if (other == nullptr || other->start <= call.end) {
      return false;
    }
    const std::string_view method = called_method(*other);
    if (method == "step" && step == nullptr && other->args.empty()) {
      step = other;
    } else if (step != nullptr && method == "backward") {
      second = other;
    } else if (step != nullptr && text_of(site, other->func) == text_of(site, shared.reads->func) &&
               other->args.size() == 1 && text_of(site, other->args[0]) == text_of(site, shared.value)) {
      again = other;
    }
    return false;
  });
  if (step == nullptr || again == nullptr || second == nullptr ||
      !holds_only(site, receiver_of(*step), text_of(site, shared.reads->func), text_of(site, shared.makes->func))) {
    return;
  }
  const std::string_view fake = text_of(site, shared.value);
  Finding &finding =
      report(site, *shared.reads,
             fmt::format("this backward pass also goes through `{}`, whose gradients are not used by this step",
                         text_of(site, shared.makes->func)),
             fmt::format("pass `{}.detach()` here and drop `retain_graph=True`", fake));
  add_note(finding, site, *shared.makes, fmt::format("`{}` is computed here", fake));
  add_note(finding, site, call, "the backward pass");
}

} // namespace

extern constinit const Rule kFakeNotDetached = {
    .info = {.code = "DP228",
             .name = "fake-not-detached",
             .summary = "a discriminator's backward pass that also goes through the generator",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Memory",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A step of one model (a discriminator or critic) on the output of another one (a generator), with `backward(retain_graph=True)`, where the
output is not detached.

## Why it costs

The backward pass computes gradients for the generator as well, and nothing uses them: they are cleared before the generator's own step.
`retain_graph=True` is only needed because of that, and keeps all activations in memory. With `fake.detach()` the discriminator's step stops
at its input.

## Bad

```python
import torch


def step(G, D, real, noise, g_optimizer, d_optimizer):
    fake = G(noise)
    d_loss = D(fake).mean() - D(real).mean()
    d_optimizer.zero_grad()
    d_loss.backward(retain_graph=True)
    d_optimizer.step()
    g_loss = -D(fake).mean()
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
```

## Good

```python
import torch


def step(G, D, real, noise, g_optimizer, d_optimizer):
    fake = G(noise)
    d_loss = D(fake.detach()).mean() - D(real).mean()
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()
    g_loss = -D(fake).mean()
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
```

## When it is wrong

Where the gradients of both models are meant to be summed.

## References

- PyTorch: DCGAN tutorial, which detaches the generator's output
)"},
    .calls = "*.backward",
    .on_call = check};

} // namespace deepperf::rules::fake_not_detached
