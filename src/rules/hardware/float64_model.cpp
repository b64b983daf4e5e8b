#include "rules/reach.h"
#include "rules/site.h"

namespace deepperf::rules {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (!call.args.empty() || site.module->is_test || !file_has_word(site, {"cuda", "to(device"})) {
    return;
  }
  report(site, call, "this model computes in float64, which GPUs do many times slower than float32",
         "keep the model in float32, and convert the data: torch.from_numpy(x).float()");
}

} // namespace

extern constinit const Rule kFloat64Model = {.info = {.code = "DP517",
                                                      .name = "float64-model",
                                                      .summary = "a model that computes in float64 on a GPU",
                                                      .root_cause = "Hardware: Improper Configuration",
                                                      .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
                                                      .stage = "Model Building",
                                                      .frameworks = "PyTorch",
                                                      .severity = Severity::Advice,
                                                      .tier = Tier::Hint,
                                                      .documentation = R"(## What it finds

`double()` of a model, in a file that uses a GPU.

## Why it costs

NumPy makes float64, and `model.double()` silences the error about types. Most GPUs have 32 or 64 times fewer units for float64, and everything takes twice the memory.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(3, 3).double().cuda()
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(3, 3).cuda()
```

## When it is wrong

Where the precision is needed, as in some physics.

## References

- NVIDIA: throughput of native arithmetic instructions
)"},
                                             .calls = "TorchModule.double",
                                             .on_call = check};

} // namespace deepperf::rules
