#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::float64_model {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (!call.args.empty() || site.module->is_test) {
    return;
  }
  // Without a GPU it is the arrays of NumPy that people convert the model for.
  const bool on_gpu = file_has_word(site, {"cuda", "to(device"});
  if (!on_gpu && !file_has_word(site, {"from_numpy"})) {
    return;
  }
  report(site, call,
         fmt::format("`{}` makes the model compute in float64, {}", text_of(site, call.func),
                     on_gpu ? "which most GPUs process much more slowly than float32"
                            : "which takes twice the time and memory of float32"),
         "keep the model in float32, and convert the data: `torch.from_numpy(x).float()`");
}

} // namespace

extern constinit const Rule kFloat64Model = {.info = {.code = "DP517",
                                                      .name = "float64-model",
                                                      .summary = "a model that computes in float64",
                                                      .root_cause = "Hardware: Improper Configuration",
                                                      .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
                                                      .stage = "Model Building",
                                                      .frameworks = "PyTorch",
                                                      .severity = Severity::Advice,
                                                      .tier = Tier::On,
                                                      .documentation = R"(## What it finds

`double()` of a model, in a file that uses a GPU, or one that makes tensors of NumPy arrays.

## Why it costs

NumPy creates float64 arrays, and `model.double()` silences the resulting dtype error. NVIDIA documents a float64
throughput of 1/32 or 1/64 of float32 for most of its consumer GPUs, and 1/2 for data-center GPUs such as the A100.
Everything also takes twice the memory.

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

- NVIDIA CUDA programming guide: throughput of native arithmetic instructions
)"},
                                             .calls = "TorchModule.double",
                                             .on_call = check};

} // namespace deepperf::rules::float64_model
