#include "rules/reach.h"

namespace deepperf::rules::every_process_on_one_gpu {

using namespace python;
using model::Value;

namespace {

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || enclosing(site, NodeKind::If) != nullptr ||
      call.args.size() != 1 || !file_has_word(site, {"init_process_group"}) ||
      !file_has_word(site, {"DistributedDataParallel"}) || project_has_word(site, {"CUDA_VISIBLE_DEVICES"})) {
    return;
  }
  const std::string_view method = called_method(call);
  const bool is_first =
      method == "cuda" ? integer_of(site, call.args[0]) == 0 : string_of(site, call.args[0]).value_or("") == "cuda:0";
  if (!is_first || !function_has_word(site, {"init_process_group", "DistributedDataParallel(", "DDP("})) {
    return; // perhaps the first process alone comes here
  }
  // Once for each function.
  struct Reported {
    mutable bool value = false;
  };
  const Reported &reported = site.memory.recall<Reported>(site.function, [] { return Reported{}; });
  if (reported.value) {
    return;
  }
  reported.value = true;
  report(site, call, "every process of this distributed program uses the first GPU",
         "call `torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))` first, and use `\"cuda\"`");
}

} // namespace

extern constinit const Rule kEveryProcessOnOneGpu = {
    .info = {.code = "DP523",
             .name = "every-process-on-one-gpu",
             .summary = "a distributed program whose processes all use the first GPU",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`"cuda:0"` or `.cuda(0)` for the model or the batches of a program that starts a process group with NCCL and wraps the model in
`DistributedDataParallel`.

## Why it is wrong

Each process is meant to use its own GPU. With a fixed number all of them use the first one: NCCL fails with "Duplicate GPU detected",
or the GPU runs out of memory while the others are idle.

## Bad

```python
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def wrap(net):
    dist.init_process_group("nccl")
    return DistributedDataParallel(net.to("cuda:0"))
```

## Good

```python
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def wrap(net):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    return DistributedDataParallel(net.to("cuda"))
```

## When it is wrong

Where a launcher sets `CUDA_VISIBLE_DEVICES` for each process; programs that mention it are not reported.

## References

- PyTorch: getting started with distributed data parallel
)"},
    .calls = "*.to *.cuda",
    .on_call = check};

} // namespace deepperf::rules::every_process_on_one_gpu
