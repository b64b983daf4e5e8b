#include "rules/reach.h"

namespace deepperf::rules::masked_collator_for_causal {

using namespace python;
using model::Value;

namespace {

void check(Site &site, const Call &call) {
  const auto masked = setting_of(site, argument_of(site, call, 1, "mlm"), model::ConstantValue::of(true));
  if (site.module->is_test || !masked.has_value() || masked->overridable || masked->as_bool() != true ||
      !file_has_word(site, {"ForCausalLM", "GPT2LMHeadModel"}) ||
      file_has_word(site, {"ForMaskedLM", "mlm_probability", "ForPreTraining", "mask_token"})) {
    return;
  }
  report(site, call, "this collator masks tokens, which a causal language model does not learn from",
         "pass `mlm=False`");
}

} // namespace

extern constinit const Rule kMaskedCollatorForCausal = {
    .info = {.code = "DP934",
             .name = "masked-collator-for-causal",
             .summary = "a collator for masked language models that prepares the batches of a causal model",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`DataCollatorForLanguageModeling(tokenizer)` without `mlm=False` in a program that trains a causal language model.

## Why it is wrong

By default the collator replaces 15% of the tokens by a mask and creates labels for these only. A causal model has no mask token, so the
collator raises a `ValueError`; with a tokenizer that has one, the model learns to copy.

## Bad

```python
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer


def train(data, arguments):
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    collator = DataCollatorForLanguageModeling(tokenizer)
    Trainer(model=model, args=arguments, train_dataset=data, data_collator=collator).train()
```

## Good

```python
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer


def train(data, arguments):
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    Trainer(model=model, args=arguments, train_dataset=data, data_collator=collator).train()
```

## When it is wrong

Where the same file also trains a masked language model; such files are not reported.

## References

- Transformers: `DataCollatorForLanguageModeling`
)"},
    .calls = "transformers.DataCollatorForLanguageModeling",
    .on_call = check};

} // namespace deepperf::rules::masked_collator_for_causal
