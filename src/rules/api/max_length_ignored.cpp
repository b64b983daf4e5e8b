#include "rules/encoding.h"
#include "rules/options.h"
#include "rules/reach.h"

namespace deepperf::rules::max_length_ignored {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const auto encoding = encoding_of(site, call);
  const Option length = option_of(site, call, "max_length");
  if (!encoding.has_value() || length.value == nullptr || site.module->is_test || is_none(length.value) ||
      called_method(call) == "pad") {
    return;
  }
  // Also where it is switched off by name.
  if (!are_absent(site, call, {"truncation", "truncation_strategy", "pad_to_max_length"})) {
    return;
  }
  if (encoding->padding == Encoding::Padding::Longest) {
    report_option(site, call, length,
                  "`max_length` is ignored here: nothing is truncated, and texts are padded to the longest one",
                  "add `truncation=True`");
  } else if (encoding->padding == Encoding::Padding::Full && encoding->texts != Encoding::Texts::One) {
    Finding &finding =
        report_option(site, call, length, "texts are padded to `max_length`, but longer ones are not truncated to it",
                      "add `truncation=True`");
    finding.tier = Tier::Hint; // they may all be short
  }
}

} // namespace

extern constinit const Rule kMaxLengthIgnored = {
    .info = {.code = "DP199",
             .name = "max-length-ignored",
             .summary = "a tokenizer's `max_length` without `truncation=True`",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Program Crash, Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A tokenizer of Transformers that is called with `max_length` and `padding=True`, and without `truncation`. With `padding="max_length"` it is a
hint.

## Why it costs

The library ignores `max_length` there, with a warning. Long texts stay long: they slow down the whole batch, or are longer than the model has
positions for, and crash.

## Bad

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def encode(texts):
    return tokenizer(texts, padding=True, max_length=256, return_tensors="pt")
```

## Good

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def encode(texts):
    return tokenizer(texts, padding=True, truncation=True, max_length=256, return_tensors="pt")
```

## When it is wrong

Where all texts are known to be short.

## References

- Transformers: padding and truncation
)"},
    .calls = "HfTokenizer.__call__ HfTokenizer.batch_encode_plus HfTokenizer.encode_plus HfTokenizer.encode",
    .on_call = check};

} // namespace deepperf::rules::max_length_ignored
