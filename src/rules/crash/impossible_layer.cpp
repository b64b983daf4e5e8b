#include "rules/shape_problems.h"

namespace deepperf::rules::impossible_layer {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::ImpossibleLayer); }

} // namespace

extern constinit const Rule kImpossibleLayer = {
    .info = {.code = "DP611",
             .name = "impossible-layer",
             .summary = "a layer whose arguments contradict each other",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

Groups that do not divide the channels of a convolution or group norm, heads that do not divide the size of an attention layer, a padding that is larger than half of a pooling kernel, sizes that are floats, as `64 / 2` is.

## Why it is wrong

The constructor, or the first call, stops with an error.

## Bad

```python
from torch import nn

attention = nn.MultiheadAttention(100, 8)
```

## Good

```python
from torch import nn

attention = nn.MultiheadAttention(96, 8)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::impossible_layer
