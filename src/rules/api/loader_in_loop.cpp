#include "model/variance.h"
#include "rules/site.h"

namespace deepperf::rules {

using namespace python;

namespace {

// `DataLoader(…)` with nothing in it that changes from turn to turn.
void check_loader(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || !runs_every_turn(site, *loop) || model::varies(site.project, *loop, &call)) {
    return;
  }
  Finding &finding = report(site, call, "this DataLoader is made anew in every turn, though nothing about it changes",
                            "make it once, before the loop: iterating over it again starts from its beginning");
  add_note(finding, site, *loop->node, "in every turn of this loop");
}

// `next(iter(loader))`: the workers are started for a single batch.
void check_next(Site &site, const Call &call) {
  const auto *made = call.args.empty() ? nullptr : as<Call>(call.args[0]);
  if (made == nullptr || made->args.size() != 1 || called_api(site, *made) != "iter" ||
      model::kind_of(made->args[0]) != Kind::TorchDataLoader) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || !runs_every_turn(site, *loop) || model::varies(site.project, *loop, made->args[0])) {
    return;
  }
  Finding &finding =
      report(site, call, "every turn starts the DataLoader from its beginning, to take a single batch of it",
             "make the iterator once, before the loop, and take next() of it; make a new one on StopIteration");
  add_note(finding, site, *loop->node, "in every turn of this loop");
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "next") {
    check_next(site, call);
  } else {
    check_loader(site, call);
  }
}

} // namespace

extern constinit const Rule kLoaderInLoop = {
    .info = {.code = "DP131",
             .name = "loader-in-loop",
             .summary = "a DataLoader or its iterator that is made again in every turn",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`DataLoader(…)` in a loop, where none of its arguments depends on the loop; and `next(iter(loader))` in every turn of a loop.

## Why it costs

`iter(loader)` starts all worker processes, draws a new permutation and waits for the first batch. For a single batch that is
by far the largest part of the time, and the batches that the workers have prepared by then are thrown away.
A loader that is made anew for each epoch also cannot keep its workers (`persistent_workers=True`).

## Bad

```python
import torch
from torch.utils.data import DataLoader


def train(model, optimizer, images, steps):
    loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)
    for step in range(steps):
        x = next(iter(loader))
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
```

## Good

```python
import torch
from torch.utils.data import DataLoader


def train(model, optimizer, images, epochs):
    loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True)
    for epoch in range(epochs):
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

Where the dataset itself changes between turns in a way that is not to be seen here, a new loader may be needed. In a loop of a
few turns that is not recognised as one, it costs little.

## References

- torch.utils.data: multi-process data loading, and `persistent_workers`
)"},
    .calls = "torch.utils.data.DataLoader next",
    .on_call = check};

} // namespace deepperf::rules
