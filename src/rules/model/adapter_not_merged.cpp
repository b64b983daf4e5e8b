#include "rules/reach.h"
#include "rules/site.h"

namespace deepperf::rules::adapter_not_merged {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const bool trains = file_has_word(site, {"Trainer", ".train(", ".backward(", "optimizer", "is_trainable=True"});
  if (site.module->is_test || trains || file_has_word(site, {"merge_and_unload", "merge_adapter"}) ||
      !file_has_word(site, {".generate("})) {
    return;
  }
  report(site, call, "the adapter is applied as two more matrix products per layer for every token",
         "merge it into the weights for inference: `model = model.merge_and_unload()`");
}

} // namespace

extern constinit const Rule kAdapterNotMerged = {
    .info = {.code = "DP265",
             .name = "adapter-not-merged",
             .summary = "a LoRA adapter that is used for inference without merging it",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`PeftModel.from_pretrained` in a program that generates text, trains nothing and never calls `merge_and_unload()`.

## Why it costs

Each adapted layer runs the original product and two small ones. When one token is generated at a time, starting those
kernels costs as much as the large product.

## Bad

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM


def answer(base, adapter, ids):
    model = AutoModelForCausalLM.from_pretrained(base, torch_dtype="bfloat16", device_map="auto")
    model = PeftModel.from_pretrained(model, adapter)
    return model.generate(input_ids=ids, max_new_tokens=64)
```

## Good

```python
from peft import PeftModel
from transformers import AutoModelForCausalLM


def answer(base, adapter, ids):
    model = AutoModelForCausalLM.from_pretrained(base, torch_dtype="bfloat16", device_map="auto")
    model = PeftModel.from_pretrained(model, adapter).merge_and_unload()
    return model.generate(input_ids=ids, max_new_tokens=64)
```

## When it is wrong

Where adapters are switched between requests, or the base model is quantized and must stay so.

## References

- PEFT: merge LoRA weights into the base model
)"},
    .calls = "peft.PeftModel.from_pretrained",
    .on_call = check};

} // namespace deepperf::rules::adapter_not_merged
