#include "base/name_table.h"
#include "rules/origins.h"
#include "rules/reach.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::loader_options_contradict {

using namespace python;
using model::Value;

namespace {

// Certainly given, and not None.
bool is_given(const Site &site, const Expr *option) {
  if (option == nullptr || is_none(option) || option->kind == NodeKind::IfExp) {
    return false;
  }
  if (option->kind == NodeKind::Call) {
    return !called_api(site, *static_cast<const Call *>(option)).empty();
  }
  const auto *name = as<Name>(option);
  const auto *made = name != nullptr ? as<Call>(last_assigned(site, *name)) : nullptr;
  return made != nullptr && called_api(site, *made).find("Sampler") != std::string_view::npos;
}

bool is_iterable_class(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const Value &base) {
      return base.is(Value::Tag::Api) && base.name().text() == "torch.utils.data.IterableDataset";
    });
  });
}

// A dataset that only gives one sample after the other: a stream of Hugging Face, or an IterableDataset of the project.
bool is_stream(const Site &site, const Expr *dataset) {
  static const NameTable kSame({"map", "filter", "shuffle", "take", "skip", "with_format", "remove_columns",
                                "rename_column", "rename_columns", "select_columns", "cast", "cast_column"});
  bool found = false;
  bool is_other = false;
  const bool is_complete = visit_origins(site, *site.function, dataset, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    const Site there = site_of_origin(site, *origin.function);
    const Value callee = call != nullptr ? site.project.callee_of(call) : Value{};
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    const std::string_view api = call != nullptr ? called_api(there, *call) : std::string_view{};
    if (api == "datasets.load_dataset") {
      const Keyword *const streaming = keyword_argument(*call, "streaming");
      const bool is_streaming = streaming != nullptr && bool_of(there, streaming->value) == true;
      (is_streaming ? found : is_other) = true;
    } else if (callee.is(Value::Tag::Class)) {
      (is_iterable_class(*callee.type) ? found : is_other) = true;
    } else if (method != nullptr && method->attr.text() == "to_iterable_dataset") {
      found = true;
    } else if (method != nullptr && api.empty() && kSame.has(method->attr)) {
      origin.next = {method->value};
      return Onward::Next;
    } else {
      is_other = true;
    }
    return Onward::Stop;
  });
  return is_complete && found && !is_other;
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || enclosing(site, NodeKind::Try) != nullptr) {
    return;
  }
  const Expr *const batches = argument(call, 4, "batch_sampler");
  const Expr *const sampler = argument(call, 3, "sampler");
  const Expr *const shuffle = argument(call, 2, "shuffle");
  const bool is_shuffled = shuffle != nullptr && bool_of(site, shuffle) == true;
  const Expr *const dataset = argument(call, 0, "dataset");
  if (is_shuffled && dataset != nullptr && is_stream(site, dataset)) {
    report(site, *shuffle, "`shuffle=True` of a dataset that can only be iterated: ValueError",
           "omit it, and shuffle the stream: `dataset.shuffle(buffer_size=…)` of Hugging Face, or in `__iter__`");
    return;
  }
  if (is_given(site, sampler) && is_shuffled) {
    report(site, *shuffle, "`shuffle=True` and `sampler` exclude each other: ValueError",
           "omit `shuffle`: the sampler determines the order");
    return;
  }
  if (!is_given(site, batches)) {
    return;
  }
  const Expr *const size = argument(call, 1, "batch_size");
  const Keyword *const last = keyword_argument(call, "drop_last");
  const bool is_sized = size != nullptr && integer_of(site, size).value_or(1) != 1;
  const bool is_dropped = last != nullptr && bool_of(site, last->value) == true;
  if (is_sized || is_shuffled || is_dropped || is_given(site, sampler)) {
    report(site, call,
           fmt::format("`{}` and `batch_sampler` exclude each other: ValueError", is_sized      ? "batch_size"
                                                                                  : is_shuffled ? "shuffle"
                                                                                  : is_dropped  ? "drop_last"
                                                                                                : "sampler"),
           "omit it: the batch sampler determines the batches");
  }
}

} // namespace

extern constinit const Rule kLoaderOptionsContradict = {
    .info = {.code = "DP452",
             .name = "loader-options-contradict",
             .summary = "options of a `DataLoader` that exclude each other",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Program Crash",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`DataLoader(…, shuffle=True, sampler=…)`, or `batch_sampler` together with `batch_size`, `shuffle`, `sampler` or `drop_last`;
and `shuffle=True` of an `IterableDataset`, such as a dataset of Hugging Face with `streaming=True`.

## Why it is wrong

A sampler determines the order, and a batch sampler also the batches. An iterable dataset determines its order itself. The constructor raises a
`ValueError`.

## Bad

```python
from torch.utils.data import DataLoader, WeightedRandomSampler


def load(data, weights):
    return DataLoader(data, batch_size=32, shuffle=True, sampler=WeightedRandomSampler(weights, len(data)), num_workers=4)
```

## Good

```python
from torch.utils.data import DataLoader, WeightedRandomSampler


def load(data, weights):
    return DataLoader(data, batch_size=32, sampler=WeightedRandomSampler(weights, len(data)), num_workers=4)
```

## When it is wrong

Never, for options that are written as literals.

## References

- torch.utils.data.DataLoader
)"},
    .calls = "torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules::loader_options_contradict
