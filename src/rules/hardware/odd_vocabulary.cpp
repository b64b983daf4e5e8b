#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::odd_vocabulary {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  constexpr u32 kMultiple = 1;
  if (has_hidden_arguments(call) || argument(call, kMultiple, "pad_to_multiple_of") != nullptr || call.args.empty() ||
      site.module->is_test) {
    return;
  }
  // `len(tokenizer)` after tokens were added.
  const auto *length = as<Call>(call.args[0]);
  if (length == nullptr || called_api(site, *length) != "len") {
    return;
  }
  report(site, call,
         "after tokens were added the vocabulary has an odd size, for which the largest matrix products are slower",
         "pass `pad_to_multiple_of=64`");
}

} // namespace

extern constinit const Rule kOddVocabulary = {
    .info = {.code = "DP520",
             .name = "odd-vocabulary",
             .summary = "embeddings that are resized to a number that does not suit tensor cores",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`model.resize_token_embeddings(len(tokenizer))` without `pad_to_multiple_of=`.

## Why it costs

One added token turns a vocabulary of 32,000 into one of 32,001. The output layer and its gradients then have a dimension that
is not a multiple of 8, and the matrix products cannot use the tensor cores fully.

## Bad

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
tokenizer.add_special_tokens({"pad_token": "[PAD]"})
model.resize_token_embeddings(len(tokenizer))
```

## Good

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
tokenizer.add_special_tokens({"pad_token": "[PAD]"})
model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)
```

## When it is wrong

Where other code expects logits of exactly that size.

## References

- Transformers: resize_token_embeddings
- NVIDIA: matrix multiplication background user's guide, tensor core requirements
)"},
    .calls = "*.resize_token_embeddings",
    .on_call = check};

} // namespace deepperf::rules::odd_vocabulary
