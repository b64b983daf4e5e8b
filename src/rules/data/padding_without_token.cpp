#include "rules/encoding.h"
#include "rules/options.h"
#include "rules/reach.h"

#include <algorithm>
#include <string>

namespace deepperf::rules::padding_without_token {

using namespace python;
using model::Value;

namespace {

bool has_no_pad_token(std::string_view checkpoint) {
  constexpr std::string_view kPlain[] = {"gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "distilgpt2"};
  constexpr std::string_view kFamilies[] = {"openai-community/gpt2", "distilbert/distilgpt2", "EleutherAI/gpt-",
                                            "EleutherAI/pythia",     "meta-llama/Llama-2",    "meta-llama/Meta-Llama-3",
                                            "meta-llama/Llama-3",    "mistralai/Mistral-7B",  "tiiuae/falcon-7b",
                                            "microsoft/DialoGPT",    "microsoft/phi-1",       "microsoft/phi-2"};
  return std::ranges::find(kPlain, checkpoint) != std::end(kPlain) ||
         std::ranges::any_of(kFamilies,
                             [checkpoint](std::string_view family) { return checkpoint.starts_with(family); });
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test ||
      project_has_word(site, {"pad_token", "add_special_tokens", "PAD"})) {
    return;
  }
  const auto encoding = encoding_of(site, call);
  const bool is_padded = encoding.has_value() && (encoding->padding == Encoding::Padding::Full ||
                                                  encoding->padding == Encoding::Padding::Longest);
  const Value tokenizer = is_padded ? value_of(site, encoding->tokenizer) : Value{};
  if (tokenizer.maker() == nullptr || !tokenizer.is(Value::Tag::Instance) || tokenizer.alternatives != nullptr ||
      tokenizer.maker()->args.empty()) {
    return;
  }
  const Site made = site_of(site, *tokenizer.maker());
  if (!are_absent(made, *tokenizer.maker(), {"pad_token", "additional_special_tokens"})) {
    return;
  }
  const auto name = setting_of(made, tokenizer.maker()->args[0]);
  if (!name.has_value() || !name->as_string().has_value() || !has_no_pad_token(*name->as_string())) {
    return;
  }
  Finding &finding = report(site, call, "this tokenizer has no pad token: ValueError",
                            "set one first: `tokenizer.pad_token = tokenizer.eos_token`");
  finding.notes.push_back({made.module->file, tokenizer.maker()->span(), "the tokenizer is loaded here"});
}

} // namespace

extern constinit const Rule kPaddingWithoutToken = {.info = {.code = "DP447",
                                                             .name = "padding-without-token",
                                                             .summary = "padding by a tokenizer that has no pad token",
                                                             .root_cause = "Data: Inefficient Data Preprocessing",
                                                             .symptoms = "Program Crash",
                                                             .stage = "Data Preparation",
                                                             .frameworks = "PyTorch",
                                                             .severity = Severity::Error,
                                                             .tier = Tier::On,
                                                             .documentation = R"(## What it finds

`tokenizer(texts, padding=True)` for several texts, or `padding="max_length"`, with the tokenizer of a checkpoint that has no pad token (GPT-2, GPT-Neo, Llama, Mistral,
Pythia), in a program that never sets one.

## Why it is wrong

"Asking to pad but the tokenizer does not have a padding token."

## Bad

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def encode(texts: list[str]):
    return tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
```

## Good

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token


def encode(texts: list[str]):
    return tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
```

## When it is wrong

For a local copy of the tokenizer to which a pad token was added.

## References

- Transformers: padding and truncation
)"},
                                                    .calls = "HfTokenizer.__call__ HfTokenizer.batch_encode_plus",
                                                    .on_call = check};

} // namespace deepperf::rules::padding_without_token
