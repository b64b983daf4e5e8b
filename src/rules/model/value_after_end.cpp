#include "rules/name_places.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::value_after_end {

using namespace python;

namespace {

// The names that came together with this one: the other parts of a sample that is unpacked, or the other parameters.
std::vector<Symbol> names_beside(const Site &site, Symbol name) {
  const FunctionDef *const definition = site.function->definition();
  std::vector<Symbol> names;
  if (site.function->has_param(name)) {
    for (u32 i = site.function->type != nullptr && !site.function->is_static ? 1 : 0; i < site.function->params.size();
         ++i) {
      names.push_back(site.function->params[i]->name);
    }
    return names;
  }
  u32 bindings = 0;
  any_node(definition->body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *targets =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
    std::vector<Symbol> bound;
    for (u32 i = 0; targets != nullptr && i < targets->elts.size(); ++i) {
      const auto *target = as<Name>(targets->elts[i]);
      bound.push_back(target != nullptr ? target->id : Symbol{});
    }
    if (std::ranges::find(bound, name) != bound.end() && as<Tuple>(assignment->value) == nullptr) {
      names = bound;
      ++bindings;
    }
    return false;
  });
  return bindings == 1 ? names : std::vector<Symbol>{};
}

bool is_read(const Site &site, Symbol name) { return !places_of_name(site, *site.function, name).empty(); }

bool runs_model(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  const bool is_object = callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule;
  return is_object || callee.is_kind(Kind::TorchModule);
}

// Does the value come from a model that looks at something else of the sample: `self.target(next_state).max(1)[0]`?
bool comes_from_model(const Site &site, const Expr *expr, u32 steps = 0) {
  constexpr u32 kMostSteps = 4;
  return steps < kMostSteps && any_node(expr, [&](const Node *node) {
           const auto *call = as<Call>(node);
           if (call != nullptr && runs_model(site, *call)) {
             return true;
           }
           const auto *name = as<Name>(node);
           const Expr *const value = name != nullptr ? last_assigned(site, *name) : nullptr;
           return value != nullptr && comes_from_model(site, value, steps + 1);
         });
}

// `gamma * value`: a number and what a model says, and no third factor that could be 0 at the end.
const Expr *discounted_value(const Site &site, const BinOp &product) {
  if (product.op() != Operator::Mult) {
    return nullptr;
  }
  for (const auto &[factor, value] : {std::pair{product.left, product.right}, std::pair{product.right, product.left}}) {
    const bool is_name = factor->kind == NodeKind::Name || factor->kind == NodeKind::Attribute;
    const bool is_plain = (is_name || number_of(site, factor).has_value()) &&
                          model::kind_of(factor) != Kind::TorchTensor && !comes_from_model(site, factor);
    const bool is_product = value->kind == NodeKind::BinOp;
    if (is_plain && !is_product && comes_from_model(site, value)) {
      return value;
    }
  }
  return nullptr;
}

// Is the value set to 0 somewhere before: `value[done] = 0`, `torch.where(…)`, `value * mask`?
bool is_masked(const Site &site, const Expr *value) {
  const auto *name = as<Name>(value);
  if (name == nullptr) {
    return false;
  }
  const Expr *const written = last_assigned(site, *name);
  const bool is_computed =
      written != nullptr && any_node(written, [&](const Node *node) {
        const auto *call = as<Call>(node);
        const std::string_view method = call != nullptr ? called_name(*call) : std::string_view{};
        return node->kind == NodeKind::BinOp || method == "where" || method.starts_with("masked_fill");
      });
  return is_computed || any_node(site.function->definition()->body, [name](const Node *node) {
           const auto *element = as<Subscript>(node);
           const auto *changed =
               element != nullptr && element->context == Context::Store ? as<Name>(element->value) : nullptr;
           const auto *update = as<AugAssign>(node);
           const auto *target = update != nullptr ? as<Name>(update->target) : nullptr;
           return (changed != nullptr && changed->id == name->id) || (target != nullptr && target->id == name->id);
         });
}

void check(Site &site, const Node &node) {
  const auto &sum = static_cast<const BinOp &>(node);
  if (sum.op() != Operator::Add || site.function == nullptr || site.function->definition() == nullptr ||
      site.module->is_test || in_method(site, Kind::TorchModule, "forward")) { // which adds residuals
    return;
  }
  for (const auto &[first, second] : {std::pair{sum.left, sum.right}, std::pair{sum.right, sum.left}}) {
    const auto *reward = as<Name>(first);
    const auto *product = as<BinOp>(second);
    const Expr *const value = reward != nullptr && product != nullptr ? discounted_value(site, *product) : nullptr;
    if (value == nullptr || is_masked(site, value)) {
      continue;
    }
    const std::vector<Symbol> names = names_beside(site, reward->id);
    std::vector<Symbol> unread;
    for (const Symbol name : names) {
      if (!name || name.text().starts_with('_')) {
        return; // ignored on purpose
      }
      if (!is_read(site, name)) {
        unread.push_back(name);
      }
    }
    // Of state, action, reward, next state and the end of the episode, or of the last three, one is never asked for.
    const bool is_whole = site.function->has_param(reward->id) ? names.size() == 3 : names.size() == 5;
    if (!is_whole || unread.size() != 1) {
      continue;
    }
    Finding &finding =
        report(site, node,
               fmt::format("the target adds the value of the next state at the end of an episode as well: `{}` is "
                           "never used",
                           unread[0].text()),
               fmt::format("multiply the value of the next state by `1 - {}`", unread[0].text()));
    (void)finding;
    return;
  }
}

} // namespace

extern constinit const Rule kValueAfterEnd = {
    .info = {.code = "DP297",
             .name = "value-after-end",
             .summary = "a target of reinforcement learning that counts rewards after the end of an episode",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`reward + gamma * value_of(next_state)`, where the sample has one more part that the function never reads: whether the episode has ended.

## Why it is wrong

After a terminal state there is no further reward, so its value is 0. If the target adds what the network says about it, the error spreads to
all states before it, and values grow without a bound where episodes are supposed to end.

## Bad

```python
import torch
import torch.nn.functional as F
from torch import nn


def learn(model: nn.Module, target: nn.Module, sample, gamma=0.99):
    state, action, reward, next_state, done = sample
    with torch.no_grad():
        best = target(next_state).max(1).values
        goal = reward + gamma * best
    return F.mse_loss(model(state).gather(1, action[:, None]).squeeze(1), goal)
```

## Good

```python
import torch
import torch.nn.functional as F
from torch import nn


def learn(model: nn.Module, target: nn.Module, sample, gamma=0.99):
    state, action, reward, next_state, done = sample
    with torch.no_grad():
        best = target(next_state).max(1).values
        goal = reward + gamma * (1 - done) * best
    return F.mse_loss(model(state).gather(1, action[:, None]).squeeze(1), goal)
```

## When it is wrong

Where episodes never end, or where the fifth part of a sample is something else.

## References

- Mnih et al., Human-level control through deep reinforcement learning, 2015
)"},
    .nodes = {NodeKind::BinOp},
    .on_node = check};

} // namespace deepperf::rules::value_after_end
