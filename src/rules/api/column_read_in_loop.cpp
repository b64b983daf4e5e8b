#include "base/symbol_list.h"
#include "model/context.h"
#include "rules/reach.h"
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

// ---- Whole samples decoded for one value ---------------------------------------------------------------------------

// The column that `row["label"]` reads of a row under that name; empty if the node is something else.
std::string column_of_row(const Site &site, const Node *node, Symbol row) {
  const auto *element = as<Subscript>(node);
  const auto *name = element != nullptr ? as<Name>(element->value) : nullptr;
  const bool is_row = name != nullptr && name->id == row && element->context == Context::Load;
  return is_row ? string_of(site, element->slice).value_or("") : std::string();
}

// Columns that hold encoded images, sounds or films: reading a row decodes them.
bool is_decoded_column(std::string_view key) {
  constexpr std::string_view kDecoded[] = {"image", "img", "images", "audio", "video", "pixel_values"};
  return std::ranges::find(kDecoded, key) != std::end(kDecoded);
}

// Is the dataset one of image or sound files, or the only one of a project that reads images or sounds of its rows?
bool has_decoded_columns(const Site &site, const Expr *dataset) {
  const model::Value value = value_of(site, dataset);
  const Call *const maker = value.maker();
  const auto name =
      maker != nullptr && !maker->args.empty() ? string_of(site_of(site, *maker), maker->args[0]) : std::nullopt;
  if (name == "imagefolder" || name == "audiofolder") {
    return true;
  }
  struct Loads {
    u32 count = 0;
  };
  const auto find = [&site] {
    Loads found;
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.parsed->tree.body) {
        any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
          const auto *call = as<Call>(node);
          found.count +=
              call != nullptr && model::kind_of(call) == Kind::HfDataset && called_name(*call).starts_with("load_") ? 1
                                                                                                                    : 0;
          return false;
        });
      }
    }
    return found;
  };
  return site.memory.recall<Loads>(&site.project, find).count == 1 &&
         project_has_word(site, {"[\"image\"]", "['image']", "[\"img\"]", "['img']", "[\"audio\"]", "['audio']",
                                 "[\"video\"]", "['video']"});
}

// What a loop or comprehension does with each row: the one column that it reads; empty if there is more.
std::string only_column(const Site &site, const Node &loop, const Name &target) {
  std::string column;
  u32 reads = 0;
  u32 uses = 0;
  const auto look = [&](const Node *node) {
    const auto *name = as<Name>(node);
    uses += name != nullptr && name->id == target.id && name->context == Context::Load ? 1 : 0;
    if (std::string read = column_of_row(site, node, target.id); !read.empty()) {
      reads += column.empty() || column == read ? 1 : 0;
      column = std::move(read);
    }
    return false;
  };
  any_node_inside(&loop, look);
  return reads != 0 && reads == uses ? column : std::string();
}

// The position that is read of each sample: of `for _, y in data` or `[y for _, y in data]` the one name that is used.
// -1 if there is more, or if the first one is used, which is the picture.
i32 only_position(const Node &loop, const Tuple &target) {
  i32 position = -1;
  for (u32 i = 0; i < target.elts.size(); ++i) {
    const auto *name = as<Name>(target.elts[i]);
    if (name == nullptr) {
      return -1;
    }
    const bool is_used = any_node_inside(&loop, [name](const Node *node) {
      const auto *use = as<Name>(node);
      return use != nullptr && use->id == name->id && use->context == Context::Load;
    });
    if (is_used && (i == 0 || position >= 0)) {
      return -1;
    }
    position = is_used ? static_cast<i32>(i) : position;
  }
  return position;
}

// The attribute with all labels of a dataset of torchvision; empty if it has none.
std::string_view labels_attribute(std::string_view api) {
  constexpr std::string_view kTargets[] = {"CIFAR10", "CIFAR100", "MNIST",       "FashionMNIST",
                                           "KMNIST",  "QMNIST",   "ImageFolder", "DatasetFolder"};
  constexpr std::string_view kLabels[] = {"SVHN", "STL10"};
  if (!api.starts_with("torchvision.datasets.")) {
    return {};
  }
  const std::string_view name = api.substr(api.rfind('.') + 1);
  return std::ranges::find(kTargets, name) != std::end(kTargets) ? "targets"
         : std::ranges::find(kLabels, name) != std::end(kLabels) ? "labels"
                                                                 : "";
}

// A loop, or a comprehension with one `for`.
struct Head {
  const Expr *target = nullptr;
  const Expr *iter = nullptr;
};

Head head_of(const Node &node) {
  if (const auto *statement = as<For>(&node)) {
    return {statement->target, statement->iter};
  }
  const auto &made = static_cast<const ComprehensionExpr &>(node);
  return made.generators.size() == 1 ? Head{made.generators[0]->target, made.generators[0]->iter} : Head{};
}

void check_rows(Site &site, const Node &node) {
  const Head head = head_of(node);
  const model::Loop *const loop = head.iter != nullptr ? site.project.loop_at(&node) : nullptr;
  if (loop == nullptr || loop->few_iterations || site.module->is_test || site.function == nullptr || loop->trains) {
    return;
  }
  const Expr *const dataset = model::iterated_by(site.project, *loop);
  const auto *split = as<Subscript>(dataset);
  const model::Value value = dataset != nullptr ? value_of(site, dataset) : model::Value{};
  const bool is_split = split != nullptr && split->slice->kind == NodeKind::Constant &&
                        value_of(site, split->value).is_kind(Kind::HfDataset);
  if (value.is_kind(Kind::HfDataset) || is_split) {
    const auto *row = as<Name>(head.target);
    const std::string column = row != nullptr ? only_column(site, node, *row) : std::string();
    if (column.empty() || is_decoded_column(column) || !has_decoded_columns(site, is_split ? split->value : dataset)) {
      return;
    }
    report(site, *head.iter,
           fmt::format("this decodes every row of the dataset, with its images or sounds, to read `\"{}\"`", column),
           fmt::format("read the column: `{}[\"{}\"]`", text_of(site, dataset), column))
        .tier = Tier::On;
    return;
  }
  const auto *parts = as<Tuple>(head.target);
  const std::string_view attribute =
      value.maker() != nullptr && value.name() ? labels_attribute(value.name().text()) : std::string_view{};
  if (parts == nullptr || parts->elts.size() != 2 || attribute.empty() || only_position(node, *parts) != 1) {
    return;
  }
  report(site, *head.iter, "this decodes and transforms every image of the dataset to read its label",
         fmt::format("read the labels: `{}.{}`", text_of(site, dataset), attribute))
      .tier = Tier::On;
}

// `dataset[i]["label"]` and `dataset[i][1]` for each `i`.
void check_row(Site &site, const Subscript &element, const Subscript &row) {
  const model::Loop *const loop = loop_around(site);
  const auto *index = as<Name>(row.slice);
  const Expr *const iterated = loop != nullptr ? iterated_by(site, *loop) : nullptr;
  const auto *range = as<Call>(iterated);
  const auto *count = range != nullptr && called_api(site, *range) == "range" && range->args.size() == 1
                          ? as<Call>(range->args[0])
                          : nullptr;
  if (index == nullptr || count == nullptr || called_name(*count) != "len" || count->args.size() != 1 ||
      text_of(site, count->args[0]) != text_of(site, row.value) || site.module->is_test ||
      !contains(loop->assigned, index->id)) {
    return;
  }
  const model::Value value = value_of(site, row.value);
  const auto reads = [&](const Node *node) { // the row, or a column
    const auto *other = as<Subscript>(node);
    return other != nullptr && text_of(site, other->value) == text_of(site, row.value);
  };
  u32 all = 0;
  any_node_inside(loop->node, [&](const Node *node) {
    all += reads(node) ? 1 : 0;
    return false;
  });
  if (all != 1) {
    return; // other parts of the row are read as well
  }
  if (value.is_kind(Kind::HfDataset)) {
    const auto column = string_of(site, element.slice);
    if (column.has_value() && !is_decoded_column(*column) && !column->empty() && has_decoded_columns(site, row.value)) {
      report(site, element,
             fmt::format("this decodes every row of the dataset, with its images or sounds, to read `\"{}\"`", *column),
             fmt::format("read the column: `{}[\"{}\"]`", text_of(site, row.value), *column))
          .tier = Tier::On;
    }
    return;
  }
  const std::string_view attribute =
      value.maker() != nullptr && value.name() ? labels_attribute(value.name().text()) : std::string_view{};
  const auto position = integer_of(site, element.slice);
  if (!attribute.empty() && (position == 1 || position == -1)) {
    report(site, element, "this decodes and transforms every image of the dataset to read its label",
           fmt::format("read the labels: `{}.{}`", text_of(site, row.value), attribute))
        .tier = Tier::On;
  }
}

void check(Site &site, const Node &node) {
  if (node.kind != NodeKind::Subscript) {
    check_rows(site, node);
    return;
  }
  const auto &element = static_cast<const Subscript &>(node);
  if (const auto *row = as<Subscript>(element.value); row != nullptr && element.context == Context::Load) {
    check_row(site, element, *row);
  }
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
  finding.tier = Tier::Hint;
  add_note(finding, site, *loop->node, "in every iteration of this loop");
}

} // namespace

extern constinit const Rule kColumnReadInLoop = {
    .info = {.code = "DP158",
             .name = "column-read-in-loop",
             .summary = "a whole dataset or column that is decoded to read one value of each row, or one row",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`dataset["column"][i]` in a loop over `i`, where `dataset` is a Hugging Face dataset that does not change in the loop (a hint). And loops over whole
samples that read only their label: `[row["label"] for row in dataset]` of a dataset with images or sounds, and `[y for _, y in dataset]` or
`dataset[i][1]` of a dataset of torchvision.

## Why it costs

Before Datasets 4.0, `dataset["column"]` builds a Python list of the whole column. It decodes every image or text, and
the loop then uses one of them, so the time grows with the square of the number of rows. `dataset[i]["column"]` reads
one row.

Going through the rows of a dataset decodes each image or sound, and torchvision applies the transforms as well. The labels alone are in memory:
`dataset["label"]`, `dataset.targets`.

## Bad

```python
from datasets import load_dataset

reviews = load_dataset("imdb", split="train")
for i in range(len(reviews)):
    print(reviews["text"][i])

plants = load_dataset("imagefolder", data_dir="plants", split="train")
labels = [row["label"] for row in plants]
```

## Good

```python
from datasets import load_dataset

reviews = load_dataset("imdb", split="train")
for i in range(len(reviews)):
    print(reviews[i]["text"])

plants = load_dataset("imagefolder", data_dir="plants", split="train")
labels = plants["label"]
```

## When it is wrong

The column of one element: since Datasets 4.0, `dataset["column"]` is a lazy `Column` that decodes only the elements that are read.

## References

- Datasets: know your dataset, indexing
- Datasets 4.0 release notes: the `Column` object
)"},
    .nodes = {NodeKind::Subscript, NodeKind::For, NodeKind::ListComp, NodeKind::SetComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::column_read_in_loop
