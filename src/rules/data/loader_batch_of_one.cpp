#include "rules/site.h"

namespace deepperf::rules::loader_batch_of_one {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (call.args.empty() || site.module->is_test || has_hidden_arguments(call) ||
      argument(call, 1, "batch_size") != nullptr || keyword_argument(call, "batch_sampler") != nullptr) {
    return;
  }
  const model::Value dataset = value_of(site, call.args[0]);
  const bool is_uniform = dataset.is(model::Value::Tag::Instance) && dataset.name() &&
                          dataset.name().text() == "torch.utils.data.TensorDataset";
  if (is_uniform && keyword_argument(call, "collate_fn") == nullptr) { // others may not fit into one batch
    report(site, call, "the `DataLoader` returns batches of one sample, which is the default", "pass `batch_size`");
  }
}

} // namespace

extern constinit const Rule kLoaderBatchOfOne = {
    .info = {.code = "DP425",
             .name = "loader-batch-of-one",
             .summary = "a `DataLoader` of tensors without `batch_size`, which returns batches of one sample",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`DataLoader(dataset)` of a `TensorDataset`, whose samples all have the same shape, without `batch_size` and without a batch
sampler.

## Why it costs

The default is one sample per batch: each of them is collated by itself and runs through all layers by itself.

## Bad

```python
from torch.utils.data import DataLoader, TensorDataset


def make_loader(x, y):
    return DataLoader(TensorDataset(x, y))
```

## Good

```python
from torch.utils.data import DataLoader, TensorDataset


def make_loader(x, y):
    return DataLoader(TensorDataset(x, y), batch_size=256)
```

## When it is wrong

Write `batch_size=1` where single samples are intended; that also informs readers.

## References

- `torch.utils.data.DataLoader`
)"},
    .calls = "torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules::loader_batch_of_one
