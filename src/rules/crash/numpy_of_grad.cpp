#include "rules/shape_problems.h"

namespace deepperf::rules::numpy_of_grad {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::NumpyOfGrad); }

} // namespace

extern constinit const Rule kNumpyOfGrad = {
    .info = {.code = "DP609",
             .name = "numpy-of-grad",
             .summary = "`numpy()` of a tensor that requires grad or is on a GPU",
             .root_cause = "Crash: Tensors on Different Devices",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`.numpy()` of a tensor that is part of an autograd graph, or that is on a GPU or on the program's device.

## Why it is wrong

The program stops here: NumPy shares memory with the tensor, which is not possible for one on a GPU, and would bypass autograd.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(4, 2)
y = model(torch.randn(8, 4)).numpy()
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(4, 2)
with torch.no_grad():
    y = model(torch.randn(8, 4)).numpy()
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::numpy_of_grad
