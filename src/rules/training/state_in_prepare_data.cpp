#include "rules/lightning.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::state_in_prepare_data {

using namespace python;
using model::Value;

namespace {

bool is_data_module(const model::ClassInfo &type) {
  return is_lightning_module(type) || std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
           return std::ranges::any_of(at->bases, [](const Value &base) {
             return base.is(Value::Tag::Api) && base.name().text() == "pytorch_lightning.LightningDataModule";
           });
         });
}

// What another method of the class does with an attribute of its object.
struct Uses {
  bool is_read = false;
  bool is_stored = false;
};

Uses uses_of(const ClassDef &type, const FunctionDef &prepare, Symbol attribute) {
  Uses uses;
  for (const Stmt *member : type.body) {
    const auto *method = as<FunctionDef>(member);
    if (member == &prepare) {
      continue;
    }
    any_node_inside(static_cast<const Node *>(member), [&](const Node *node) {
      const auto *use = as<Attribute>(node);
      const auto *object = use != nullptr ? as<Name>(use->value) : nullptr;
      if (object != nullptr && use->attr == attribute) {
        (use->context == Context::Load ? uses.is_read : uses.is_stored) = true;
      }
      return false;
    });
    // It may call prepare_data itself, as setup() then does in every process.
    uses.is_stored |=
        method != nullptr && any_node(method->body, [](const Node *node) {
          const auto *call = as<Call>(node);
          return call != nullptr && (called_method(*call) == "prepare_data" || called_name(*call) == "setattr");
        });
  }
  return uses;
}

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (definition.name.text() != "prepare_data" || site.module->is_test || definition.params.empty()) {
    return;
  }
  const model::FunctionInfo *const function = site.project.function_at(&node);
  if (function == nullptr || function->type == nullptr || !is_data_module(*function->type) ||
      function->called_by.size() != 0 || function->type->parents.size() != 0) {
    return;
  }
  const Assign *found = nullptr;
  any_node(definition.body, [&](const Node *part) {
    const auto *assignment = as<Assign>(part);
    const auto *target = assignment != nullptr ? as<Attribute>(assignment->targets[0]) : nullptr;
    const auto *object = target != nullptr ? as<Name>(target->value) : nullptr;
    if (found == nullptr && object != nullptr && object->id == definition.params[0]->name) {
      const Uses uses = uses_of(*function->type->node, definition, target->attr);
      found = uses.is_read && !uses.is_stored ? assignment : nullptr;
    }
    return found != nullptr;
  });
  if (found != nullptr) {
    report(site, *found,
           fmt::format("`prepare_data` runs in one process only, so the others have no `{}`",
                       text_of(site, found->targets[0])),
           "assign it in `setup()`, which every process calls");
  }
}

} // namespace

extern constinit const Rule kStateInPrepareData = {
    .info = {.code = "DP939",
             .name = "state-in-prepare-data",
             .summary = "state that `prepare_data` stores, which only one process has",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `prepare_data` of a LightningDataModule or LightningModule that assigns an attribute of `self` that other methods read and nothing else
assigns.

## Why it is wrong

Lightning calls `prepare_data` in one process of each machine only. In the others the attribute does not exist, and training with several
GPUs fails.

## Bad

```python
import lightning as L
from datasets import load_dataset
from torch.utils.data import DataLoader


class Reviews(L.LightningDataModule):
    def prepare_data(self):
        self.data = load_dataset("imdb")

    def train_dataloader(self):
        return DataLoader(self.data["train"], batch_size=32, shuffle=True, num_workers=4)
```

## Good

```python
import lightning as L
from datasets import load_dataset
from torch.utils.data import DataLoader


class Reviews(L.LightningDataModule):
    def prepare_data(self):
        load_dataset("imdb")

    def setup(self, stage):
        self.data = load_dataset("imdb")

    def train_dataloader(self):
        return DataLoader(self.data["train"], batch_size=32, shuffle=True, num_workers=4)
```

## When it is wrong

Where only one device is ever used.

## References

- Lightning: `LightningDataModule.prepare_data`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::state_in_prepare_data
