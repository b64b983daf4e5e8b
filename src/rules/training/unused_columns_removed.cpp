#include "rules/callables.h"
#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::unused_columns_removed {

using namespace python;
using model::Value;

namespace {

// Columns of raw data that no model takes as they are.
bool is_raw_column(std::string_view key) {
  constexpr std::string_view kRaw[] = {
      "image",      "img",     "images", "text",      "texts",     "sentence", "audio",      "path",     "file",
      "question",   "caption", "prompt", "answer",    "words",     "tokens",   "tags",       "ner_tags", "file_name",
      "image_path", "video",   "title",  "sentence1", "sentence2", "premise",  "hypothesis", "context"};
  return std::ranges::find(kRaw, key) != std::end(kRaw);
}

// The raw column that a function reads: `batch["image"]`; empty if there is none.
struct RawColumn {
  std::string key;
  const Expr *place = nullptr;
};

RawColumn raw_column_of(const Site &site, const model::FunctionInfo &function) {
  Site inside{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  inside.function = &function;
  inside.module = function.module;
  RawColumn found;
  any_node_inside(function.node, [&](const Node *node) {
    const auto *element = as<Subscript>(node);
    if (element == nullptr || element->context != Context::Load || element->slice->kind != NodeKind::Constant) {
      return false;
    }
    const auto key = string_of(inside, element->slice);
    if (key.has_value() && is_raw_column(*key)) {
      found = {*key, element};
    }
    return found.place != nullptr;
  });
  return found;
}

const model::FunctionInfo *function_of(const Site &site, const Expr *expr) { return callable_of(scope_of(site), expr); }

// The function that a dataset is transformed by when rows are read: with_transform(…), or set_transform(…) of the same
// expression in the function.
const model::FunctionInfo *transform_of(const Site &site, const Expr *dataset) {
  const auto *split = as<Subscript>(dataset); // ds["train"] of a DatasetDict
  const Value value = value_of(site, split != nullptr ? split->value : dataset);
  if (value.is_kind(Kind::HfDataset) && value.maker() != nullptr && called_method(*value.maker()) == "with_transform") {
    const Expr *transform = argument(*value.maker(), 0, "transform");
    return transform != nullptr ? function_of(site_of(site, *value.maker()), transform) : nullptr;
  }
  const std::string_view text = text_of(site, dataset);
  const model::FunctionInfo *found = nullptr;
  const auto visit = [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && called_method(*call) == "set_transform" && text_of(site, receiver_of(*call)) == text &&
        model::kind_of(receiver_of(*call)) != Kind::TorchDataset) {
      const Expr *transform = argument(*call, 0, "transform");
      found = transform != nullptr ? function_of(site, transform) : nullptr;
    }
    return false;
  };
  if (site.function->node != nullptr) {
    any_node(site.function->definition() != nullptr ? site.function->definition()->body : Block{}, visit);
  } else {
    any_node(site.module->parsed->tree.body, visit);
  }
  return found;
}

// Are unused columns removed, for all that the arguments tell? Null if not, or not known.
const Call *removing_arguments(const Site &site, const Expr *expr) {
  const auto written = model::written_as(scope_of(site), expr);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  if (made == nullptr || !argument_of(site_of(site, *made), *made, ~0U, "remove_unused_columns").is_absent()) {
    return nullptr; // set, or perhaps in settings that are not known
  }
  const Value callee = site.project.callee_of(made);
  const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
  return api == "transformers.TrainingArguments" || api == "transformers.Seq2SeqTrainingArguments" ? made : nullptr;
}

void check(Site &site, const Call &call) {
  const Expr *model = argument(call, 0, "model");
  const Expr *settings = argument(call, 1, "args");
  const Expr *collator = argument(call, 2, "data_collator");
  const Expr *dataset = argument(call, 3, "train_dataset");
  if (site.function == nullptr || model == nullptr || settings == nullptr || dataset == nullptr ||
      has_hidden_arguments(call) || !value_of(site, model).is_kind(Kind::HfModel) ||
      file_has_word(site, {"remove_unused_columns", "LayoutLMv2"})) {
    return;
  }
  const model::FunctionInfo *reader = transform_of(site, dataset);
  const bool is_transform = reader != nullptr;
  if (!is_transform && collator != nullptr && value_of(site, dataset).is_kind(Kind::HfDataset)) {
    const Value value = value_of(site, dataset);
    // What a map made of it is not followed.
    const std::string_view maker = value.maker() != nullptr && value.name() ? value.name().text() : std::string_view{};
    const bool is_raw = maker == "datasets.load_dataset" || maker == "datasets.load_from_disk" || maker == "select" ||
                        maker == "train_test_split" || maker == "shuffle";
    reader = is_raw ? function_of(site, collator) : nullptr;
  }
  const Call *arguments = reader != nullptr ? removing_arguments(site, settings) : nullptr;
  const RawColumn column = arguments != nullptr ? raw_column_of(site, *reader) : RawColumn{};
  if (column.place == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("the Trainer removes the column `{}`, which the {} reads: KeyError at the first batch",
                         column.key, is_transform ? "transform" : "collator"),
             "pass `remove_unused_columns=False` to `TrainingArguments`");
  finding.notes.push_back({reader->module->file, column.place->span(), "the column is read here"});
  const Site made = site_of(site, *arguments);
  finding.notes.push_back(
      {made.module->file, arguments->span(), "removes what the model's `forward()` does not accept"});
}

} // namespace

extern constinit const Rule kUnusedColumnsRemoved = {
    .info = {.code = "DP843",
             .name = "unused-columns-removed",
             .summary = "a transform or collator that reads a column that the Trainer has removed",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Transformers `Trainer` whose training data has a `with_transform` or `set_transform` function, or a collator, that reads a raw column such
as `"image"` or `"text"`, with `TrainingArguments` that do not set `remove_unused_columns=False`.

## Why it is wrong

The Trainer removes all columns for which the model's `forward` has no parameter. The function that computes `pixel_values` from `image`
runs afterwards, when a batch is read, and fails with a `KeyError` or "list index out of range".

## Bad

```python
from datasets import load_dataset
from transformers import Trainer, TrainingArguments, ViTForImageClassification

from images import to_tensor


def prepare(batch):
    return {"pixel_values": [to_tensor(x) for x in batch["image"]], "labels": batch["label"]}


data = load_dataset("food101", split="train").with_transform(prepare)
model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
args = TrainingArguments(output_dir="out", num_train_epochs=3, bf16=True)
trainer = Trainer(model=model, args=args, train_dataset=data)
```

## Good

```python
from datasets import load_dataset
from transformers import Trainer, TrainingArguments, ViTForImageClassification

from images import to_tensor


def prepare(batch):
    return {"pixel_values": [to_tensor(x) for x in batch["image"]], "labels": batch["label"]}


data = load_dataset("food101", split="train").with_transform(prepare)
model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
args = TrainingArguments(output_dir="out", num_train_epochs=3, remove_unused_columns=False, bf16=True)
trainer = Trainer(model=model, args=args, train_dataset=data)
```

## When it is wrong

For a model whose `forward` has a parameter of that name.

## References

- Transformers: TrainingArguments, remove_unused_columns
)"},
    .calls = "transformers.Trainer transformers.Seq2SeqTrainer",
    .on_call = check};

} // namespace deepperf::rules::unused_columns_removed
