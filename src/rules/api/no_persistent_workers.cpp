#include "rules/site.h"

namespace deepperf::rules {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  const auto *found = site.project.loop_at(&node);
  if (found == nullptr || found->parent == nullptr || found->parent->tiny) {
    return; // iterated over once, or a few times
  }
  const model::Loop &loop = *found;
  const Expr *loader = iterated_by(site, loop);
  if (loader == nullptr || model::kind_of(loader) != Kind::TorchDataLoader) {
    return;
  }
  const model::Value value = value_of(site, loader);
  if (!value.is_kind(Kind::TorchDataLoader) || value.call == nullptr || !value.name() ||
      value.name().text() != "torch.utils.data.DataLoader") {
    return;
  }
  const Call &made = *value.call;
  constexpr u32 kWorkers = 5;
  const Expr *workers = argument(made, kWorkers, "num_workers");
  if (workers == nullptr || has_hidden_arguments(made) || keyword_argument(made, "persistent_workers") != nullptr ||
      integer_of(site_of(site, made), workers).value_or(1) == 0) {
    return;
  }
  Finding &finding = report(site, *loader, "every epoch stops the loader's workers and starts them again",
                            "make the DataLoader with persistent_workers=True");
  add_note(finding, site, *loop.parent->node, "in every turn of this loop");
}

} // namespace

extern constinit const Rule kNoPersistentWorkers = {
    .info = {.code = "DP147",
             .name = "no-persistent-workers",
             .summary = "a DataLoader whose workers are started anew in every epoch",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A loop over a `DataLoader` with workers inside a loop over epochs, where the loader has no `persistent_workers`.

## Why it costs

At the end of each epoch the workers are stopped, and at the beginning of the next one started: processes are made, modules imported
where they are spawned, the dataset copied, files opened, and the device waits for the first batch. With short epochs that is
a large part of the time.

## Bad

```python
from torch.utils.data import DataLoader


def train(model, optimizer, images, epochs):
    loader = DataLoader(images, batch_size=64, num_workers=4)
    for epoch in range(epochs):
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
```

## Good

```python
from torch.utils.data import DataLoader


def train(model, optimizer, images, epochs):
    loader = DataLoader(images, batch_size=64, num_workers=4, persistent_workers=True)
    for epoch in range(epochs):
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

With epochs of many minutes the start does not matter. Workers that stay keep their copy of the dataset, and do not see what the
program changes in it between epochs.

## References

- torch.utils.data.DataLoader: persistent_workers
- PyTorch Lightning: speed up model training, on workers
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules
