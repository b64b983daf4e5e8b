#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::data_parallel {

using namespace python;

namespace {

// Does the project also use DistributedDataParallel? Then this is what is left for those who start it without a
// launcher.
bool knows_better(const Site &site) { return project_has_word(site, {"DistributedDataParallel"}); }

// A program that runs a trained model once over some data, and in whose file nothing trains.
bool is_script_that_only_predicts(const Site &site) {
  const bool trains = std::ranges::any_of(site.project.functions, [&site](const model::FunctionInfo &function) {
    return function.module == site.module && function.trains;
  });
  return !trains && context_of(site).run_by_script && file_has_word(site, {".eval()"});
}

// `model = DataParallel(model)` and then `model = model.module`: the wrapper is taken off before anything runs in it.
bool is_taken_off(const Site &site) {
  const auto *wrapped = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name = wrapped != nullptr && wrapped->targets.size() == 1 ? as<Name>(wrapped->targets[0]) : nullptr;
  if (name == nullptr) {
    return false;
  }
  const Node *next = nullptr; // that says the name after the assignment
  const Node *inner = nullptr;
  any_node(body_around(site), [&](const Node *node) {
    const auto *use = as<Name>(node);
    if (use != nullptr && use->id == name->id && use->start > wrapped->end && use->context == Context::Load &&
        (next == nullptr || use->start < next->start)) {
      next = use;
    }
    const auto *attribute = as<Attribute>(node);
    if (attribute != nullptr && attribute->attr.text() == "module" && attribute->start > wrapped->end &&
        (inner == nullptr || attribute->start < inner->start)) {
      inner = attribute;
    }
    return false;
  });
  return next != nullptr && inner != nullptr && inner->start == next->start;
}

void check(Site &site, const Call &call) {
  if ((call.args.empty() && call.keywords.empty()) || is_taken_off(site)) {
    return;
  }
  Finding &finding = report(
      site, call, "`DataParallel` copies the model to every GPU in every step and drives all GPUs from one process",
      "use `DistributedDataParallel` with one process per GPU, started by `torchrun`");
  if (knows_better(site) || is_script_that_only_predicts(site)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kDataParallel = {
    .info = {.code = "DP240",
             .name = "data-parallel",
             .summary = "`nn.DataParallel` where `DistributedDataParallel` is faster",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A model that is wrapped in `nn.DataParallel`. In a project that also uses `DistributedDataParallel` it is a hint, because there it is
usually the fallback for a program that is started without a launcher, and in a script that only runs a trained model.

## Why it costs

`DataParallel` is one process with one thread per GPU. In every forward pass it copies the parameters from the first GPU to all others,
scatters the batch, and gathers the outputs on the first GPU, which needs more memory than the others. The threads compete for Python's
global interpreter lock. `DistributedDataParallel` keeps one replica in each process, communicates only gradients, and overlaps that with
the backward pass.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(1000, 1000).cuda()
model = nn.DataParallel(model)
```

## Good

```python
import os
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

rank = int(os.environ["LOCAL_RANK"])
torch.distributed.init_process_group("nccl")
model = nn.Linear(1000, 1000).to(rank)
model = DistributedDataParallel(model, device_ids=[rank])
```

## When it is wrong

In a prototype or a short script where simplicity matters more than speed, and with a single GPU, where the wrapper adds little.

## References

- PyTorch documentation: nn.DataParallel (its own note recommends DistributedDataParallel, even on a single node)
- PyTorch performance tuning guide: use DistributedDataParallel
)"},
    .calls = "torch.nn.DataParallel torch.nn.parallel.DataParallel torch.nn.parallel.data_parallel",
    .on_call = check};

} // namespace deepperf::rules::data_parallel
