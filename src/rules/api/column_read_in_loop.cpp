#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::column_read_in_loop {

using namespace python;

namespace {

bool is_split(std::string_view key) {
  constexpr std::string_view kSplits[] = {"train", "validation", "valid", "val", "test", "dev", "eval", "unsupervised"};
  return std::ranges::any_of(kSplits, [key](std::string_view split) { return key.starts_with(split); });
}

// `dataset["column"]` of a dataset of Hugging Face; its splits are no columns.
const Subscript *column_of(const Site &site, const Expr *expr) {
  const auto *column = as<Subscript>(expr);
  const auto key =
      column != nullptr && column->slice->kind == NodeKind::Constant ? string_of(site, column->slice) : std::nullopt;
  if (!key.has_value() || is_split(*key)) {
    return nullptr;
  }
  const Expr *dataset = column->value;
  if (const auto *split = as<Subscript>(dataset); split != nullptr && string_of(site, split->slice).has_value()) {
    dataset = split->value; // dataset["train"]["text"]
  }
  return value_of(site, dataset).is_kind(Kind::HfDataset) || model::kind_of(dataset) == Kind::HfDataset ? column
                                                                                                        : nullptr;
}

// Does the loop bind a name or attribute of the expression?
bool is_bound_by(const model::Loop &loop, const Node *expr) {
  return any_node(expr, [&loop](const Node *node) {
    const auto *name = as<Name>(node);
    const auto *attribute = as<Attribute>(node);
    const auto has = [](const std::vector<Symbol> &names, Symbol wanted) {
      return std::ranges::find(names, wanted) != names.end();
    };
    return (name != nullptr && has(loop.assigned, name->id)) ||
           (attribute != nullptr && has(loop.attributes, attribute->attr));
  });
}

void check(Site &site, const Node &node) {
  const auto &element = static_cast<const Subscript &>(node);
  if (element.slice->kind == NodeKind::Slice || element.slice->kind == NodeKind::Constant ||
      element.context != Context::Load) {
    return;
  }
  const Subscript *column = column_of(site, element.value);
  const model::Loop *loop = column != nullptr ? loop_around(site) : nullptr;
  while (loop != nullptr && loop->few_iterations) {
    loop = loop->parent;
  }
  if (loop == nullptr || !is_bound_by(*loop, element.slice) || is_bound_by(*loop, column->value)) {
    return;
  }
  const std::string_view dataset = text_of(site, column->value);
  Finding &finding =
      report(site, element,
             fmt::format("every iteration decodes the whole column `{}` to read one element", text_of(site, column)),
             fmt::format("index the row first: `{}[{}][{}]`, or read the column once before the loop", dataset,
                         text_of(site, element.slice), text_of(site, column->slice)));
  add_note(finding, site, *loop->node, "in every iteration of this loop");
}

} // namespace

extern constinit const Rule kColumnReadInLoop = {
    .info = {.code = "DP158",
             .name = "column-read-in-loop",
             .summary = "a Hugging Face dataset column that is decoded as a whole to read one element",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`dataset["column"][i]` in a loop over `i`, where `dataset` is a Hugging Face dataset that does not change in the loop.

## Why it costs

Before Datasets 4.0, `dataset["column"]` builds a Python list of the whole column. It decodes every image or text, and
the loop then uses one of them, so the time grows with the square of the number of rows. `dataset[i]["column"]` reads
one row.

## Bad

```python
from datasets import load_dataset

reviews = load_dataset("imdb", split="train")
for i in range(len(reviews)):
    print(reviews["text"][i])
```

## Good

```python
from datasets import load_dataset

reviews = load_dataset("imdb", split="train")
for i in range(len(reviews)):
    print(reviews[i]["text"])
```

## When it is wrong

Since Datasets 4.0, `dataset["column"]` is a lazy `Column` that decodes only the elements that are read.

## References

- Datasets: know your dataset, indexing
- Datasets 4.0 release notes: the `Column` object
)"},
    .nodes = {NodeKind::Subscript},
    .on_node = check};

} // namespace deepperf::rules::column_read_in_loop
