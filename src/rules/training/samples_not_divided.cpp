#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::samples_not_divided {

using namespace python;

namespace {

// The call that wraps the model, in the file of the place.
const Call *wrapper_in(const Site &site) {
  struct Wrapper {
    const Call *call = nullptr;
  };
  return site.memory
      .recall<Wrapper>(site.module,
                       [&site] {
                         Wrapper wrapper;
                         for (const Stmt *statement : site.module->parsed->tree.body) {
                           any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
                             const auto *call = as<Call>(node);
                             const std::string_view api =
                                 call != nullptr ? called_api(site, *call) : std::string_view{};
                             if (api == "torch.nn.parallel.DistributedDataParallel" ||
                                 api == "torch.distributed.fsdp.FullyShardedDataParallel") {
                               wrapper.call = call;
                             }
                             return false;
                           });
                         }
                         return wrapper;
                       })
      .call;
}

void check(Site &site, const Call &call) {
  const Expr *shuffle = argument(call, 2, "shuffle");
  // One that shuffles is for training; those of an evaluation may well see everything.
  if (site.module->is_test || shuffle == nullptr || bool_of(site, shuffle) != true || has_hidden_arguments(call) ||
      argument(call, 3, "sampler") != nullptr || argument(call, 4, "batch_sampler") != nullptr ||
      !file_has_word(site, {"DistributedDataParallel", "FullyShardedDataParallel"})) {
    return;
  }
  constexpr std::string_view kDivides[] = {"DistributedSampler",
                                           "split_dataset_by_node",
                                           ".shard(",
                                           "worker_info",
                                           "wds.",
                                           "webdataset",
                                           "world_size + ",
                                           "rank::",
                                           "// world_size",
                                           "random_split_by",
                                           "Subset(",
                                           "DistributedBatchSampler"};
  const Call *const wrapper = wrapper_in(site);
  if (wrapper == nullptr || file_has_word(site, Words(kDivides)) || project_has_word(site, {"DistributedSampler"}) ||
      file_has_word(site, {"accelerate", "pytorch_lightning", "Trainer("}) ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const Expr *dataset = argument(call, 0, "dataset");
  if (dataset != nullptr && has_word(text_of(site, dataset), {"rank"})) {
    return;
  }
  Finding &finding =
      report(site, call, "every process trains on all samples, because nothing divides them among the processes",
             "pass `sampler=DistributedSampler(dataset)` instead of `shuffle=True`, and call its "
             "`set_epoch(epoch)` in every epoch");
  add_note(finding, site, *wrapper, "the model is trained by several processes");
}

} // namespace

extern constinit const Rule kSamplesNotDivided = {
    .info = {.code = "DP885",
             .name = "samples-not-divided",
             .summary = "distributed training in which every process goes through the whole data set",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `DataLoader` with `shuffle=True` and without a sampler, in a file that wraps its model in `DistributedDataParallel` or FSDP, in a project
without `DistributedSampler` or another way to divide the samples.

## Why it costs

Each of n processes goes through all samples, so an epoch takes as long as on one GPU, and the model sees every sample n times per epoch.

## Bad

```python
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def prepare(net, dataset, rank):
    model = DistributedDataParallel(net, device_ids=[rank])
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    return model, loader
```

## Good

```python
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def epochs(net, dataset, rank, count):
    model = DistributedDataParallel(net, device_ids=[rank])
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=64, sampler=sampler, num_workers=4)
    for epoch in range(count):
        sampler.set_epoch(epoch)
        yield model, loader
```

## When it is wrong

Where the dataset gives each process other samples, or where each process is meant to draw its own random batches for a number of steps
that is given.

## References

- PyTorch: `DistributedSampler`
)"},
    .calls = "torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules::samples_not_divided
