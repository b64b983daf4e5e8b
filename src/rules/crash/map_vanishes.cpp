#include "rules/shape_problems.h"

namespace deepperf::rules::map_vanishes {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::MapVanishes); }

} // namespace

extern constinit const Rule kMapVanishes = {
    .info = {.code = "DP612",
             .name = "map-vanishes",
             .summary = "a kernel that is larger than the feature map that reaches it",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A convolution or pooling layer whose kernel is larger than its input with padding: after too many pooling layers, or for images that are smaller than those that the model was written for.

## Why it is wrong

The program stops here with `Kernel size can't be greater than actual input size`, or `Output size is too small`.

## Bad

```python
import torch
from torch import nn

x = torch.randn(1, 3, 4, 4)
y = nn.Conv2d(3, 8, 7)(x)
```

## Good

```python
import torch
from torch import nn

x = torch.randn(1, 3, 8, 8)
y = nn.Conv2d(3, 8, 7)(x)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::map_vanishes
