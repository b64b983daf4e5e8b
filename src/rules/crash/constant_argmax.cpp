#include "rules/shape_problems.h"

namespace deepperf::rules::constant_argmax {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::ConstantArgmax); }

} // namespace

extern constinit const Rule kConstantArgmax = {
    .info = {.code = "DP614",
             .name = "constant-argmax",
             .summary = "`argmax` over a dimension of one element, which is always 0",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`argmax` along a dimension of size 1, as with the one output of a binary classifier.

## Why it is wrong

The result is 0 for every example, whatever the model predicts, so accuracy is the share of one class.

## Bad

```python
import torch
from torch import nn

x = torch.randn(8, 4)
predicted = nn.Linear(4, 1)(x).argmax(dim=1)
```

## Good

```python
import torch
from torch import nn

x = torch.randn(8, 4)
with torch.no_grad():
    predicted = (nn.Linear(4, 1)(x) > 0).long()
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::constant_argmax
