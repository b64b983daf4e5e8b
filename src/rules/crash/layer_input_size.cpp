#include "rules/shape_problems.h"

namespace deepperf::rules::layer_input_size {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::LayerInputSize); }

} // namespace

extern constinit const Rule kLayerInputSize = {
    .info = {.code = "DP601",
             .name = "layer-input-size",
             .summary = "a layer that receives a different number of features or channels than it was created for",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A layer (`nn.Linear`, `nn.Conv2d`, `nn.BatchNorm2d`, `nn.LSTM`, `nn.LayerNorm`, ...) that is called with a tensor whose features or channels are not those it was created for. Constructor arguments and input shapes are
followed through classes, helpers, loops and files; sizes that the code does not specify are symbols, and only what is wrong for all of their values is reported.

## Why it is wrong

The program stops at this call with a `RuntimeError`, often only after the data has been loaded.

## Bad

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.fc = nn.Linear(16 * 28 * 28, 10)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


Net()(torch.randn(4, 3, 32, 32))
```

## Good

```python
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.fc = nn.Linear(16 * 30 * 30, 10)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


Net()(torch.randn(4, 3, 32, 32))
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::layer_input_size
