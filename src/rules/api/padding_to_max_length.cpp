#include "rules/dataset_item.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <cctype>

namespace deepperf::rules::padding_to_max_length {

using namespace python;

namespace {

// The argument that asks for it; null if none does.
const Keyword *asks_for_full_length(const Site &site, const Call &call) {
  if (const Keyword *padding = keyword_argument(call, "padding")) {
    return string_of(site, padding->value) == "max_length" ? padding : nullptr;
  }
  const Keyword *old = keyword_argument(call, "pad_to_max_length");
  return old != nullptr && bool_of(site, old->value) == true ? old : nullptr;
}

// The word by itself: `output` has its letters, too.
bool file_names_tpu(const Site &site) {
  struct NamesTpu {
    bool value = false;
  };
  return site.memory
      .recall<NamesTpu>(
          site.module,
          [&site] {
            const std::string_view text = site.module->parsed->source.text();
            const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
            for (const std::string_view word : {"tpu", "TPU"}) {
              for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
                const std::size_t end = at + word.size();
                const bool is_plural = end < text.size() && (text[end] == 's' || text[end] == 'S');
                const bool ends = is_plural || end == text.size() || !is_letter(text[end]);
                if (ends && (at == 0 || !is_letter(text[at - 1]))) {
                  return NamesTpu{true};
                }
              }
            }
            return NamesTpu{};
          })
      .value;
}

// Shapes that must not change: compilers, exported models, and text encoders that were trained on one length only.
bool wants_one_length(const Site &site, const Call &call) {
  const Keyword *length = keyword_argument(call, "max_length");
  if (length != nullptr && (text_of(site, length->value).find("model_max_length") != std::string_view::npos ||
                            integer_of(site, length->value).value_or(128) <= 77)) {
    return true;
  }
  return file_has_word_in_any_case(site, {"_xla", "xla_", "onnx", "torch.compile", "torch_compile", "jit.trace", "flax",
                                          "tensorrt", "clip-", "open_clip"}) ||
         file_has_word(site, {"CLIP"}) || file_names_tpu(site);
}

void check(Site &site, const Call &call) {
  const Keyword *padding = asks_for_full_length(site, call);
  const bool is_tensorflow = site.module->tensorflow && !site.module->torch; // which wants one shape
  if (padding == nullptr || site.function == nullptr || site.function->node == nullptr || is_tensorflow) {
    return;
  }
  // In code that prepares the examples of a dataset, not around a single text.
  if ((!in_dataset_item(site) && !site.function->passed) || wants_one_length(site, call)) {
    return;
  }
  report(site, *padding, "every text is padded to `max_length`, and the model computes on the padding",
         "tokenize without padding, and pass `DataCollatorWithPadding(tokenizer)` as `collate_fn` to pad each batch to "
         "its longest text");
}

} // namespace

extern constinit const Rule kPaddingToMaxLength = {
    .info = {.code = "DP150",
             .name = "padding-to-max-length",
             .summary = "texts that are padded to a fixed length instead of the longest text of their batch",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`padding="max_length"` or `pad_to_max_length=True` in the `__getitem__` of a dataset, or in a function that is mapped
over one.

## Why it costs

Attention and all other layers compute on padding as they do on text. The shorter the texts are compared with
`max_length`, the more of each step's work and memory is wasted. A collator that pads each batch to its longest text
gives the same results.

## Bad

```python
from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
reviews = load_dataset("imdb", split="train")


def encode(batch):
    return tokenizer(batch["text"], padding="max_length", max_length=512, truncation=True)


tokens = reviews.map(encode, batched=True)
```

## Good

```python
from datasets import load_dataset
from transformers import AutoTokenizer, DataCollatorWithPadding

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
reviews = load_dataset("imdb", split="train")


def encode(batch):
    return tokenizer(batch["text"], max_length=512, truncation=True)


tokens = reviews.map(encode, batched=True)
collate = DataCollatorWithPadding(tokenizer)
```

## When it is wrong

Where shapes must stay the same: TPUs, `torch.compile` without dynamic shapes, exported models, and text encoders that
were trained on one length only, such as CLIP's. The rule is silent where the file mentions one of these.

## References

- Transformers: padding and truncation; `DataCollatorWithPadding`
)"},
    .calls = "HfTokenizer.__call__ HfTokenizer.encode HfTokenizer.encode_plus HfTokenizer.batch_encode_plus",
    .on_call = check};

} // namespace deepperf::rules::padding_to_max_length
