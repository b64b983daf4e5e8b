#include "model/classes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::loss_without_outputs {

using namespace python;
using model::Value;

namespace {

bool is_trainer(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const Value &base) {
      return base.is(Value::Tag::Api) &&
             (base.name().text() == "transformers.Trainer" || base.name().text() == "transformers.Seq2SeqTrainer");
    });
  });
}

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (definition.name.text() != "compute_loss" || site.module->is_test) {
    return;
  }
  const model::FunctionInfo *const function = site.project.function_at(&node);
  const auto param = std::ranges::find_if(
      definition.params, [](const Param *one) { return one->name && one->name.text() == "return_outputs"; });
  if (function == nullptr || function->type == nullptr || !is_trainer(*function->type) ||
      param == definition.params.end() ||
      has_word(text_of(site, function->type->node),
               {"def prediction_step", "def evaluate", "def evaluation_loop", "locals()", "*args"})) {
    return;
  }
  u32 reads = 0;
  bool returns_pair = false;
  const Return *single = nullptr;
  any_node(definition.body, [&](const Node *part) {
    const auto *name = as<Name>(part);
    const auto *result = as<Return>(part);
    reads += name != nullptr && name->id == (*param)->name ? 1 : 0;
    returns_pair |= result != nullptr && result->value != nullptr && result->value->kind != NodeKind::Name;
    single = result != nullptr ? result : single;
    return false;
  });
  const bool is_number = single != nullptr && single->value != nullptr &&
                         (model::kind_of(single->value) == Kind::TorchTensor || !returns_pair);
  if (reads != 0 || !is_number) {
    return;
  }
  report(site, *single, "evaluation passes `return_outputs=True`, but this returns only the loss",
         "return `(loss, outputs) if return_outputs else loss`");
}

} // namespace

extern constinit const Rule kLossWithoutOutputs = {
    .info = {.code = "DP944",
             .name = "loss-without-outputs",
             .summary = "a `compute_loss` of a Trainer that ignores `return_outputs`",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A subclass of the Transformers `Trainer` whose `compute_loss` has the parameter `return_outputs` and never reads it.

## Why it is wrong

During evaluation the Trainer calls `compute_loss(…, return_outputs=True)` and unpacks the loss and the outputs of the model. A single tensor
cannot be unpacked: "iteration over a 0-d tensor".

## Bad

```python
import torch
from transformers import Trainer


class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        return torch.nn.functional.cross_entropy(outputs.logits, inputs["labels"])
```

## Good

```python
import torch
from transformers import Trainer


class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(outputs.logits, inputs["labels"])
        return (loss, outputs) if return_outputs else loss
```

## When it is wrong

Where the subclass never evaluates, or replaces `prediction_step` too; such classes are not reported.

## References

- Transformers: `Trainer.compute_loss`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::loss_without_outputs
