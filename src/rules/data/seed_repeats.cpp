#include "model/classes.h"
#include "rules/dataset_item.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::seed_repeats {

using namespace python;
using model::Value;

namespace {

// Generators that PyTorch does not seed for each worker and epoch by itself: "numpy.random." of numpy.random.seed.
// Empty for all other functions.
std::string_view generator_of(std::string_view seeded_by) {
  return seeded_by == "numpy.random.seed" || seeded_by == "random.seed" ? seeded_by.substr(0, seeded_by.size() - 4)
                                                                        : std::string_view{};
}

// Made from the number of the worker, from constants and from settings alone: the same again in the next epoch.
bool is_number_of_worker(const model::FunctionInfo &function, const Expr *seed, Symbol worker) {
  bool is_by_worker = false;
  const bool has_other = any_node(static_cast<const Node *>(seed), [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *name = as<Name>(node);
    is_by_worker |= name != nullptr && name->id == worker;
    return (call != nullptr && called_name(*call) != "int") ||
           (name != nullptr && name->id != worker && function.slot_of(name->id) != model::FunctionInfo::kNoSlot);
  });
  return is_by_worker && !has_other;
}

// The first call of the function that seeds a generator so; null if it is none, or PyTorch's own seed is used as well.
const Call *seeding_in(const Site &site, const model::FunctionInfo &function) {
  const Param *const worker = !function.params.empty() ? function.params[0] : nullptr;
  const Call *found = nullptr;
  bool has_other = worker == nullptr;
  const auto look = [&](const Node *node) {
    const auto *call = as<Call>(node);
    const Value callee = call != nullptr ? site.project.callee_of(call) : Value{};
    const bool is_seeding = callee.is(Value::Tag::Api) && !generator_of(callee.name().text()).empty();
    const Expr *const seed = is_seeding ? argument(*call, 0, "seed") : nullptr;
    if (is_seeding && worker != nullptr) {
      has_other |= seed == nullptr || !is_number_of_worker(function, seed, worker->name);
      found = found == nullptr ? call : found;
    }
    return false;
  };
  if (const FunctionDef *definition = function.definition()) {
    any_node(definition->body, look);
  } else if (const Lambda *lambda = function.lambda()) {
    any_node(static_cast<const Node *>(lambda->body), look);
  }
  return has_other ? nullptr : found;
}

// Does an item of the dataset draw from the generator, itself or in what it calls?
bool draws(const Site &site, const Expr *dataset, std::string_view generator) {
  const Value value = dataset != nullptr ? value_of(site, dataset) : Value{};
  const model::FunctionInfo *const item =
      value.is(Value::Tag::Object) ? model::find_method_of(*value.type, intern("__getitem__")) : nullptr;
  if (item == nullptr || item->node == nullptr) {
    return false;
  }
  const auto draws_itself = [&](const model::FunctionInfo &function) {
    return function.definition() != nullptr && any_node(function.definition()->body, [&](const Node *node) {
             const auto *call = as<Call>(node);
             const Value callee = call != nullptr ? site.project.callee_of(call) : Value{};
             return callee.is(Value::Tag::Api) && callee.name().text().starts_with(generator);
           });
  };
  return draws_itself(*item) || std::ranges::any_of(reached_functions(*item, *item->node),
                                                    [&](const model::FunctionInfo *one) { return draws_itself(*one); });
}

void check_loader(Site &site, const Call &call) {
  constexpr u32 kShuffle = 2;
  constexpr u32 kWorkers = 5;
  constexpr u32 kInit = 9;
  const Expr *const given = argument(call, kInit, "worker_init_fn");
  if (given == nullptr || site.module->is_test) {
    return;
  }
  const Value value =
      given->kind == NodeKind::Lambda ? Value::of(site.project.function_at(given)) : value_of(site, given);
  const Call *const seeding =
      value.is(Value::Tag::Function) && value.function != nullptr ? seeding_in(site, *value.function) : nullptr;
  if (seeding == nullptr) {
    return;
  }
  using model::ConstantValue;
  const auto stay = setting_of(site, argument_of(site, call, ~0U, "persistent_workers"), ConstantValue::of(false));
  const auto workers = setting_of(site, argument_of(site, call, kWorkers, "num_workers"), ConstantValue::of(i64{0}));
  const auto shuffle = setting_of(site, argument_of(site, call, kShuffle, "shuffle"), ConstantValue::of(false));
  const bool has_none = workers.has_value() && workers->as_integer() == 0 && !workers->overridable;
  const bool is_for_training = (shuffle.has_value() && shuffle->is_true()) || argument(call, ~0U, "sampler") != nullptr;
  if (!stay.has_value() || stay->is_true() || has_none || !is_for_training) {
    return;
  }
  const Site there = site_of(site, *seeding);
  Finding &finding =
      report(site, *seeding,
             "the seed of a worker is the same in every epoch, so every epoch draws the same random numbers again",
             "seed with `torch.initial_seed() % 2**32`, which differs between workers and epochs");
  if (there.module != nullptr) {
    finding.file = there.module->file;
  }
  finding.notes.push_back({site.module->file, call.span(), "each epoch starts the workers of this loader again"});
  const std::string_view generator = generator_of(site.project.callee_of(seeding).name().text());
  if (!draws(site, argument(call, 0, "dataset"), generator)) {
    finding.tier = Tier::Hint;
  }
}

// `np.random.seed(get_worker_info().id)` in a dataset's __getitem__, once for each worker
void check_item(Site &site, const Call &call) {
  const auto *number = as<Attribute>(argument(call, 0, "seed"));
  if (number == nullptr || number->attr.text() != "id" || !in_dataset_item(site) || site.module->is_test) {
    return;
  }
  const auto *name = as<Name>(number->value);
  const auto *info = as<Call>(name != nullptr ? last_assigned(site, *name) : number->value);
  if (info == nullptr || called_api(site, *info) != "torch.utils.data.get_worker_info" ||
      project_has_word(site, {"persistent_workers=True", "persistent_workers = True"})) {
    return;
  }
  report(site, call,
         "the seed of a worker is the same in every epoch, so every epoch draws the same random numbers again",
         "seed with `worker_info.seed % 2**32`, which differs between workers and epochs");
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "torch.utils.data.DataLoader") {
    check_loader(site, call);
  } else {
    check_item(site, call);
  }
}

} // namespace

extern constinit const Rule kSeedRepeats = {
    .info = {.code = "DP481",
             .name = "seed-repeats",
             .summary = "workers that are seeded with their number alone, so that every epoch draws the same numbers",
             .root_cause = "Training: Wrong Random Numbers",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `worker_init_fn` that seeds NumPy or Python's `random` with the number of the worker and constants alone, for a shuffled `DataLoader` without `persistent_workers=True` whose dataset draws from that
generator; also a `__getitem__` that seeds with `get_worker_info().id`. It is a hint where the dataset is not known to draw such numbers.

## Why it is wrong

Workers are started again in every epoch, and each of them is seeded with the same number again. So every epoch goes through the same sequence of crops, flips and noise, and there is less augmentation
than it seems. The seed that PyTorch gives to each worker differs between epochs.

## Bad

```python
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index] + np.random.normal(size=3)


def seed_worker(worker_id):
    np.random.seed(worker_id)


def loader_of(samples):
    return DataLoader(Noisy(samples), batch_size=32, shuffle=True, num_workers=8, worker_init_fn=seed_worker)
```

## Good

```python
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index] + np.random.normal(size=3)


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


def loader_of(samples):
    return DataLoader(Noisy(samples), batch_size=32, shuffle=True, num_workers=8, worker_init_fn=seed_worker)
```

## When it is wrong

Where training has a single epoch, or where every epoch is meant to see the same choices.

## References

- PyTorch documentation: randomness in multi-process data loading
)"},
    .calls = "torch.utils.data.DataLoader numpy.random.seed random.seed",
    .on_call = check};

} // namespace deepperf::rules::seed_repeats
