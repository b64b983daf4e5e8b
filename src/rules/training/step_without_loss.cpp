#include "rules/lightning.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::step_without_loss {

using namespace python;
using model::Value;

namespace {

// `loss.item()`, `loss.detach().cpu()`
bool is_cut(const Expr *value) {
  const auto *call = as<Call>(value);
  while (call != nullptr && receiver_of(*call) != nullptr) {
    const std::string_view method = called_method(*call);
    if ((method == "item" || method == "detach") && call->args.empty()) {
      return true;
    }
    call = as<Call>(receiver_of(*call));
  }
  return false;
}

// Does one of the derived classes replace the method?
bool is_replaced(const model::ClassInfo &type, Symbol method) {
  return std::ranges::any_of(type.subclasses, [&](const model::ClassInfo *below) {
    return below->members.contains(method.id) || is_replaced(*below, method);
  });
}

// `self._step(batch)` of a method that returns nothing.
bool is_nothing(const Site &site, const Expr *value) {
  const auto *call = as<Call>(value);
  const model::FunctionInfo *const called = call != nullptr ? called_function(site, *call) : nullptr;
  const FunctionDef *const definition = called != nullptr ? called->definition() : nullptr;
  return definition != nullptr && definition->decorators.empty() && called->type != nullptr &&
         !is_replaced(*called->type, called->name) && !any_node(definition->body, [](const Node *node) {
           const auto *result = as<Return>(node);
           return (result != nullptr && result->value != nullptr) || node->kind == NodeKind::Yield ||
                  node->kind == NodeKind::Raise;
         });
}

struct Returns {
  const Return *cut = nullptr;
  bool has_other = false;
};

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (definition.name.text() != "training_step" || site.module->is_test) {
    return;
  }
  const model::FunctionInfo *const function = site.project.function_at(&node);
  if (function == nullptr || function->type == nullptr || !is_plain_lightning_module(*function->type) ||
      is_replaced(*function->type, definition.name) ||
      !has_attribute_in_family(*function->type, "configure_optimizers") ||
      file_has_word(site, {"automatic_optimization", "manual_backward", "loss.backward("})) {
    return;
  }
  Returns returns;
  bool computes = false;
  any_node(definition.body, [&](const Node *part) {
    const auto *result = as<Return>(part);
    if (result != nullptr && result->value != nullptr && !is_none(result->value) && !is_nothing(site, result->value)) {
      (is_cut(result->value) ? returns.cut : result) = result;
      returns.has_other |= !is_cut(result->value);
    }
    returns.has_other |= part->kind == NodeKind::Yield || part->kind == NodeKind::Raise;
    const auto *call = as<Call>(part);
    computes |= call != nullptr && (model::kind_of(call) == Kind::TorchTensor || is_nothing(site, call));
    return false;
  });
  if (returns.has_other || (!computes && returns.cut == nullptr)) {
    return;
  }
  if (returns.cut != nullptr) {
    report(site, *returns.cut,
           "the loss is returned without its autograd graph, so Lightning cannot run `backward()` on it",
           "return the loss itself");
    return;
  }
  report(site, definition.name_span,
         "`training_step` returns nothing, so Lightning skips every batch and trains nothing", "return the loss");
}

} // namespace

extern constinit const Rule kStepWithoutLoss = {
    .info = {.code = "DP936",
             .name = "step-without-loss",
             .summary = "a `training_step` of Lightning that returns no loss",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `training_step` of a LightningModule with automatic optimization that returns nothing, or only a loss without its autograd graph
(`loss.item()`, `loss.detach()`).

## Why it is wrong

Lightning calls `backward()` on what `training_step` returns. If that is `None`, it skips the batch, and nothing is ever trained.

## Bad

```python
import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch, index):
        loss = self.layer(batch).mean()
        self.log("loss", loss)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
```

## Good

```python
import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch, index):
        loss = self.layer(batch).mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
```

## When it is wrong

Where something other than Lightning's own loop calls the method.

## References

- Lightning: `LightningModule.training_step`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::step_without_loss
