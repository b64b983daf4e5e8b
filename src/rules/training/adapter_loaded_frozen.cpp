#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::adapter_loaded_frozen {

using namespace python;
using model::Value;

namespace {

// The name or attribute that the model is assigned to.
const Expr *kept_as(const Site &site) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  return assignment != nullptr && assignment->targets.size() == 1 ? assignment->targets[0] : nullptr;
}

// `Trainer(model=model, …)`, `AdamW(model.parameters())`
bool trains(const Site &site, const Call &call, std::string_view model) {
  const std::string_view api = called_api(site, call);
  if (api.ends_with("Trainer")) {
    const Expr *const given = argument(call, 0, "model");
    return given != nullptr && text_of(site, given) == model;
  }
  if (model::kind_of(&call) != Kind::TorchOptimizer || call.args.empty()) {
    return false;
  }
  const auto *parameters = as<Call>(call.args[0]);
  return parameters != nullptr && called_method(*parameters) == "parameters" &&
         text_of(site, receiver_of(*parameters)) == model;
}

void check(Site &site, const Call &call) {
  const Expr *const model = kept_as(site);
  if (model == nullptr || site.function == nullptr || site.module->is_test || has_hidden_arguments(call) ||
      call.args.size() > 3 ||
      file_has_word(site,
                    {"requires_grad", "is_trainable", "lora_", "set_adapter", "add_adapter", "merge_and_unload"})) {
    return;
  }
  const std::string_view name = text_of(site, model);
  const Call *trained = nullptr;
  const auto look = [&](const Node *node) {
    const auto *other = as<Call>(node);
    trained = other != nullptr && trains(site, *other, name) ? other : trained;
    return trained != nullptr;
  };
  if (model->kind == NodeKind::Attribute && site.function->type != nullptr) {
    any_node_inside(site.function->type->node, look);
  } else if (site.function->node != nullptr) {
    any_node_inside(site.function->node, look);
  } else {
    any_node(site.module->parsed->tree.body, look);
  }
  if (trained == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call, "the adapter is loaded frozen, so training changes nothing", "pass `is_trainable=True`");
  add_note(finding, site, *trained, "the model is trained here");
}

} // namespace

extern constinit const Rule kAdapterLoadedFrozen = {
    .info = {.code = "DP930",
             .name = "adapter-loaded-frozen",
             .summary = "an adapter that is loaded for inference and then trained",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`PeftModel.from_pretrained(base, path)` without `is_trainable=True`, in a program that trains the model: it is given to a `Trainer`, or an optimizer gets its parameters.

## Why it is wrong

PEFT loads adapters for inference and freezes them. The base model is frozen too, so nothing requires a gradient: `backward()` fails, or the
optimizer updates nothing.

## Bad

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM, Trainer


def resume(arguments, data):
    base = AutoModelForCausalLM.from_pretrained("gpt2")
    model = PeftModel.from_pretrained(base, "adapter")
    Trainer(model=model, args=arguments, train_dataset=data).train()
```

## Good

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM, Trainer


def resume(arguments, data):
    base = AutoModelForCausalLM.from_pretrained("gpt2")
    model = PeftModel.from_pretrained(base, "adapter", is_trainable=True)
    Trainer(model=model, args=arguments, train_dataset=data).train()
```

## When it is wrong

Where other code sets `requires_grad` of the adapter; files that mention `requires_grad` or `lora_` are not reported.

## References

- PEFT: `PeftModel.from_pretrained`, the parameter `is_trainable`
)"},
    .calls = "peft.PeftModel.from_pretrained peft.PeftModelForCausalLM.from_pretrained",
    .on_call = check};

} // namespace deepperf::rules::adapter_loaded_frozen
