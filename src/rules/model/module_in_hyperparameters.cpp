#include "model/classes.h"
#include "rules/lightning.h"
#include "rules/options.h"
#include "rules/own_weights.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::module_in_hyperparameters {

using namespace python;
using model::Value;

namespace {

// The class of the project that a module is of; null for those of libraries.
const model::ClassInfo *own_class(const Value &value) {
  return value.is(Value::Tag::Object) || value.is(Value::Tag::Class) ? value.type : nullptr;
}

// Is a module passed for the parameter, by its annotation or by all that is known of it?
bool takes_module(const Site &site, const Param &param, const Name &stored) {
  const model::Scope outside = model::scope_of(site.project, *site.function->parent);
  if (param.annotation != nullptr) {
    const Value type = model::value_of(outside, param.annotation);
    if (type.is(Value::Tag::Api) && type.name().text() == "torch.nn.Module") {
      return true;
    }
    if (type.is(Value::Tag::Class) && type.type->kind == Kind::TorchModule) {
      return may_have_weights(*type.type);
    }
  }
  const Value value = value_of(site, &stored);
  return is_torch_module(value) && (own_class(value) == nullptr || may_have_weights(*own_class(value)));
}

// The value of `self.net = net`, which Lightning saves with the weights of the module; null if there is none.
const Name *stored_as_part(const FunctionDef &constructor, Symbol param) {
  const Name *found = nullptr;
  any_node(constructor.body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *value = assignment != nullptr ? as<Name>(assignment->value) : nullptr;
    if (value != nullptr && value->id == param && assignment->targets.size() == 1 &&
        assignment->targets[0]->kind == NodeKind::Attribute) {
      found = value;
    }
    return found != nullptr;
  });
  return found;
}

void check(Site &site, const Call &call) {
  const FunctionDef *const constructor = site.function != nullptr ? site.function->definition() : nullptr;
  if (constructor == nullptr || site.function->name.text() != "__init__" || site.function->type == nullptr ||
      site.module->is_test || !is_lightning_module(*site.function->type) || !call.args.empty() ||
      !are_absent(site, call, {"ignore"})) {
    return;
  }
  for (const Param *param : site.function->params) {
    const Name *const stored = param->name ? stored_as_part(*constructor, param->name) : nullptr;
    if (stored != nullptr && takes_module(site, *param, *stored)) {
      Finding &finding =
          report(site, call,
                 fmt::format("every checkpoint contains the weights of `{}` twice, once as a hyperparameter",
                             param->name.text()),
                 fmt::format("pass `ignore=[\"{}\"]`", param->name.text()));
      add_note(finding, site, *param, "this module is one of the hyperparameters");
      return;
    }
  }
}

} // namespace

extern constinit const Rule kModuleInHyperparameters = {
    .info = {.code = "DP296",
             .name = "module-in-hyperparameters",
             .summary = "a network that `save_hyperparameters()` stores in every checkpoint a second time",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal Memory Usage",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.save_hyperparameters()` without `ignore` in the constructor of a LightningModule that takes a network and keeps it: `self.net = net`.

## Why it costs

All arguments of the constructor become hyperparameters, which Lightning pickles into every checkpoint. The weights of the network are saved
as such as well, so each checkpoint is twice as large and takes twice as long to write. `torch.load` with `weights_only=True` refuses the
pickled module. Lightning warns.

## Bad

```python
import lightning as L
from torch import nn


class Classifier(L.LightningModule):
    def __init__(self, net: nn.Module, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = net
```

## Good

```python
import lightning as L
from torch import nn


class Classifier(L.LightningModule):
    def __init__(self, net: nn.Module, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters(ignore=["net"])
        self.net = net
```

## When it is wrong

Where checkpoints are loaded with `load_from_checkpoint` and nothing else determines which network to build.

## References

- Lightning: `save_hyperparameters`, `ignore`
)"},
    .calls = "*.save_hyperparameters",
    .on_call = check};

} // namespace deepperf::rules::module_in_hyperparameters
