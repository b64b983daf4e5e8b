#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <cctype>

namespace deepperf::rules::tokenizer_of_another_model {

using namespace python;

namespace {

// Which vocabulary a checkpoint has, as far as its name tells; empty if it does not. The longer names come first.
std::string_view vocabulary_of(std::string_view name) {
  std::string lower;
  for (const char letter : name) {
    lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  }
  struct Known {
    std::string_view part;
    std::string_view vocabulary;
  };
  constexpr Known kKnown[] = {
      {"xlm-roberta", "XLM-R"},
      {"mdeberta", "mDeBERTa"},
      {"deberta-v3", "DeBERTa v3"},
      {"camembert", "CamemBERT"},
      {"biobert", ""},
      {"scibert", ""},
      {"legal", ""},
      {"sentence", ""},
      {"chinese", ""},
      {"german", ""},
      {"multilingual", ""},
      {"japanese", ""},
      {"codebert", ""},
      {"albert", "ALBERT"},
      {"roberta", "RoBERTa"},
      {"bert-base-uncased", "uncased BERT"},
      {"bert-large-uncased", "uncased BERT"},
      {"bert-base-cased", "cased BERT"},
      {"bert-large-cased", "cased BERT"},
      {"xlnet", "XLNet"},
      {"gpt2", "GPT-2"},
      {"t5-small", "T5"},
      {"t5-base", "T5"},
      {"t5-large", "T5"},
      {"llama-3", "Llama 3"},
      {"llama-2", "Llama 2"},
      {"qwen2", "Qwen 2"},
      {"mistral-7b", "Mistral"},
      {"bart-base", "RoBERTa"},
      {"bart-large", "RoBERTa"},
  };
  for (const Known &known : kKnown) {
    if (lower.find(known.part) != std::string::npos) {
      const bool is_other = known.vocabulary == "T5" && has_word(lower, {"mt5", "byt5", "umt5", "codet5"});
      return is_other ? std::string_view{} : known.vocabulary;
    }
  }
  return {};
}

struct Loaded {
  const Call *tokenizer = nullptr;
  const Call *model = nullptr;
  u32 tokenizers = 0;
  u32 models = 0;
};

void on_module(Site &site) {
  if (site.module->is_test || !file_has_word(site, {"okenizer"}) || !file_has_word(site, {".from_pretrained("})) {
    return;
  }
  Loaded loaded;
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call == nullptr || called_method(*call) != "from_pretrained") {
        return false;
      }
      if (model::kind_of(call) == Kind::HfTokenizer || model::kind_of(call) == Kind::HfProcessor) {
        loaded.tokenizer = call;
        loaded.tokenizers += 1;
      } else {
        loaded.model = model::kind_of(call) == Kind::HfModel ? call : nullptr;
        loaded.models += 1;
      }
      return false;
    });
  }
  if (loaded.tokenizers != 1 || loaded.models != 1 || loaded.model == nullptr || loaded.tokenizer->args.empty() ||
      loaded.model->args.empty()) {
    return; // one of several may fit
  }
  const Site at_tokenizer = site_of(site, *loaded.tokenizer);
  Site at_model = site_of(site, *loaded.model);
  const auto first = string_of(at_tokenizer, loaded.tokenizer->args[0]);
  const auto second = string_of(at_model, loaded.model->args[0]);
  if (!first.has_value() || !second.has_value()) {
    return;
  }
  const std::string_view read = vocabulary_of(*first);
  const std::string_view expected = vocabulary_of(*second);
  if (read.empty() || expected.empty() || read == expected) {
    return;
  }
  Finding &finding =
      report(at_model, *loaded.model,
             fmt::format("`{}` was trained with a different vocabulary than the tokenizer's: {} instead of {}", *second,
                         expected, read),
             fmt::format("load the tokenizer of the model: `from_pretrained(\"{}\")`", *second));
  add_note(finding, at_tokenizer, *loaded.tokenizer, "the tokenizer is loaded here");
}

} // namespace

extern constinit const Rule kTokenizerOfAnotherModel = {
    .info = {.code = "DP905",
             .name = "tokenizer-of-another-model",
             .summary = "a tokenizer whose ids mean other tokens to the model",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A file that loads one tokenizer and one model of Transformers from checkpoints with different vocabularies, such as `bert-base-uncased` and
`roberta-base`.

## Why it is wrong

Ids are positions in a vocabulary. With another one, the pretrained embeddings belong to other tokens: fine-tuning starts from noise, and
ids beyond the end of the embeddings crash.

## Bad

```python
from transformers import AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
```

## Good

```python
from transformers import AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("roberta-base")
model = AutoModelForSequenceClassification.from_pretrained("roberta-base")
```

## When it is wrong

Where a model of that name was trained with the other tokenizer.

## References

- Transformers: preprocessing, "the same pretrained name for tokenizer and model"
)"},
    .on_module = on_module};

} // namespace deepperf::rules::tokenizer_of_another_model
