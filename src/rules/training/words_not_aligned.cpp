#include "rules/encoding.h"
#include "rules/options.h"
#include "rules/reach.h"
#include "rules/tree.h"

namespace deepperf::rules::words_not_aligned {

using namespace python;

namespace {

// Where the function stores labels: `encoded["labels"] = …`, or "labels" in a dictionary; null if nowhere.
const Node *labels_of(const Site &site) {
  const FunctionDef *definition = site.function->definition();
  const Node *found = nullptr;
  any_node(definition->body, [&](const Node *node) {
    if (const auto *assignment = as<Assign>(node)) {
      const auto *target = as<Subscript>(assignment->targets[0]);
      const bool is_labels =
          target != nullptr && target->slice->kind == NodeKind::Constant && string_of(site, target->slice) == "labels";
      found = is_labels ? node : found;
    } else if (const auto *dictionary = as<Dict>(node)) {
      for (const DictItem &item : dictionary->items) {
        const bool is_labels =
            item.key != nullptr && item.key->kind == NodeKind::Constant && string_of(site, item.key) == "labels";
        found = is_labels ? item.value : found;
      }
    }
    return found != nullptr;
  });
  return found;
}

void check(Site &site, const Call &call) {
  if (option_of(site, call, "is_split_into_words").as_bool() != true || site.function == nullptr ||
      site.function->definition() == nullptr || site.module->is_test) {
    return;
  }
  // Somebody finds out which word each token belongs to, or tokenizes word by word.
  if (file_has_word(site, {"word_ids", "word_to_tokens", "token_to_word", "offset_mapping", "offsets", "word_to_chars",
                           "align", "subword", "sub_token", "tokenize("})) {
    return;
  }
  const Node *labels = labels_of(site);
  if (labels == nullptr) {
    return;
  }
  Finding &finding = report(
      site, *labels,
      "these labels belong to words, but the model sees tokens: special tokens and split words misalign them",
      "map each token to its word's label with `word_ids()`, and use -100 for special tokens and the rest of a word");
  add_note(finding, site, call, "the words are tokenized here");
}

} // namespace

extern constinit const Rule kWordsNotAligned = {
    .info = {.code = "DP846",
             .name = "words-not-aligned",
             .summary = "word labels that are used as token labels",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A function that tokenizes words with `is_split_into_words=True` and stores `labels`, in a file that never looks up which word a token
belongs to (`word_ids()`, `word_to_tokens`, offsets).

## Why it is wrong

The tokenizer adds a special token at the start and splits long words. The label of word i then belongs to a different token, and the offset
grows with every split. The model learns the tags of neighboring words, and the accuracy looks acceptable because most tags are "O".

## Bad

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")


def encode(examples):
    encoded = tokenizer(examples["tokens"], truncation=True, is_split_into_words=True)
    encoded["labels"] = examples["ner_tags"]
    return encoded
```

## Good

```python
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")


def encode(examples):
    encoded = tokenizer(examples["tokens"], truncation=True, is_split_into_words=True)
    labels = []
    for i, tags in enumerate(examples["ner_tags"]):
        words = encoded.word_ids(batch_index=i)
        labels.append([-100 if word is None else tags[word] for word in words])
    encoded["labels"] = labels
    return encoded
```

## When it is wrong

Where the labels belong to the whole text.

## References

- Transformers documentation: token classification
)"},
    .calls = "HfTokenizer.__call__ HfTokenizer.batch_encode_plus HfTokenizer.encode_plus",
    .on_call = check};

} // namespace deepperf::rules::words_not_aligned
