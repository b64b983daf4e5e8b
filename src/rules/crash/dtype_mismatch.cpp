#include "rules/shape_problems.h"

namespace deepperf::rules::dtype_mismatch {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::DtypeMismatch); }

} // namespace

extern constinit const Rule kDtypeMismatch = {
    .info = {.code = "DP607",
             .name = "dtype-mismatch",
             .summary = "tensors whose dtypes do not match each other or the operation",
             .root_cause = "Crash: Inconsistent Types",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

A layer whose input has a different dtype than its weights (float64 from NumPy, integers), a matrix product of two dtypes, labels that are not integers for `cross_entropy`, integers for `mean`, floating-point numbers for an embedding, arithmetic of boolean masks such as `1 - mask`, and bitwise operators on floating-point numbers.

## Why it is wrong

The program stops here with a `RuntimeError`: PyTorch does not convert for these operations.

## Bad

```python
import torch
from torch import nn

x = torch.randn(8, 4, dtype=torch.float64)
y = nn.Linear(4, 2)(x)
```

## Good

```python
import torch
from torch import nn

x = torch.randn(8, 4, dtype=torch.float64)
y = nn.Linear(4, 2)(x.float())
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::dtype_mismatch
