#include "rules/api_history.h"
#include "rules/dataset_item.h"
#include "rules/reach.h"

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
  if (file_has_word(site, {"worker_init_fn"})) {
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

} // namespace

extern constinit const Rule kNumpyRandomInWorkers = {
    .info = {.code = "DP408",
             .name = "numpy-random-in-workers",
             .summary = "NumPy random numbers in a dataset, which are the same in all workers before PyTorch 1.9",
             .root_cause = "Data: Improper Data Input",
             .symptoms = "Low Accuracy",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`numpy.random` in the `__getitem__` of a dataset, in a project whose requirements only allow PyTorch before 1.9, and
without `worker_init_fn` in the file. Where newer versions are possible it is a hint; where the requirements ask for 1.9
or later the rule is silent.

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
    .calls = "numpy.random.rand numpy.random.randn numpy.random.randint numpy.random.random numpy.random.uniform "
             "numpy.random.normal "
             "numpy.random.choice numpy.random.permutation numpy.random.shuffle numpy.random.beta",
    .on_call = check};

} // namespace deepperf::rules::numpy_random_in_workers
