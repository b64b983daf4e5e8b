#include "model/classes.h"
#include "rules/api_history.h"
#include "rules/dataset_item.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::numpy_random_in_workers {

using namespace python;

namespace {

// PyTorch gives each worker a seed of its own for NumPy since 1.9.
void check(Site &site, const Call &call) {
  // In __getitem__, or in a method that nothing else calls.
  const bool is_helper = site.function != nullptr && !site.function->called_by.empty() &&
                         std::ranges::all_of(site.function->called_by, [&](const model::CallSite *caller) {
                           return in_dataset_item(site_of(site, *caller->call));
                         });
  if ((!in_dataset_item(site) && !is_helper) || status_in(site, "torch", "1.9") == Status::Gone) {
    return;
  }
  // The runners of OpenMMLab seed NumPy in the workers.
  if (file_has_word(site, {"worker_init_fn"}) || project_has_word(site, {"mmengine", "mmcv.runner"})) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` draws the same numbers in all workers of a `DataLoader` before PyTorch 1.9",
                         text_of(site, call.func)),
             "draw the numbers with `torch.rand` or `torch.randint`, or seed NumPy in `worker_init_fn`");
  const project::Requirements &requirements = project::requirements_of(site.module->parsed->path);
  const auto range = requirements.find("torch");
  if (range == requirements.end() || !range->second.below.has_value() ||
      *range->second.below > project::Version{1, 9, 0}) {
    finding.tier = Tier::Hint; // a newer version may well be meant
  }
}

// Does it read the attribute of some object: `self.rng.choice(…)`, `augment(x, self.rng)`?
bool reads(const model::FunctionInfo &function, Symbol name) {
  const FunctionDef *const definition = function.definition();
  return definition != nullptr && any_node(definition->body, [name](const Node *node) {
           const auto *attribute = as<Attribute>(node);
           return attribute != nullptr && attribute->attr == name && attribute->context == Context::Load;
         });
}

// The generators that objects of the class keep, and those of the objects that they keep: `self.augment.rng`.
void check_attributes(Site &site, const Call &loader, const model::ClassInfo &type, const model::FunctionInfo &item,
                      u32 depth) {
  constexpr u32 kMostDepth = 2;
  for (const model::ClassInfo *at : type.mro) {
    for (const auto &[name, cell] : at->attributes) {
      const model::Value &value = cell.value;
      model::for_each_alternative(value, [&](const model::Value &one) {
        if (depth < kMostDepth && one.is(model::Value::Tag::Object) && one.type != &type &&
            one.type->kind == Kind::Unknown) {
          check_attributes(site, loader, *one.type, item, depth + 1);
        }
      });
      if (!value.is_kind(Kind::RandomState) || value.maker() == nullptr || value.alternatives != nullptr) {
        continue;
      }
      bool is_read = reads(item, Symbol{name});
      bool is_made_again = false; // for each item
      for (const model::FunctionInfo *reached : reached_functions(item, *item.node)) {
        is_read = is_read || reads(*reached, Symbol{name});
        is_made_again = is_made_again ||
                        std::ranges::find(reached->attribute_stores, Symbol{name}) != reached->attribute_stores.end();
      }
      if (!is_read || is_made_again ||
          std::ranges::find(item.attribute_stores, Symbol{name}) != item.attribute_stores.end()) {
        continue;
      }
      const Site there = site_of(site, *value.maker());
      const bool is_known = std::ranges::any_of(site.findings, [&](const Finding &known) {
        return known.rule == &site.rule->info && known.file.value == there.module->file.value &&
               known.span.start == value.maker()->start;
      });
      if (is_known) {
        continue; // said for another loader
      }
      Finding &finding =
          report(site.findings, *site.rule, *there.module, value.maker()->span(),
                 fmt::format("each worker gets a copy of `self.{}`, so all of them draw the same random numbers, in "
                             "every epoch",
                             Symbol{name}.text()),
                 "create the generator in `worker_init_fn`, seeded with `torch.utils.data.get_worker_info().seed`, or "
                 "draw with `torch.rand`");
      finding.notes.push_back({site.module->file, loader.span(), "the workers are started here"});
    }
  }
}

// A generator that the dataset keeps: each worker gets a copy of it, in the state it has.
void check_generator(Site &site, const Call &loader) {
  const Expr *const given = argument(loader, 0, "dataset");
  if (given == nullptr || site.module->is_test || !argument_of(site, loader, 9, "worker_init_fn").is_absent() ||
      project_has_word(site, {"get_worker_info"})) {
    return;
  }
  const auto workers = setting_of(site, argument_of(site, loader, 5, "num_workers"), model::ConstantValue::of(i64{0}));
  const model::Value dataset = value_of(site, given);
  if (!workers.has_value() || workers->as_integer().value_or(0) < 1 || !dataset.is(model::Value::Tag::Object) ||
      dataset.alternatives != nullptr) {
    return;
  }
  const model::FunctionInfo *const item = model::find_method_of(*dataset.type, intern("__getitem__"));
  if (item == nullptr || item->node == nullptr) {
    return;
  }
  check_attributes(site, loader, *dataset.type, *item, 0);
}

void check_call(Site &site, const Call &call) {
  if (called_api(site, call) == "torch.utils.data.DataLoader") {
    check_generator(site, call);
  } else {
    check(site, call);
  }
}

} // namespace

extern constinit const Rule kNumpyRandomInWorkers = {
    .info = {.code = "DP408",
             .name = "numpy-random-in-workers",
             .summary = "random numbers in a dataset that are the same in all workers",
             .root_cause = "Data: Improper Data Input",
             .symptoms = "Low Accuracy",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`numpy.random` in the `__getitem__` of a dataset, in a project whose requirements only allow PyTorch before 1.9, and
without `worker_init_fn` in the file. Where newer versions are possible it is a hint; where the requirements specify 1.9
or later the rule is silent. Also a generator (`np.random.default_rng(seed)`, `random.Random(seed)`) that the dataset
keeps in an attribute and draws from for each item, with any version, where the loader has workers.

## Why it is wrong

Workers are copies of the process, including the state of NumPy's generator. All of them augment their samples with the
same numbers, and again with the same numbers in each epoch, so the model sees much less variety than it should.

## Bad

```python
import numpy as np
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.data[index] + np.random.normal()
```

## Good

```python
import torch
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.data[index] + torch.randn(())
```

## When it is wrong

With PyTorch 1.9 or later, which seeds NumPy in each worker; and without workers.

## References

- PyTorch 1.9 release notes; documentation of `torch.utils.data`, randomness in multi-process data loading
)"},
    .calls = "torch.utils.data.DataLoader numpy.random.rand numpy.random.randn numpy.random.randint "
             "numpy.random.random numpy.random.uniform "
             "numpy.random.normal "
             "numpy.random.choice numpy.random.permutation numpy.random.shuffle numpy.random.beta",
    .on_call = check_call};

} // namespace deepperf::rules::numpy_random_in_workers
