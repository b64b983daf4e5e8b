#include "rules/shape_problems.h"

namespace deepperf::rules::device_mismatch {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::DeviceMismatch); }

} // namespace

extern constinit const Rule kDeviceMismatch = {
    .info = {.code = "DP608",
             .name = "device-mismatch",
             .summary = "tensors on different devices",
             .root_cause = "Crash: Tensors on Different Devices",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

An operation on tensors, or a layer and its input, of which one is on the CPU and the other on a GPU or on the device that the program chooses when it starts.

## Why it is wrong

Where there is a GPU, the program stops here with `Expected all tensors to be on the same device`. On a machine without one, it runs.

## Bad

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.randn(8, 4)
y = model(x)
```

## Good

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.randn(8, 4, device=device)
y = model(x)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::device_mismatch
