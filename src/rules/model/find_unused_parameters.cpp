#include "rules/site.h"

namespace deepperf::rules {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const Keyword *given = keyword_argument(call, "find_unused_parameters");
  given = given != nullptr ? given : keyword_argument(call, "ddp_find_unused_parameters");
  if (given == nullptr || bool_of(site, given->value) != true || given->value->kind != NodeKind::Constant) {
    return;
  }
  Finding &finding =
      report(site, *given, "find_unused_parameters=True walks the whole graph after every forward pass",
             "leave it out unless some parameters really get no gradient in some steps; with a graph that "
             "never changes, static_graph=True does the same once");
  if (const std::optional<Edit> edit = remove_argument(site, call, *given)) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kFindUnusedParameters = {
    .info = {.code = "DP241",
             .name = "find-unused-parameters",
             .summary = "DistributedDataParallel that looks for unused parameters in every step",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`DistributedDataParallel(…, find_unused_parameters=True)`, and the same setting of Lightning's strategies, of Accelerate and of
the Hugging Face Trainer.

## Why it costs

After each forward pass the autograd graph is walked from the outputs to find parameters that took no part, so that their
gradients need not be waited for. That costs time in every step, and if all parameters take part it finds nothing. PyTorch then prints a
warning that says so.

## Bad

```python
import torch
from torch.nn.parallel import DistributedDataParallel

def wrap(model, rank):
    return DistributedDataParallel(model, device_ids=[rank], find_unused_parameters=True)
```

## Good

```python
import torch
from torch.nn.parallel import DistributedDataParallel

def wrap(model, rank):
    return DistributedDataParallel(model, device_ids=[rank])
```

## When it is wrong

Some models do leave parameters out: branches that are taken now and then, layers that are frozen by turns, layers that are
never used (see DP239). Those need it, or `static_graph=True` where the set is always the same. It cannot be told from the call,
so this is a hint.

## References

- PyTorch documentation: DistributedDataParallel
- PyTorch performance tuning guide: match the order of layers, and find_unused_parameters
)"},
    .calls = "torch.nn.parallel.DistributedDataParallel pytorch_lightning.strategies.DDPStrategy "
             "lightning.fabric.strategies.DDPStrategy "
             "accelerate.DistributedDataParallelKwargs accelerate.utils.DistributedDataParallelKwargs "
             "transformers.TrainingArguments",
    .on_call = check};

} // namespace deepperf::rules
