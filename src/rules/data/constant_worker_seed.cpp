#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::constant_worker_seed {

using namespace python;

namespace {

bool is_seeding(std::string_view api) {
  return api == "numpy.random.seed" || api == "random.seed" || api == "torch.manual_seed" ||
         api == "torch.random.manual_seed";
}

// Is it the same in every worker: made from numbers and names of outer scopes alone? `same` are the parameters that
// are.
bool is_same_everywhere(const model::FunctionInfo &function, const Expr *seed, const std::vector<Symbol> &same) {
  return !any_node(static_cast<const Node *>(seed), [&](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      const auto *name = as<Name>(call->func);
      return name == nullptr || name->id.text() != "int";
    }
    const auto *name = as<Name>(node);
    return name != nullptr && function.slot_of(name->id) != model::FunctionInfo::kNoSlot &&
           std::ranges::find(same, name->id) == same.end();
  });
}

// The call that seeds with a constant; null if there is none, or another one seeds with something else.
struct Seeding {
  const Call *constant = nullptr;
  const model::FunctionInfo *function = nullptr;
  bool varies = false;
};

void find_seeding(const Site &site, const model::FunctionInfo &function, const std::vector<Symbol> &same, u32 depth,
                  Seeding &found) {
  const Node *body = function.node;
  if (body == nullptr) {
    return;
  }
  const auto look = [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const model::Value callee = site.project.callee_of(call);
    if (callee.is(model::Value::Tag::Api) && is_seeding(callee.name().text())) {
      const Expr *seed = argument(*call, 0, "seed");
      if (seed != nullptr && is_same_everywhere(function, seed, same)) {
        found.constant = found.constant == nullptr ? call : found.constant;
        found.function = found.function == nullptr ? &function : found.function;
      } else {
        found.varies = true;
      }
      return false;
    }
    if (depth < 2 && callee.is(model::Value::Tag::Function)) {
      const model::FunctionInfo &inner = *callee.function;
      std::vector<Symbol> passed;
      for (u32 i = 0; i < inner.params.size(); ++i) {
        const Expr *value = argument(*call, i, inner.params[i]->name.text());
        value = value != nullptr ? value : inner.params[i]->default_value;
        if (value != nullptr && is_same_everywhere(function, value, same)) {
          passed.push_back(inner.params[i]->name);
        }
      }
      find_seeding(site, inner, passed, depth + 1, found);
    }
    return false;
  };
  if (const FunctionDef *definition = function.definition()) {
    any_node(definition->body, look);
  } else if (const Lambda *lambda = function.lambda()) {
    any_node(static_cast<const Node *>(lambda->body), look);
  }
}

void check(Site &site, const Call &call) {
  const Expr *given = argument(call, 9, "worker_init_fn");
  const Expr *workers = argument(call, 5, "num_workers");
  if (given == nullptr || site.module->is_test || (workers != nullptr && integer_of(site, workers) == 0)) {
    return;
  }
  model::Value function = value_of(site, given);
  if (const auto *lambda = as<Lambda>(given)) {
    function = model::Value::of(site.project.function_at(lambda));
  }
  if (!function.is(model::Value::Tag::Function) || function.function == nullptr) {
    return;
  }
  Seeding found;
  find_seeding(site, *function.function, {}, 0, found);
  if (found.constant == nullptr || found.varies) {
    return;
  }
  const Site there = site_of(site, *found.constant);
  Finding &finding =
      report(site, *found.constant,
             "every worker gets the same seed, so all of them draw the same random numbers, in every epoch",
             "seed with `torch.initial_seed() % 2**32`, which differs between workers and epochs");
  if (there.module != nullptr) {
    finding.file = there.module->file;
  }
  if (const Expr *shuffle = argument(call, 2, "shuffle"); shuffle == nullptr || bool_of(site, shuffle) == false) {
    finding.tier = Tier::Hint; // an evaluation may draw no random numbers
  }
  finding.notes.push_back({site.module->file, call.span(), "the workers of this loader are started with it"});
}

} // namespace

extern constinit const Rule kConstantWorkerSeed = {
    .info = {.code = "DP867",
             .name = "constant-worker-seed",
             .summary = "a `worker_init_fn` that gives every worker the same seed",
             .root_cause = "Training: Wrong Random Numbers",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `DataLoader` whose `worker_init_fn` seeds NumPy, Python or PyTorch with a number that does not depend on the worker.

## Why it is wrong

The function runs in each worker whenever workers start, by default at the beginning of every epoch. With one seed for
all, the workers draw the same crops, flips and noise, and draw them again in every epoch: with eight workers there are
eight copies of each random choice, and augmentation has little effect.

## Bad

```python
import numpy as np
from torch.utils.data import DataLoader


def seed_worker(worker_id):
    np.random.seed(42)


def loader_of(dataset):
    return DataLoader(dataset, batch_size=32, shuffle=True, num_workers=8, worker_init_fn=seed_worker)
```

## Good

```python
import numpy as np
import torch
from torch.utils.data import DataLoader


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


def loader_of(dataset):
    return DataLoader(dataset, batch_size=32, shuffle=True, num_workers=8, worker_init_fn=seed_worker)
```

## When it is wrong

Where the dataset draws no random numbers, or where an evaluation with a single worker has to draw the same ones each
time.

## References

- PyTorch documentation: reproducibility, `DataLoader`
)"},
    .calls = "torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules::constant_worker_seed
