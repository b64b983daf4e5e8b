#include "rules/site.h"

namespace deepperf::rules::find_unused_parameters {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const Keyword *given = keyword_argument(call, "find_unused_parameters");
  given = given != nullptr ? given : keyword_argument(call, "ddp_find_unused_parameters");
  if (given == nullptr || bool_of(site, given->value) != true || given->value->kind != NodeKind::Constant) {
    return;
  }
  Finding &finding =
      report(site, *given, "`find_unused_parameters=True` traverses the whole autograd graph after every forward pass",
             "omit it unless some parameters receive no gradient in some steps; if the set never changes, use "
             "`static_graph=True`");
  if (const std::optional<Edit> edit = remove_argument(site, call, *given)) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kFindUnusedParameters = {
    .info = {.code = "DP241",
             .name = "find-unused-parameters",
             .summary = "`DistributedDataParallel` that searches for unused parameters in every step",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`DistributedDataParallel(…, find_unused_parameters=True)`, and the same setting in Lightning's strategies, in Accelerate and in the Hugging
Face Trainer.

## Why it costs

After each forward pass DistributedDataParallel traverses the autograd graph from the outputs to find parameters that were not used, so that
it does not wait for their gradients. That costs time in every step. If all parameters are used it finds nothing, and PyTorch prints a
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

Some models do have unused parameters: branches that run only sometimes, layers that are frozen alternately, layers that are never used (see
DP239). Those need it, or `static_graph=True` if the set is always the same. The call alone does not show which case it is, so this is a
hint.

## References

- PyTorch documentation: DistributedDataParallel, `find_unused_parameters` and `static_graph`
- PyTorch performance tuning guide: match the order of layers, and find_unused_parameters
)"},
    .calls = "torch.nn.parallel.DistributedDataParallel pytorch_lightning.strategies.DDPStrategy "
             "lightning.fabric.strategies.DDPStrategy "
             "accelerate.DistributedDataParallelKwargs accelerate.utils.DistributedDataParallelKwargs "
             "transformers.TrainingArguments",
    .on_call = check};

} // namespace deepperf::rules::find_unused_parameters
