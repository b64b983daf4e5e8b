#include "model/bind.h"
#include "model/definitions.h"
#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace deepperf::rules::labels_numbered_per_split {

using namespace python;

namespace {

// Numbers that are given to the classes of some rows.
struct Numbering {
  const Expr *rows = nullptr; // null if it is something else
  bool is_sorted = false;     // then they only differ where a class is missing
};

// `unique()` of rows, `set(rows)`, also sorted or as a list.
Numbering classes_of(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  const auto *call = as<Call>(written_value(site, expr));
  if (call == nullptr || depth > kMostDepth) {
    return {};
  }
  const std::string_view api = called_api(site, *call);
  const auto *function = as<Name>(call->func);
  const std::string_view name = function != nullptr ? function->id.text() : std::string_view{};
  const bool is_sorting = name == "sorted";
  if ((is_sorting || name == "list") && !call->args.empty()) {
    Numbering inner = classes_of(site, call->args[0], depth + 1);
    inner.is_sorted = inner.is_sorted || is_sorting;
    return inner;
  }
  if ((name == "set" || api == "pandas.unique" || api == "numpy.unique") && call->args.size() == 1) {
    return {.rows = call->args[0], .is_sorted = api == "numpy.unique"};
  }
  if (called_method(*call) == "unique" && call->args.empty()) {
    return {.rows = receiver_of(*call)};
  }
  return called_method(*call) == "tolist" ? classes_of(site, receiver_of(*call), depth + 1) : Numbering{};
}

// `{label: i for i, label in enumerate(classes)}`, `dict(zip(classes, range(n)))`
Numbering numbering_in(const Site &site, const Expr *value) {
  if (const auto *numbers = as<DictComp>(value); numbers != nullptr && numbers->generators.size() == 1) {
    const auto *counted = as<Call>(numbers->generators[0]->iter);
    const auto *target = as<Tuple>(numbers->generators[0]->target);
    const auto *number = as<Name>(numbers->value);
    const auto *first = target != nullptr && target->elts.size() == 2 ? as<Name>(target->elts[0]) : nullptr;
    const bool is_number = number != nullptr && first != nullptr && number->id == first->id;
    return counted != nullptr && called_name(*counted) == "enumerate" && !counted->args.empty() && is_number
               ? classes_of(site, counted->args[0])
               : Numbering{};
  }
  const auto *made = as<Call>(value);
  const auto *pairs =
      made != nullptr && called_name(*made) == "dict" && made->args.size() == 1 ? as<Call>(made->args[0]) : nullptr;
  const auto *numbers =
      pairs != nullptr && called_name(*pairs) == "zip" && pairs->args.size() == 2 ? as<Call>(pairs->args[1]) : nullptr;
  return numbers != nullptr && called_name(*numbers) == "range" ? classes_of(site, pairs->args[0]) : Numbering{};
}

// The parameter that the rows come from, also by way of an attribute that it was stored in.
std::optional<u32> parameter_of(const Site &site, const Expr *rows) {
  const auto &params = site.function->params;
  const auto place_of = [&](Symbol name) -> std::optional<u32> {
    const auto *const at = std::ranges::find(params, name, &Param::name);
    return at != params.end() ? std::optional(static_cast<u32>(at - params.begin())) : std::nullopt;
  };
  std::optional<u32> found;
  any_node_inside(static_cast<const Node *>(rows), [&](const Node *node) {
    if (const auto *name = as<Name>(node)) {
      const std::optional<u32> place = place_of(name->id);
      if (place.has_value() && !(*place == 0 && site.function->type != nullptr)) {
        found = place;
      }
    }
    const auto *attribute = as<Attribute>(node);
    if (attribute == nullptr || !model::is_own_object(*site.function, attribute->value)) {
      return found.has_value();
    }
    any_node(body_around(site), [&](const Node *part) {
      const auto *store = as<Assign>(part);
      const auto *target = store != nullptr && store->targets.size() == 1 ? as<Attribute>(store->targets[0]) : nullptr;
      const bool is_it = target != nullptr && target->attr == attribute->attr && store->end <= rows->start;
      const Name *const root = is_it ? model::root_name(store->value) : nullptr;
      const std::optional<u32> place = root != nullptr ? place_of(root->id) : std::nullopt;
      found = place.has_value() && *place != 0 ? place : found;
      return found.has_value();
    });
    return found.has_value();
  });
  return found;
}

enum class Split : u8 { None, Training, Evaluation };

Split split_in(std::string_view text) {
  const bool is_evaluation = has_word_in_any_case(text, {"val", "test", "dev", "eval", "va_"});
  const bool is_training = has_word_in_any_case(text, {"train", "tr_"});
  return is_training == is_evaluation ? Split::None : is_training ? Split::Training : Split::Evaluation;
}

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  const model::FunctionInfo *const function = site.project.function_at(&node);
  if (function == nullptr || function->type == nullptr || function->type->kind != Kind::TorchDataset ||
      definition.name.text() != "__init__" || site.module->is_test) {
    return;
  }
  const Site inside = site_inside(site, *function);
  const Expr *numbers = nullptr;
  Numbering numbering;
  Symbol attribute;
  for (const Stmt *statement : definition.body) {
    const auto *assign = as<Assign>(statement);
    const Numbering found = assign != nullptr ? numbering_in(inside, assign->value) : Numbering{};
    if (found.rows != nullptr && numbers == nullptr) {
      numbers = assign->value;
      numbering = found;
      const auto *target = as<Attribute>(assign->targets[0]);
      attribute = target != nullptr ? target->attr : Symbol{};
    }
  }
  const std::optional<u32> place = numbers != nullptr ? parameter_of(inside, numbering.rows) : std::nullopt;
  if (!place.has_value() || *place == 0) {
    return;
  }
  const model::Definitions &definitions = model::definitions_of(site.project);
  if (const auto stores =
          attribute ? definitions.attribute_stores.find(attribute.id) : definitions.attribute_stores.end();
      stores != definitions.attribute_stores.end() &&
      std::ranges::any_of(stores->second, [&](const model::AttributeStore &one) {
        return one.function == nullptr || one.function->type != function->type;
      })) {
    return; // the numbers of one split are given to another
  }
  const auto made = definitions.constructions.find(function->type);
  const Call *training = nullptr;
  const Call *evaluation = nullptr;
  if (made != definitions.constructions.end()) {
    for (const model::CallPlace &one : made->second) {
      const Expr *const rows = argument(*one.call, *place - 1, function->params[*place]->name.text());
      const Split split = rows != nullptr ? split_in(text_of(site_of(site, *one.call), rows)) : Split::None;
      training = split == Split::Training && training == nullptr ? one.call : training;
      evaluation = split == Split::Evaluation && evaluation == nullptr ? one.call : evaluation;
    }
  }
  if (training == nullptr || evaluation == nullptr) {
    return;
  }
  Finding &finding = report(
      site, *numbers,
      numbering.is_sorted
          ? "each split numbers its own classes, so labels differ as soon as one split lacks a class"
          : "each split numbers its classes in the order of its own rows, so the same class has different labels "
            "in training and evaluation",
      "collect the classes of all splits once, in sorted order, and pass them to every split");
  finding.notes.push_back({site_of(site, *training).module->file, training->span(), "the rows for training"});
  finding.notes.push_back({site_of(site, *evaluation).module->file, evaluation->span(), "the rows for evaluation"});
  if (numbering.is_sorted) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kLabelsNumberedPerSplit = {
    .info = {.code = "DP429",
             .name = "labels-numbered-per-split",
             .summary = "a dataset that numbers its classes by its own rows, separately for training and evaluation",
             .root_cause = "Data: Improper Data Input",
             .symptoms = "Wrong Result, Low Accuracy",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `Dataset` whose constructor numbers the classes that occur in its rows, `{label: i for i, label in enumerate(rows["label"].unique())}`, and that is created
once for training and once for evaluation. If the classes are sorted first, it is a hint.

## Why it is wrong

`unique()` returns the classes in the order in which they occur. The first row of the training set and the first row of the validation set rarely have the same
class, so the label 0 means one class in training and another one in evaluation. Sorted classes only agree if each split has all of them.

## Bad

```python
import pandas as pd
from torch.utils.data import Dataset


class Birds(Dataset):
    def __init__(self, rows):
        self.files = rows["file"].tolist()
        numbers = {label: i for i, label in enumerate(rows["label"].unique())}
        self.labels = [numbers[label] for label in rows["label"]]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.files[i], self.labels[i]


train_set = Birds(pd.read_csv("train.csv"))
valid_set = Birds(pd.read_csv("valid.csv"))
```

## Good

```python
import pandas as pd
from torch.utils.data import Dataset


class Birds(Dataset):
    def __init__(self, rows, numbers):
        self.files = rows["file"].tolist()
        self.labels = [numbers[label] for label in rows["label"]]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.files[i], self.labels[i]


train_rows = pd.read_csv("train.csv")
numbers = {label: i for i, label in enumerate(sorted(train_rows["label"].unique()))}
train_set = Birds(train_rows, numbers)
valid_set = Birds(pd.read_csv("valid.csv"), numbers)
```

## When it is wrong

Where the rows of all splits are in an order that begins with the same classes.

## References

- pandas: `Series.unique`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::labels_numbered_per_split
