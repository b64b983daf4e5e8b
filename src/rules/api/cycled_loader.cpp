#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::cycled_loader {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (call.args.size() != 1 || model::kind_of(call.args[0]) != Kind::TorchDataLoader || site.module->is_test) {
    return;
  }
  const std::string_view loader = text_of(site, call.args[0]);
  report(
      site, call,
      fmt::format("`itertools.cycle` keeps every batch of `{}` in memory, and repeats them in the same order with the "
                  "same augmentation",
                  loader),
      fmt::format("write a generator: `while True: yield from {}`", loader));
}

} // namespace

extern constinit const Rule kCycledLoader = {
    .info = {.code = "DP174",
             .name = "cycled-loader",
             .summary = "`itertools.cycle` of a `DataLoader`, which keeps all batches in memory",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "High Memory Consumption, Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`itertools.cycle(loader)` of a PyTorch `DataLoader`.

## Why it is wrong

`cycle` stores what it has seen to repeat it. With a loader these are all batches of an epoch, in pinned memory if the loader pins. From the second pass on they come
in the same order and with the same augmentation, as the loader is never asked again.

## Bad

```python
import itertools

from torch.utils.data import DataLoader


def endless(dataset):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    return itertools.cycle(loader)
```

## Good

```python
from torch.utils.data import DataLoader


def endless(dataset):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    while True:
        yield from loader
```

## When it is wrong

Where the data is small, is not shuffled and is not augmented.

## References

- Python documentation of `itertools.cycle`
)"},
    .calls = "itertools.cycle",
    .on_call = check};

} // namespace deepperf::rules::cycled_loader
