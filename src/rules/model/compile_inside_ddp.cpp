#include "rules/site.h"

namespace deepperf::rules::compile_inside_ddp {

using namespace python;

namespace {

// Was the model compiled before it was wrapped? Where that is a choice, so is what it costs.
void check(Site &site, const Call &call) {
  const Expr *const module = argument(call, 0, "module");
  if (module == nullptr || site.module->is_test) {
    return;
  }
  const auto *direct = as<Call>(module);
  const auto *name = as<Name>(module);
  const Expr *const written = name != nullptr ? last_assigned(site, *name) : module;
  const auto *made = direct != nullptr ? direct : as<Call>(written);
  if (made == nullptr || called_api(site, *made) != "torch.compile") {
    return;
  }
  Finding &finding =
      report(site, call, "the model is compiled before it is wrapped, so its gradients are exchanged only at the end",
             "wrap the model first and compile the wrapped one: `torch.compile(DistributedDataParallel(model))`");
  add_note(finding, site, *made, "compiled here");
}

} // namespace

extern constinit const Rule kCompileInsideDdp = {
    .info = {.code = "DP260",
             .name = "compile-inside-ddp",
             .summary = "a model that is compiled before `DistributedDataParallel` wraps it",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`DistributedDataParallel(torch.compile(model))`: the model is compiled first and wrapped afterwards.

## Why it costs

DistributedDataParallel sends gradients in buckets while the backward pass is still computing the others. A compiled model is one graph, whose backward pass delivers all gradients at its
end, so that nothing overlaps. If the wrapped model is compiled, the compiler knows the buckets and splits its graph between them.

## Bad

```python
import torch
from torch.nn.parallel import DistributedDataParallel


def prepare(model, rank):
    model = torch.compile(model.to(rank))
    return DistributedDataParallel(model, device_ids=[rank])
```

## Good

```python
import torch
from torch.nn.parallel import DistributedDataParallel


def prepare(model, rank):
    model = DistributedDataParallel(model.to(rank), device_ids=[rank])
    return torch.compile(model)
```

## When it is wrong

Where only parts of a model are compiled, or the graph breaks between layers anyway.

## References

- PyTorch documentation: Distributed Data Parallel, TorchDynamo DDPOptimizer
)"},
    .calls = "torch.nn.parallel.DistributedDataParallel",
    .on_call = check};

} // namespace deepperf::rules::compile_inside_ddp
