#include "base/name_table.h"
#include "model/classes.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

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

// Words of code that gives each worker or process a part of its own.
bool may_divide(std::string_view text) {
  return has_word_in_any_case(text, {"worker", "shard", "rank", "islice", "queue", "socket", "partition"});
}

// ---- Randomness: copies do no harm where each worker draws other samples
// ----------------------------------------------

bool is_random_api(std::string_view api) {
  return api.starts_with("random.") || api.starts_with("numpy.random.") || api.starts_with("torch.rand") ||
         api == "torch.multinomial" || api == "torch.normal" || api == "torch.bernoulli" || api == "torch.Generator" ||
         api.starts_with("secrets.") || api == "os.urandom" || api.starts_with("uuid.");
}

// All samples come nevertheless, in another order; or the numbers are the same ones in every worker.
bool only_reorders(std::string_view api) {
  return api == "random.shuffle" || api == "numpy.random.shuffle" || api == "numpy.random.permutation" ||
         api == "torch.randperm" || api == "random.seed" || api == "numpy.random.seed";
}

// `random.Random(seed)`: every worker has one with the same numbers.
bool is_seeded_generator(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const bool is_generator = api == "random.Random" || api == "numpy.random.default_rng" ||
                            api == "numpy.random.RandomState" || api == "numpy.random.Generator";
  const bool is_seeded_later =
      called_method(call) == "manual_seed" && receiver_of(call) != nullptr && receiver_of(call)->kind == NodeKind::Call;
  return (is_generator || is_seeded_later) && !call.args.empty() && !is_none(call.args[0]) &&
         !has_word_in_any_case(text_of(site, call.args[0]), {"rand", "time", "urandom", "getpid", "seed()"});
}

bool comes_from_seeded_generator(const Site &site, const Expr *receiver) {
  bool is_seeded = false;
  bool is_other = false;
  visit_origins(site, *site.function, receiver, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    const bool is_this = call != nullptr && is_seeded_generator(site_of_origin(site, *origin.function), *call);
    is_seeded |= is_this;
    is_other |= !is_this && !is_none(origin.expr);
    return Onward::Stop;
  });
  return is_seeded && !is_other;
}

// Does the function draw numbers that may be others in each worker?
bool draws_by_worker(const Site &site, const model::FunctionInfo &function) {
  static const NameTable kDrawing(
      {"choice",          "choices",       "sample",      "randint", "random",  "randrange",     "uniform",
       "normal",          "integers",      "rand",        "randn",   "gauss",   "normalvariate", "standard_normal",
       "random_integers", "random_sample", "betavariate", "beta",    "poisson", "rvs",           "random_"});
  if (function.definition() == nullptr || !has_word(text_of(function), {"rand", "rng", "Generator", "sample", "choice",
                                                                        "uuid", "secrets", "uniform", "gen"})) {
    return false;
  }
  const Site there = site_of_origin(site, function);
  return any_node(function.definition()->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || is_seeded_generator(there, *call)) {
      return false;
    }
    const std::string_view api = called_api(there, *call);
    if (!api.empty()) {
      // Of torch.Generator() the call of manual_seed() around it tells.
      return is_random_api(api) && !only_reorders(api) && api != "torch.Generator";
    }
    const auto *method = as<Attribute>(call->func);
    const Expr *const receiver = receiver_of(*call);
    return method != nullptr && receiver != nullptr && kDrawing.has(method->attr) &&
           model::kind_of(receiver) != Kind::TorchTensor && !comes_from_seeded_generator(there, receiver);
  });
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
    if (may_divide(at->module->parsed->source.part(at->node->start, at->node->end))) {
      return;
    }
  }
  const auto reached = reached_functions(*iterates, *iterates->node);
  const auto differs = [&](const model::FunctionInfo *one) {
    return may_divide(text_of(*one)) || draws_by_worker(site, *one);
  };
  if (draws_by_worker(site, *iterates) || std::ranges::any_of(reached, differs)) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("each of the {} workers iterates over all of `{}`, so every sample appears {} times per epoch",
                         *workers->as_integer(), dataset.type->name.text(), *workers->as_integer()),
             "in `__iter__`, select the worker's share of the data with `torch.utils.data.get_worker_info()`");
  finding.notes.push_back(
      {iterates->module->file,
       iterates->definition() != nullptr ? iterates->definition()->name_span : iterates->node->span(),
       "it never checks which worker it runs in"});
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
