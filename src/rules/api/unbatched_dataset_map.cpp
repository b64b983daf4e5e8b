#include "rules/callables.h"
#include "rules/options.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::unbatched_dataset_map {

using namespace python;

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
  const u32 own = function.type != nullptr && !function.is_static ? 1 : 0; // self
  if (function.params.size() != own + 1 || !function.params[own]->name) {
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
  const Symbol param = function.params[own]->name;
  return std::ranges::all_of(call->args, [param](const Expr *arg) { return is_column(arg, param); }) &&
         std::ranges::none_of(call->keywords, [param](const Keyword *keyword) {
           return !keyword->name || mentions(keyword->value, param) || keyword->name.text() == "return_tensors";
         });
}

// The call in the function that tokenizes its example; null if there is none.
const Call *tokenizes(const model::FunctionInfo &function) {
  const Call *found = nullptr;
  const auto look = [&found](const Node *node) {
    const auto *call = as<Call>(node);
    const Expr *const owner = call != nullptr ? receiver_of(*call) : nullptr;
    const std::string_view method =
        owner != nullptr && model::kind_of(owner) == Kind::HfTokenizer ? called_method(*call) : std::string_view{};
    if (call != nullptr && (model::kind_of(call->func) == Kind::HfTokenizer || method == "encode" ||
                            method == "encode_plus" || method == "tokenize")) {
      found = call;
    }
    return found != nullptr;
  };
  if (const FunctionDef *definition = function.definition()) {
    any_node(definition->body, look);
  } else if (const Lambda *lambda = function.lambda()) {
    any_node(lambda->body, look);
  }
  return found;
}

void check(Site &site, const Call &call) {
  if (call.args.empty() || call.args.size() > 1 || !are_absent(site, call, {"batched", "with_indices"})) {
    return;
  }
  const model::FunctionInfo *const function = callable_of(scope_of(site), call.args[0]);
  if (function == nullptr) {
    return;
  }
  if (!takes_batches(*function)) {
    const Call *const tokenizer = tokenizes(*function);
    if (tokenizer == nullptr) {
      return;
    }
    Finding &finding = report(site, call, "`map()` calls the tokenizer for one example at a time",
                              "let the function take lists of examples, and pass `batched=True`");
    finding.notes.push_back({function->module->file, tokenizer->span(), "one example is tokenized here"});
    if (!are_absent(site, call, {"num_proc"})) {
      finding.tier = Tier::Hint;
    }
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
