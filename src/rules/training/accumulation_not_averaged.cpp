#include "rules/loss_call.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::accumulation_not_averaged {

using namespace python;

namespace {

// `n` of the test `(step + 1) % n == 0`.
const Expr *modulus_of(const Expr *test) {
  const Expr *found = nullptr;
  any_node(static_cast<const Node *>(test), [&found](const Node *node) {
    const auto *operation = as<BinOp>(node);
    if (operation != nullptr && operation->op() == Operator::Mod) {
      found = operation->right;
    }
    return found != nullptr;
  });
  return found;
}

bool is_step(const Call &call) {
  const Expr *receiver = receiver_of(call);
  const Kind kind = receiver != nullptr ? model::kind_of(receiver) : Kind::Unknown;
  return called_method(call) == "step" && (kind == Kind::TorchOptimizer || kind == Kind::GradScaler);
}

// Is anything in the loop divided, so that it may be the loss? Doubt means silence.
bool divides(const Node *loop) {
  return any_node(loop, [](const Node *node) {
    const auto *operation = as<BinOp>(node);
    const auto *augmented = as<AugAssign>(node);
    const auto *call = as<Call>(node);
    return (operation != nullptr && operation->op() == Operator::Div) ||
           (augmented != nullptr && (augmented->op() == Operator::Div || augmented->op() == Operator::Mult)) ||
           (call != nullptr && (called_name(*call) == "div" || called_name(*call) == "div_"));
  });
}

// The innermost `if` between the loop and the place; null if the place runs in every turn.
const If *test_around(const Site &site, const model::Loop &loop) {
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i] != loop.node;) {
    if (const auto *branch = as<If>(site.ancestors[i])) {
      return branch;
    }
  }
  return nullptr;
}

// Is it the result of a loss of PyTorch that averages over the batch? `reduction` in the loop was looked at before.
bool is_mean(const Site &site, const Expr *loss) {
  const auto *name = as<Name>(loss);
  const auto *call = as<Call>(name != nullptr ? last_assigned(site, *name) : loss);
  if (call == nullptr) {
    return false;
  }
  std::string_view api;
  if (const Call *maker = maker_of_callee(site, *call, &api)) {
    return api.starts_with("torch.nn.") && api.ends_with("Loss") && maker->keywords.empty();
  }
  return is_loss_function(called_api(site, *call));
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (!is_step(call) || loop == nullptr) {
    return;
  }
  const If *test = test_around(site, *loop);
  const Expr *modulus = test != nullptr ? modulus_of(test->test) : nullptr;
  if (modulus == nullptr || integer_of(site, modulus) == 1) {
    return;
  }
  // backward() in every turn of the same loop, of a loss that nobody divides.
  const Call *backward = nullptr;
  any_node(loop->node, [&](const Node *node) {
    const auto *other = as<Call>(node);
    if (backward == nullptr && other != nullptr && called_method(*other) == "backward" &&
        model::kind_of(receiver_of(*other)) == Kind::TorchTensor && !contains(test, other)) {
      backward = other;
    }
    return backward != nullptr;
  });
  // With two optimizers, the one that steps in every iteration uses these gradients.
  const bool steps_always = any_node(loop->node, [&](const Node *node) {
    const auto *other = as<Call>(node);
    return other != nullptr && called_method(*other) == "step" && !contains(test, other);
  });
  if (backward == nullptr || steps_always || divides(loop->node) ||
      has_word(text_of(site, loop->node), {"accumulation_steps=", "no_sync", "reduction"})) {
    return;
  }
  Finding &finding = report(
      site, *backward, "gradients are accumulated over several batches, but the loss is not divided by their number",
      std::string("divide it before `backward()`: `(loss / ") + std::string(text_of(site, modulus)) + ").backward()`");
  add_note(finding, site, *test->test, "the optimizer steps only here");
  if (!is_mean(site, receiver_of(*backward))) {
    finding.tier = Tier::Hint; // a sum over the batch is meant to be summed
  }
}

} // namespace

extern constinit const Rule kAccumulationNotAveraged = {
    .info = {.code = "DP830",
             .name = "accumulation-not-averaged",
             .summary = "gradient accumulation that sums the gradients of several batches instead of averaging them",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that calls `backward()` in every iteration and the optimizer's `step()` only in every n-th (`if step % n == 0`), where the loss is
not divided.

## Why it is wrong

`backward()` adds to the gradients. The sum over n batches is n times as large as the gradient of one batch of the combined size, as if the
learning rate were n times larger.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y)
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y) / 8
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

Where the learning rate was chosen for the sum, or the loss is meant to be a sum. Adam and similar optimizers are nearly independent of the
gradient's scale, but gradient clipping is not.

## References

- PyTorch: automatic mixed precision examples, gradient accumulation
)"},
    .calls = "TorchOptimizer.step GradScaler.step",
    .on_call = check};

} // namespace deepperf::rules::accumulation_not_averaged
