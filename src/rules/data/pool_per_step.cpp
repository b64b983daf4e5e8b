#include "rules/collators.h"
#include "rules/dataset_item.h"
#include "rules/per_step.h"

#include <fmt/format.h>

namespace deepperf::rules::pool_per_step {

using namespace python;

namespace {

bool has_threads(std::string_view api) {
  return api.find("Thread") != std::string_view::npos || api.starts_with("multiprocessing.dummy.");
}

// What is repeated at the place: "training step", "sample", …; empty if nothing is.
std::string_view repeated_work(const Site &site) {
  const PlaceContext context = context_of(site);
  if (context.per_sample || in_dataset_item(site)) {
    return "sample";
  }
  if (context.in_training_step || in_training_step(site)) {
    return "training step";
  }
  if (in_request_handler(site)) {
    return "request";
  }
  if (is_collator(site, site.function)) {
    return "batch";
  }
  const model::Loop *const loop = long_loop_around(site);
  const bool over_data = loop != nullptr && goes_over_data(site, *loop) && runs_every_iteration(site, *loop);
  return context.in_evaluation_step || over_data ? "batch" : std::string_view{};
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || enclosing(site, NodeKind::If) != nullptr ||
      enclosing(site, NodeKind::ExceptHandler) != nullptr) {
    return;
  }
  const std::string_view work = repeated_work(site);
  if (work.empty()) {
    return;
  }
  const bool threads = has_threads(called_api(site, call));
  Finding &finding =
      report(site, call,
             fmt::format("a pool of {} is started and shut down for every {}", threads ? "threads" : "processes", work),
             "create the pool once, and use it for all of them");
  if (threads) {
    finding.tier = Tier::Hint; // threads start in a fraction of a millisecond
  }
}

} // namespace

extern constinit const Rule kPoolPerStep = {
    .info = {.code = "DP470",
             .name = "pool-per-step",
             .summary = "a pool of processes or threads that is started again for every step, batch or sample",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`multiprocessing.Pool`, `ProcessPoolExecutor`, `ThreadPool` or `ThreadPoolExecutor` that is created in every training or evaluation step, for
every sample or for every request. Pools of threads are hints.

## Why it costs

A process is started for each worker of the pool, receives its data, and is waited for at the end: some milliseconds where processes are
forked, and seconds where they import the program and its frameworks again. That often takes longer than the work that is shared.

## Bad

```python
from multiprocessing import Pool

import numpy as np
import torch


def crop(image):
    return image[8:-8, 8:-8]


def train(model, optimizer, batches: torch.utils.data.DataLoader):
    for images, labels in batches:
        with Pool(8) as pool:
            cropped = pool.map(crop, images.numpy())
        loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(np.stack(cropped))), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## Good

```python
from multiprocessing import Pool

import numpy as np
import torch


def crop(image):
    return image[8:-8, 8:-8]


def train(model, optimizer, batches: torch.utils.data.DataLoader):
    with Pool(8) as pool:
        for images, labels in batches:
            cropped = pool.map(crop, images.numpy())
            loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(np.stack(cropped))), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
```

## When it is wrong

Where a step takes minutes, so that starting processes does not count.

## References

- Python: `multiprocessing`, process pools
)"},
    .calls = "multiprocessing.Pool multiprocessing.pool.Pool multiprocessing.pool.ThreadPool "
             "multiprocessing.dummy.Pool torch.multiprocessing.Pool concurrent.futures.ProcessPoolExecutor "
             "concurrent.futures.ThreadPoolExecutor",
    .on_call = check};

} // namespace deepperf::rules::pool_per_step
