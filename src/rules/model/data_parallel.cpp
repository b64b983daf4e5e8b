#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::data_parallel {

using namespace python;

namespace {

// Does the project also use DistributedDataParallel? Then this is what is left for those who start it without a
// launcher.
bool knows_better(const Site &site) { return project_has_word(site, {"DistributedDataParallel"}); }

struct Training {
  bool is_in_file = false;
};

// A program that runs a trained model once over some data, and in whose file nothing trains.
bool is_script_that_only_predicts(const Site &site) {
  if (!context_of(site).run_by_script || !file_has_word(site, {".eval()"})) {
    return false;
  }
  const auto find = [&site] {
    return Training{std::ranges::any_of(site.project.functions, [&site](const model::FunctionInfo &function) {
      return function.module == site.module && function.trains;
    })};
  };
  return !site.memory.recall<Training>(site.module, find).is_in_file;
}

// Where a body reads each of its names, and where it takes `.module` of something, in the order of the source.
struct Uses {
  std::unordered_map<u32, std::vector<u32>> of;
  std::vector<u32> unwrapped;
};

// The first place after another one; none: the largest number.
u32 first_after(const std::vector<u32> &places, u32 place) {
  const auto found = std::ranges::upper_bound(places, place);
  return found != places.end() ? *found : std::numeric_limits<u32>::max();
}

Uses find_uses(const Block &body) {
  Uses found;
  any_node(body, [&found](const Node *node) {
    const auto *use = as<Name>(node);
    const auto *attribute = as<Attribute>(node);
    if (use != nullptr && use->context == Context::Load) {
      found.of[use->id.id].push_back(use->start);
    } else if (attribute != nullptr && attribute->attr.text() == "module") {
      found.unwrapped.push_back(attribute->start);
    }
    return false;
  });
  for (auto &[name, places] : found.of) {
    std::ranges::sort(places);
  }
  std::ranges::sort(found.unwrapped);
  return found;
}

// `model = DataParallel(model)` and then `model = model.module`: the wrapper is taken off before anything runs in it.
bool is_taken_off(const Site &site) {
  const auto *wrapped = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name = wrapped != nullptr && wrapped->targets.size() == 1 ? as<Name>(wrapped->targets[0]) : nullptr;
  if (name == nullptr) {
    return false;
  }
  const Block &body = body_around(site);
  const Uses &uses = site.memory.recall<Uses>(&body, [&body] { return find_uses(body); });
  const auto reads = uses.of.find(name->id.id);
  const u32 next = reads != uses.of.end() ? first_after(reads->second, wrapped->end) : std::numeric_limits<u32>::max();
  return next != std::numeric_limits<u32>::max() && next == first_after(uses.unwrapped, wrapped->end);
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
