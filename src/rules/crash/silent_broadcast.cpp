#include "rules/shape_problems.h"

namespace deepperf::rules::silent_broadcast {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::SilentBroadcast); }

} // namespace

extern constinit const Rule kSilentBroadcast = {
    .info = {.code = "DP606",
             .name = "silent-broadcast",
             .summary = "a loss of `[N, 1]` and `[N]`, which compares every prediction with every label",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`mse_loss`, `l1_loss` and the like of predictions `[N, 1]` and labels `[N]`, or the other way around.

## Why it is wrong

Both are broadcast to `[N, N]`: each prediction is compared with the labels of all examples. The program runs, PyTorch prints a warning, and the model learns the mean of the labels.

## Bad

```python
import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(8, 4)
labels = torch.randn(8)
loss = F.mse_loss(nn.Linear(4, 1)(x), labels)
```

## Good

```python
import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(8, 4)
labels = torch.randn(8)
loss = F.mse_loss(nn.Linear(4, 1)(x).squeeze(1), labels)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::silent_broadcast
