#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::unbatched_dataset_map {

using namespace python;
using model::Value;

namespace {

// `examples["text"]` of the function's own parameter.
bool is_column(const Expr *expr, Symbol param) {
  const auto *subscript = as<Subscript>(expr);
  const auto *name = subscript != nullptr ? as<Name>(subscript->value) : nullptr;
  return name != nullptr && name->id == param;
}

bool is_tokenizer(const Expr *callee) {
  if (model::kind_of(callee) == Kind::HfTokenizer) {
    return true;
  }
  const auto *name = as<Name>(callee);
  const auto *attribute = as<Attribute>(callee);
  const std::string_view text = name != nullptr        ? name->id.text()
                                : attribute != nullptr ? attribute->attr.text()
                                                       : std::string_view{};
  return text == "tokenizer";
}

// Does the function nothing but tokenize columns of its example? Then it does the same for a batch.
bool takes_batches(const model::FunctionInfo &function) {
  if (function.params.size() != 1 || !function.params[0]->name) {
    return false;
  }
  const Expr *result = nullptr;
  if (const Lambda *lambda = function.lambda()) {
    result = lambda->body;
  } else if (const FunctionDef *definition = function.definition()) {
    for (const Stmt *statement : definition->body) {
      const auto *text = as<ExprStmt>(statement);
      if (text != nullptr && text->value->kind == NodeKind::Constant) {
        continue; // its documentation
      }
      const auto *returned = as<Return>(statement);
      if (returned == nullptr || result != nullptr) {
        return false;
      }
      result = returned->value;
    }
  }
  const auto *call = as<Call>(result);
  if (call == nullptr || !is_tokenizer(call->func) || call->args.empty() || call->args.size() > 2) {
    return false;
  }
  const Symbol param = function.params[0]->name;
  return std::ranges::all_of(call->args, [param](const Expr *arg) { return is_column(arg, param); }) &&
         std::ranges::none_of(call->keywords, [param](const Keyword *keyword) {
           return !keyword->name || mentions(keyword->value, param) || keyword->name.text() == "return_tensors";
         });
}

void check(Site &site, const Call &call) {
  if (call.args.empty() || has_hidden_arguments(call) || keyword_argument(call, "batched") != nullptr ||
      keyword_argument(call, "with_indices") != nullptr || call.args.size() > 1) {
    return;
  }
  const Value mapper = call.args[0]->kind == NodeKind::Lambda ? Value{} : value_of(site, call.args[0]);
  const model::FunctionInfo *function = nullptr;
  if (call.args[0]->kind == NodeKind::Lambda) {
    function = site.project.function_at(call.args[0]);
  } else if (mapper.is(Value::Tag::Function)) {
    function = mapper.function;
  }
  if (function == nullptr || !takes_batches(*function)) {
    return;
  }
  Finding &finding = report(site, call, "`map()` calls the tokenizer for one example at a time",
                            "add `batched=True`: the function works on a batch of columns without changes");
  if (const std::optional<Edit> edit = add_argument(site, call, "batched=True")) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kUnbatchedDatasetMap = {
    .info = {.code = "DP142",
             .name = "unbatched-dataset-map",
             .summary = "a Hugging Face `Dataset.map` that tokenizes one example at a time",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`dataset.map(f)` of the Datasets library without `batched=True`, where `f` only passes columns to a tokenizer.

## Why it costs

Each call enters the tokenizer from Python and writes one row. With `batched=True` the function gets 1,000 examples at
once, and a fast tokenizer processes them on all cores.

## Bad

```python
from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
reviews = load_dataset("imdb", split="train")
tokens = reviews.map(lambda example: tokenizer(example["text"], truncation=True))
```

## Good

```python
from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
reviews = load_dataset("imdb", split="train")
tokens = reviews.map(lambda example: tokenizer(example["text"], truncation=True), batched=True)
```

## When it is wrong

With `padding=True` a batch is padded to its longest text, a single example not at all; the fix therefore needs
`--unsafe-fixes`. For a small dataset both are quick.

## References

- Datasets: process, batch processing; use with tokenizers
)"},
    .calls = "HfDataset.map",
    .on_call = check};

} // namespace deepperf::rules::unbatched_dataset_map
