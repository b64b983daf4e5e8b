#include "rules/shape_problems.h"

namespace deepperf::rules::reshape_size {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::ReshapeSize); }

} // namespace

extern constinit const Rule kReshapeSize = {
    .info = {.code = "DP603",
             .name = "reshape-size",
             .summary = "a `view` or `reshape` to a different number of elements",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`view`, `reshape`, `unflatten` and `split` to sizes that do not multiply, or add up, to what the tensor has, and patterns of `einops` that do not fit. The last batch of a loader counts as well: it is smaller unless the batch size divides the number of examples.

## Why it is wrong

The program stops at this call with a `RuntimeError`.

## Bad

```python
import torch

x = torch.randn(4, 16, 5, 5)
y = x.view(4, 300)
```

## Good

```python
import torch

x = torch.randn(4, 16, 5, 5)
y = x.view(4, 400)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::reshape_size
