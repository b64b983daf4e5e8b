#include "base/known_names.h"
#include "model/context.h"
#include "rules/assignments.h"
#include "rules/per_step.h"
#include "rules/tree.h"

namespace deepperf::rules::copy_per_step {

using namespace python;

namespace {

bool is_module(const Expr *expr, const model::Value &value) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::TorchModule || kind == Kind::HfModel || kind == Kind::TorchOptimizer ||
         (value.is(model::Value::Tag::Object) && value.type->kind == Kind::TorchModule);
}

// `local = deepcopy(self.model)`, and an optimizer or autograd.grad() gets the parameters of `local`: a copy that is
// trained and discarded, as in meta-learning, has to be new each time.
bool is_trained_itself(const Site &site) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *copy =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  return copy != nullptr && any_node(body_around(site), [copy](const Node *node) {
           const auto *taken = as<Call>(node);
           const std::string_view method = taken != nullptr ? called_method(*taken) : std::string_view{};
           const auto *of = method == "parameters" || method == "named_parameters" || method == "trainable_parameters"
                                ? as<Name>(receiver_of(*taken))
                                : nullptr;
           return of != nullptr && of->id == copy->id && taken->start > copy->end;
         });
}

void check(Site &site, const Call &call) {
  // Whoever calls a step that stands alone may do so once; a constructor makes what is kept.
  if (call.args.size() != 1 || site.function == nullptr || site.module->is_test ||
      (site.function->context & model::kStepOfFramework) != 0 || site.function->name == known::sym_init) {
    return;
  }
  const auto *states = as<Call>(call.args[0]);
  const bool is_state = states != nullptr && called_method(*states) == "state_dict";
  const Expr *const copied = is_state ? receiver_of(*states) : call.args[0];
  if (!runs_in_every_step(site) || !is_module(copied, value_of(site, copied)) || is_trained_itself(site)) {
    return;
  }
  report(site, call,
         is_state ? "`state_dict()` is deep-copied in every training step, so all weights are allocated and copied for "
                    "each batch"
                  : "the whole model is deep-copied in every training step",
         "make the copy once before the loop and update it in place: `p_copy.lerp_(p, 1 - decay)` under "
         "`torch.no_grad()`");
}

} // namespace

extern constinit const Rule kCopyPerStep = {.info = {.code = "DP243",
                                                     .name = "copy-per-step",
                                                     .summary = "a model that is copied in every training step",
                                                     .root_cause = "Model: Confusion with Computation Graph",
                                                     .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
                                                     .stage = "Training",
                                                     .frameworks = "PyTorch",
                                                     .severity = Severity::Advice,
                                                     .tier = Tier::On,
                                                     .documentation = R"(## What it finds

`copy.deepcopy` of a model, an optimizer or a `state_dict()` in every training step.

## Why it costs

All weights are allocated and copied for each batch, together with buffers, hooks and Python objects.

## Bad

```python
import copy

import torch


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        teacher = copy.deepcopy(model)
        loss = (model(x) - teacher(x).detach()).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
```

## Good

```python
import copy

import torch


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    teacher = copy.deepcopy(model)
    for x in loader:
        with torch.no_grad():
            wanted = teacher(x)
        loss = (model(x) - wanted).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            torch._foreach_lerp_(list(teacher.parameters()), list(model.parameters()), 0.01)
```

## When it is wrong

Where the copy is modified and discarded by design, as in meta-learning.

## References

- PyTorch documentation: `torch.optim.swa_utils.AveragedModel`
)"},
                                            .calls = "copy.deepcopy copy.copy",
                                            .on_call = check};

} // namespace deepperf::rules::copy_per_step
