#include "model/context.h"
#include "rules/caller_choice.h"
#include "rules/per_step.h"
#include "rules/tree.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace deepperf::rules::output_changed_in_place {

using namespace python;

namespace {

// Operations whose derivative is computed from their result, which they keep: the rest keep their input.
bool keeps_result(std::string_view api) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"torch.sigmoid", "torch.tanh", "torch.exp", "torch.sqrt", "torch.rsqrt", "torch.softmax", "torch.log_softmax",
       "torch.relu", "torch.reciprocal", "torch.nn.functional.sigmoid", "torch.nn.functional.tanh",
       "torch.nn.functional.softmax", "torch.nn.functional.log_softmax", "torch.nn.functional.relu", "torch.nn.Sigmoid",
       "torch.nn.Tanh", "torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.ReLU"});
  return std::ranges::find(kNames, api) != kNames.end();
}

bool is_method_that_keeps(std::string_view method) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"sigmoid", "tanh", "exp", "sqrt", "rsqrt", "softmax", "log_softmax", "relu", "reciprocal"});
  return std::ranges::find(kNames, method) != kNames.end();
}

// The call that made the name's value, if its result is needed for backward().
const Call *needed_result(const Site &site, const Name &name) {
  const auto *made = as<Call>(last_assigned(site, name));
  if (made == nullptr || !model::has_grad(made) || model::kind_of(made) != Kind::TorchTensor) {
    return nullptr;
  }
  if (keeps_result(called_api(site, *made))) {
    return made;
  }
  std::string_view api;
  if (maker_of_callee(site, *made, &api) != nullptr && keeps_result(api)) {
    return made;
  }
  const Expr *receiver = receiver_of(*made);
  return receiver != nullptr && model::kind_of(receiver) == Kind::TorchTensor &&
                 is_method_that_keeps(called_method(*made))
             ? made
             : nullptr;
}

// Is the name something else by then: bound by a tuple, a loop or a branch?
bool is_bound_between(const Site &site, const Name &name, u32 from, u32 to) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  u32 bindings = 0; // with that of the call's own result
  any_node(body, [&](const Node *node) {
    const auto *other = as<Name>(node);
    bindings += other != nullptr && other->id == name.id && other->context != Context::Load && other->start < to &&
                        other->start >= from
                    ? 1
                    : 0;
    return false;
  });
  return bindings != 0;
}

// In the branch of `if self.training` that evaluates: nobody calls backward() then.
bool is_not_training(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const auto *branch = as<If>(site.ancestors[i]);
    const auto *negated = branch != nullptr ? as<UnaryOp>(branch->test) : nullptr;
    const Expr *const test = negated != nullptr ? negated->operand : branch != nullptr ? branch->test : nullptr;
    const auto *mode = as<Attribute>(test);
    if (mode != nullptr && mode->attr.text() == "training" && model::is_own_object(*site.function, mode->value)) {
      const Block &off = negated != nullptr ? branch->body : branch->orelse;
      return std::ranges::any_of(off, [&](const Stmt *one) { return contains(one, site.node); });
    }
  }
  return false;
}

void check_target(Site &site, const Node &place, const Name &name, std::string_view instead) {
  if (under_no_grad(site) || is_not_training(site)) {
    return;
  }
  const Call *made = needed_result(site, name);
  if (made == nullptr || is_bound_between(site, name, made->end, place.start)) {
    return;
  }
  Finding &finding =
      report(site, place,
             fmt::format("`{}` is changed in place, but `backward()` needs its old value and fails", name.id.text()),
             std::string(instead));
  if ((!in_forward_pass(site) && !in_training_step(site)) || is_callers_choice(site) ||
      (site.function != nullptr && (site.function->context & model::kGradMaybeOff) != 0)) {
    finding.tier = Tier::Hint;
  }
  add_note(finding, site, *made, "the derivative of this operation is computed from its result");
}

// `h += x`, and `h[mask] = 0`
void check_statement(Site &site, const Node &node) {
  if (const auto *change = as<AugAssign>(&node)) {
    if (const auto *name = as<Name>(change->target)) {
      check_target(site, node, *name, "create a new tensor: `x = x + y` instead of `x += y`");
    }
    return;
  }
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *element = assignment.targets.size() == 1 ? as<Subscript>(assignment.targets[0]) : nullptr;
  const auto *name = element != nullptr ? as<Name>(element->value) : nullptr;
  if (name != nullptr) {
    check_target(site, node, *name, "change a copy, `x = x.clone()`, or use `torch.where` or `masked_fill`");
  }
}

// `h.add_(x)`
void check_call(Site &site, const Call &call) {
  const auto *name = as<Name>(receiver_of(call));
  if (name != nullptr) {
    check_target(site, call, *name,
                 fmt::format("use `{}`, which returns a new tensor",
                             called_method(call).substr(0, called_method(call).size() - 1)));
  }
}

} // namespace

extern constinit const Rule kOutputChangedInPlace = {
    .info = {.code = "DP873",
             .name = "output-changed-in-place",
             .summary = "a tensor that `backward()` needs is changed in place",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

The result of `sigmoid`, `tanh`, `exp`, `softmax`, `relu`, `sqrt` or a similar operation that is part of an autograd graph and is changed in
place right after it: `h += x`, `h[mask] = 0`, `h.mul_(2)`.

## Why it is wrong

The derivative of these operations is computed from their result, which autograd keeps without copying. `backward()` detects the change and
fails with "one of the variables needed for gradient computation has been modified by an inplace operation".

## Bad

```python
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 8, 3, padding=1)

    def forward(self, x):
        h = torch.sigmoid(self.conv(x))
        h += x
        return h
```

## Good

```python
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 8, 3, padding=1)

    def forward(self, x):
        h = torch.sigmoid(self.conv(x))
        h = h + x
        return h
```

## When it is wrong

Where the model is never trained.

## References

- PyTorch documentation: autograd mechanics, in-place correctness checks
)"},
    .calls = "TorchTensor.add_ TorchTensor.sub_ TorchTensor.mul_ TorchTensor.div_ TorchTensor.clamp_ "
             "TorchTensor.masked_fill_ TorchTensor.zero_ TorchTensor.fill_ TorchTensor.copy_",
    .on_call = check_call,
    .nodes = {NodeKind::AugAssign, NodeKind::Assign},
    .on_node = check_statement};

} // namespace deepperf::rules::output_changed_in_place
