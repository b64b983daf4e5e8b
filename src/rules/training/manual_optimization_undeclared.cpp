#include "model/classes.h"
#include "rules/lightning.h"
#include "rules/reach.h"
#include "rules/tree.h"

namespace deepperf::rules::manual_optimization_undeclared {

using namespace python;

namespace {

// `self` of the method around the place.
bool is_own_method(const Site &site, const Call &call) {
  const auto *object = as<Name>(receiver_of(call));
  return object != nullptr && site.function->params.size() > 0 && site.function->params[0]->name == object->id;
}

bool returns_something(const model::FunctionInfo *function) {
  return function != nullptr && function->definition() != nullptr &&
         any_node(function->definition()->body, [](const Node *node) {
           const auto *result = as<Return>(node);
           return result != nullptr && result->value != nullptr &&
                  result->value->kind != NodeKind::Constant; // None: nothing is left to do
         });
}

// `loss.backward()` in the training_step, or in a method that it calls, which then returns the loss to Lightning, which
// does the same again.
bool runs_step_itself(const Site &site, const Call &call) {
  if (called_method(call) != "backward" || !leads_from_training_step(site) || !returns_something(site.function)) {
    return false;
  }
  // A step that returns None is over when it returns, whatever the methods that it calls return.
  static const Symbol kStep = intern("training_step");
  const model::FunctionInfo *const training = model::find_method_of(*site.function->type, kStep);
  return training == nullptr || returns_something(training);
}

void check(Site &site, const Call &call) {
  const bool is_manual = called_method(call) == "manual_backward";
  if (site.function == nullptr || site.function->type == nullptr ||
      !(is_manual ? is_own_method(site, call) : runs_step_itself(site, call)) ||
      !is_plain_lightning_module(*site.function->type)) {
    return;
  }
  const model::ClassInfo &type = *site.function->type;
  // Before 1.2 the Trainer was told; somebody may also set it from outside.
  if (has_attribute_in_family(type, "automatic_optimization") || has_attribute_in_family(type, "manual_backward") ||
      project_has_word(site, {".automatic_optimization = False", "automatic_optimization=False"}) ||
      file_has_word(site, {"automatic_optimization"})) {
    return;
  }
  // Once for each class.
  struct Reported {
    mutable bool value = false;
  };
  const Reported &reported = site.memory.recall<Reported>(&type, [] { return Reported{}; });
  if (reported.value) {
    return;
  }
  reported.value = true;
  Finding &finding =
      is_manual ? report(site, call, "`manual_backward()` fails because `automatic_optimization` is True",
                         "set `self.automatic_optimization = False` in `__init__`")
                : report(site, call, "Lightning runs `backward()` and the optimizer's step again after this step",
                         "only return the loss, or set `self.automatic_optimization = False` in `__init__` and use "
                         "`self.manual_backward(loss)`");
  finding.notes.push_back({type.module->file, type.node->name_span, "this LightningModule never disables it"});
}

} // namespace

extern constinit const Rule kManualOptimizationUndeclared = {
    .info = {.code = "DP833",
             .name = "manual-optimization-undeclared",
             .summary = "a LightningModule that runs the backward pass itself while automatic optimization is on",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.manual_backward(…)` in a LightningModule, or `loss.backward()` in a `training_step` that also returns the loss, where neither it nor its base classes or subclasses set `self.automatic_optimization =
False`.

## Why it is wrong

Lightning raises a `MisconfigurationException` at the first step, or, with `loss.backward()`, fails or steps twice. With several optimizers Lightning 2 refuses to start, because automatic
optimization supports only one.

## Bad

```python
import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch, index):
        optimizer = self.optimizers()
        loss = self.layer(batch).mean()
        optimizer.zero_grad()
        self.manual_backward(loss)
        optimizer.step()

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
        self.automatic_optimization = False
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch, index):
        optimizer = self.optimizers()
        loss = self.layer(batch).mean()
        optimizer.zero_grad()
        self.manual_backward(loss)
        optimizer.step()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
```

## When it is wrong

With Lightning before 1.2, where `Trainer(automatic_optimization=False)` did the same; the rule is silent where the file contains it.

## References

- Lightning: manual optimization
)"},
    .calls = "*.manual_backward *.backward",
    .on_call = check};

} // namespace deepperf::rules::manual_optimization_undeclared
