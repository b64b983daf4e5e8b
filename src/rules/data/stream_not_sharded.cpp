#include "model/classes.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::stream_not_sharded {

using namespace python;

namespace {

bool is_iterable_dataset(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const model::Value &base) {
      return base.is(model::Value::Tag::Api) && base.name().text() == "torch.utils.data.IterableDataset";
    });
  });
}

// Words of code that gives each worker or process a part of its own, or draws at random, where copies do no harm.
bool may_differ(std::string_view text) {
  return has_word_in_any_case(text,
                              {"worker", "shard", "rank", "random", "rng", "islice", "queue", "socket", "partition"});
}

void check(Site &site, const Call &call) {
  const Expr *const given = argument(call, 0, "dataset");
  if (given == nullptr || has_hidden_arguments(call) || site.module->is_test ||
      argument(call, 9, "worker_init_fn") != nullptr) {
    return;
  }
  const auto workers = setting_of(site, argument_of(site, call, 5, "num_workers"), model::ConstantValue::of(i64{0}));
  if (!workers.has_value() || workers->as_integer().value_or(0) < 2) {
    return;
  }
  const model::Value dataset = value_of(site, given);
  if (!dataset.is(model::Value::Tag::Object) || dataset.open || dataset.alternatives != nullptr ||
      !is_iterable_dataset(*dataset.type)) {
    return;
  }
  const model::FunctionInfo *const iterates = model::find_method_of(*dataset.type, intern("__iter__"));
  if (iterates == nullptr || iterates->node == nullptr) {
    return;
  }
  for (const model::ClassInfo *at : dataset.type->mro) {
    if (may_differ(at->module->parsed->source.part(at->node->start, at->node->end))) {
      return;
    }
  }
  for (const model::FunctionInfo *reached : reached_functions(*iterates, *iterates->node)) {
    if (may_differ(text_of(*reached))) {
      return;
    }
  }
  Finding &finding =
      report(site, call,
             fmt::format("each of the {} workers iterates over all of `{}`, so every sample comes {} times per epoch",
                         *workers->as_integer(), dataset.type->name.text(), *workers->as_integer()),
             "in `__iter__`, take a part of the data by `torch.utils.data.get_worker_info()`");
  finding.notes.push_back(
      {iterates->module->file,
       iterates->definition() != nullptr ? iterates->definition()->name_span : iterates->node->span(),
       "it does not ask which worker it is"});
  if (workers->overridable) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kStreamNotSharded = {
    .info = {.code = "DP427",
             .name = "stream-not-sharded",
             .summary = "an `IterableDataset` that gives every worker the same samples",
             .root_cause = "Data: Data Preprocessing",
             .symptoms = "Wrong Result, Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `DataLoader` with several workers over an `IterableDataset` whose `__iter__` does not divide the data among them.

## Why it is wrong

Each worker has a copy of the dataset and iterates over it from the beginning. With four workers, every sample is read, decoded and trained
on four times per epoch, and an evaluation counts it four times.

## Bad

```python
from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        for path in self.paths:
            with open(path) as file:
                yield from file


loader = DataLoader(Lines(["a.txt", "b.txt"]), batch_size=32, num_workers=4, persistent_workers=True)
```

## Good

```python
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        worker = get_worker_info()
        paths = self.paths if worker is None else self.paths[worker.id :: worker.num_workers]
        for path in paths:
            with open(path) as file:
                yield from file


loader = DataLoader(Lines(["a.txt", "b.txt"]), batch_size=32, num_workers=4, persistent_workers=True)
```

## When it is wrong

Where the samples are random anyway, or the data is divided by a library that is not seen.

## References

- PyTorch documentation of `torch.utils.data.IterableDataset`, which shows both ways to divide the work
)"},
    .calls = "torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules::stream_not_sharded
