#include "rules/shape_problems.h"

namespace deepperf::rules::loss_target_shape {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::LossTargetShape); }

} // namespace

extern constinit const Rule kLossTargetShape = {
    .info = {.code = "DP605",
             .name = "loss-target-shape",
             .summary = "labels whose shape does not match the predictions",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A loss function that is called with labels whose shape does not match the predictions: `[N, 1]` or one-hot integers for `cross_entropy`, another length, or another shape for binary cross entropy.

## Why it is wrong

The program stops at the first training step with a `ValueError` or `RuntimeError`.

## Bad

```python
import torch
import torch.nn.functional as F

scores = torch.randn(8, 10)
labels = torch.randint(0, 10, (4,))
loss = F.cross_entropy(scores, labels)
```

## Good

```python
import torch
import torch.nn.functional as F

scores = torch.randn(8, 10)
labels = torch.randint(0, 10, (8,))
loss = F.cross_entropy(scores, labels)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::loss_target_shape
