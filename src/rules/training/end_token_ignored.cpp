#include "python/literals.h"
#include "rules/reach.h"
#include "rules/tree.h"

namespace deepperf::rules::end_token_ignored {

using namespace python;
using model::Value;

namespace {

bool is_end_token(const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  return attribute != nullptr && (attribute->attr.text() == "eos_token" || attribute->attr.text() == "eos_token_id");
}

// What a file does with the end token of its tokenizer.
struct EndToken {
  const Node *as_padding = nullptr; // tokenizer.pad_token = tokenizer.eos_token, {"pad_token": tokenizer.eos_token}
  const Node *appended = nullptr;   // text + tokenizer.eos_token, f"{text}{tokenizer.eos_token}"
};

EndToken find_end_token(const Site &site) {
  EndToken found;
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *target = assignment != nullptr ? as<Attribute>(assignment->targets[0]) : nullptr;
      if (target != nullptr && (target->attr.text() == "pad_token" || target->attr.text() == "pad_token_id") &&
          is_end_token(assignment->value)) {
        found.as_padding = assignment;
      }
      const auto *tokens = as<Dict>(node);
      for (u32 i = 0; tokens != nullptr && i < tokens->items.size(); ++i) {
        const StringConstant *const key = tokens->items[i].key != nullptr ? as_string(tokens->items[i].key) : nullptr;
        if (key != nullptr && string_value(site.module->parsed->source, *key) == "pad_token" &&
            is_end_token(tokens->items[i].value)) {
          found.as_padding = tokens;
        }
      }
      const auto *sum = as<BinOp>(node);
      const auto *filled = as<FormattedValue>(node);
      if ((sum != nullptr && sum->op() == Operator::Add && is_end_token(sum->right)) ||
          (filled != nullptr && is_end_token(filled->value))) {
        found.appended = node;
      }
      return false;
    });
  }
  return found;
}

void check(Site &site, const Call &call) {
  const auto masked = setting_of(site, argument_of(site, call, 1, "mlm"), model::ConstantValue::of(true));
  if (site.module->is_test || !masked.has_value() || masked->as_bool() != false ||
      file_has_word(site, {"group_texts", "block_size", "\"<pad>\"", "'<pad>'", "[PAD]"})) {
    return;
  }
  const EndToken &end = site.memory.recall<EndToken>(site.module, [&site] { return find_end_token(site); });
  if (end.as_padding == nullptr || end.appended == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call,
             "the end token is also the padding, whose labels this collator ignores, so the model never learns to stop",
             "use a separate pad token: `tokenizer.add_special_tokens({\"pad_token\": \"<pad>\"})`, and resize the "
             "model's embeddings");
  add_note(finding, site, *end.as_padding, "the end token becomes the padding here");
  add_note(finding, site, *end.appended, "the texts end with it");
}

} // namespace

extern constinit const Rule kEndTokenIgnored = {
    .info = {.code = "DP935",
             .name = "end-token-ignored",
             .summary = "an end token that is also the padding, so that the loss never counts it",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`DataCollatorForLanguageModeling(tokenizer, mlm=False)` where the pad token is the end token, in a program that appends the end token to its
texts.

## Why it is wrong

The collator sets the labels of all pad tokens to -100. Where padding and end are the same token, the end of each text is ignored too, and
the model never learns to stop.

## Bad

```python
from transformers import AutoTokenizer, DataCollatorForLanguageModeling

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token


def encode(batch):
    return tokenizer([text + tokenizer.eos_token for text in batch["text"]], truncation=True)


collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
```

## Good

```python
from transformers import AutoTokenizer, DataCollatorForLanguageModeling

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.add_special_tokens({"pad_token": "<pad>"})


def encode(batch):
    return tokenizer([text + tokenizer.eos_token for text in batch["text"]], truncation=True)


collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
```

## When it is wrong

For texts that are joined and cut into blocks of the same length, which are never padded: other end tokens than the last are ignored all the
same.

## References

- Transformers: `DataCollatorForLanguageModeling`, `torch_call`
)"},
    .calls = "transformers.DataCollatorForLanguageModeling",
    .on_call = check};

} // namespace deepperf::rules::end_token_ignored
