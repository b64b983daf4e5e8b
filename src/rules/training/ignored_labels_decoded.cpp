#include "rules/callables.h"
#include "rules/encoding.h"
#include "rules/options.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::ignored_labels_decoded {

using namespace python;

namespace {

// `output.label_ids`, or the second part of what the function gets.
bool is_labels(const Site &inside, const Expr *expr) {
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == "label_ids";
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr) {
    return false;
  }
  bool found = false;
  any_node(inside.function->definition()->body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->targets.size() != 1) {
      return false;
    }
    const auto *parts = as<Tuple>(assignment->targets[0]);
    const auto *second = parts != nullptr && parts->elts.size() == 2 ? as<Name>(parts->elts[1]) : nullptr;
    const auto *given = as<Name>(assignment->value);
    const auto *whole = as<Name>(assignment->targets[0]);
    found |= second != nullptr && second->id == name->id && given != nullptr &&
             std::ranges::any_of(inside.function->params, [given](const Param *one) { return one->name == given->id; });
    found |= whole != nullptr && whole->id == name->id && assignment->value->kind == NodeKind::Attribute &&
             is_labels(inside, assignment->value);
    return found;
  });
  return found;
}

void check(Site &site, const Call &call) {
  const Option metrics = option_of(site, call, "compute_metrics");
  const model::FunctionInfo *const function =
      metrics.value != nullptr ? callable_of(metrics.scope, metrics.value) : nullptr;
  if (function == nullptr || site.module->is_test || function->definition() == nullptr ||
      has_word(text_of(*function), {"-100", "IGNORE", "ignore_index", "pad_token_id", "where(", "< 0", ">= 0"})) {
    return;
  }
  Site inside{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  inside.function = function;
  inside.module = function->module;
  const Call *decoded = nullptr;
  any_node(function->definition()->body, [&](const Node *node) {
    const auto *one = as<Call>(node);
    if (one != nullptr && called_method(*one) == "batch_decode" && !one->args.empty() &&
        is_labels(inside, one->args[0])) {
      decoded = one;
    }
    return decoded != nullptr;
  });
  if (decoded == nullptr) {
    return;
  }
  Finding &finding = report(inside, *decoded, "the labels contain -100 where they are padded, which is not a token id",
                            "replace it first: `labels = np.where(labels != -100, labels, tokenizer.pad_token_id)`");
  finding.notes.push_back({site.module->file, call.func->span(), "this Trainer pads labels with -100"});
  if (project_has_word(site, {"\"max_length\"", "'max_length'"}) &&
      !project_has_word(site, {"DataCollatorForSeq2Seq"})) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kIgnoredLabelsDecoded = {.info = {.code = "DP933",
                                                              .name = "ignored-labels-decoded",
                                                              .summary = "labels that are decoded with -100 in them",
                                                              .root_cause = "Training: Wrong Evaluation",
                                                              .symptoms = "Program Crash, Wrong Result",
                                                              .stage = "Training",
                                                              .frameworks = "PyTorch",
                                                              .severity = Severity::Error,
                                                              .tier = Tier::On,
                                                              .documentation = R"(## What it finds

A `compute_metrics` function of a sequence-to-sequence Trainer that passes the labels to `batch_decode` and never replaces -100.

## Why it is wrong

The Trainer pads labels of different lengths with -100 when it joins the batches, as `DataCollatorForSeq2Seq` does within a batch. That is not
a token id: fast tokenizers raise an `OverflowError`, others return wrong texts.

## Bad

```python
from transformers import AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def exact(output):
    predictions, labels = output
    given = tokenizer.batch_decode(predictions, skip_special_tokens=True)
    wanted = tokenizer.batch_decode(labels, skip_special_tokens=True)
    return {"exact": sum(a == b for a, b in zip(given, wanted)) / len(wanted)}


def train(model, data):
    arguments = Seq2SeqTrainingArguments("out", bf16=True, predict_with_generate=True)
    Seq2SeqTrainer(model=model, args=arguments, train_dataset=data, compute_metrics=exact).train()
```

## Good

```python
import numpy as np
from transformers import AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def exact(output):
    predictions, labels = output
    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
    given = tokenizer.batch_decode(predictions, skip_special_tokens=True)
    wanted = tokenizer.batch_decode(labels, skip_special_tokens=True)
    return {"exact": sum(a == b for a, b in zip(given, wanted)) / len(wanted)}


def train(model, data):
    arguments = Seq2SeqTrainingArguments("out", bf16=True, predict_with_generate=True)
    Seq2SeqTrainer(model=model, args=arguments, train_dataset=data, compute_metrics=exact).train()
```

## When it is wrong

Where all labels were padded to the same length with the pad token; there it is a hint.

## References

- Transformers: translation and summarization guides, `compute_metrics`
)"},
                                                     .calls = "transformers.Seq2SeqTrainer",
                                                     .on_call = check};

} // namespace deepperf::rules::ignored_labels_decoded
