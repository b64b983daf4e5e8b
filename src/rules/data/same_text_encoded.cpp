#include "model/variance.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::same_text_encoded {

using namespace python;

namespace {

// `tokenizer` of `tokenizer.encode`, `self` of `self.tokenizer`.
Symbol root_of(const Expr *expr) {
  while (const auto *attribute = as<Attribute>(expr)) {
    expr = attribute->value;
  }
  const auto *name = as<Name>(expr);
  return name != nullptr ? name->id : Symbol{};
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || call.args.empty() || has_hidden_arguments(call) || loop->turns == model::Turns::Few ||
      !runs_every_turn(site, *loop)) {
    return;
  }
  const auto varies = [&](const Expr *expr) { return model::varies(site.project, *loop, expr); };
  const Symbol encoder = root_of(call.func);
  if (std::ranges::find(loop->assigned, encoder) != loop->assigned.end() || std::ranges::any_of(call.args, varies) ||
      std::ranges::any_of(call.keywords, [&](const Keyword *keyword) { return varies(keyword->value); })) {
    return;
  }
  Finding &finding = report(site, call, "the same text is encoded again in every iteration",
                            "encode it once before the loop and keep the result");
  add_note(finding, site, *loop->node, "this loop changes none of the arguments");
}

} // namespace

extern constinit const Rule kSameTextEncoded = {
    .info = {.code = "DP412",
             .name = "same-text-encoded",
             .summary = "a tokenizer or sentence encoder that gets the same text in every iteration",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

A call of a Hugging Face tokenizer, or `encode` of a SentenceTransformer, in a loop that changes none of its arguments.

## Why it costs

The result is the same each time. A tokenizer repeats its work on the CPU, a sentence encoder runs a whole model.

## Bad

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def train(batches, step):
    for batch in batches:
        prompt = tokenizer("Summarize:", return_tensors="pt")
        step(batch, prompt)
```

## Good

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def train(batches, step):
    prompt = tokenizer("Summarize:", return_tensors="pt")
    for batch in batches:
        step(batch, prompt)
```

## When it is wrong

Where the result is changed in place afterwards; then keep a copy.

## References

- Python wiki: loops, performance tips
)"},
    .calls = "HfTokenizer.__call__ HfTokenizer.encode HfTokenizer.encode_plus HfTokenizer.tokenize HfEncoder.encode",
    .on_call = check};

} // namespace deepperf::rules::same_text_encoded
