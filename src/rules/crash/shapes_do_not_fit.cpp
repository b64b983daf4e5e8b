#include "rules/shape_problems.h"

namespace deepperf::rules::shapes_do_not_fit {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::ShapesDoNotFit); }

} // namespace

extern constinit const Rule kShapesDoNotFit = {
    .info = {.code = "DP602",
             .name = "shapes-do-not-fit",
             .summary = "operands whose shapes do not match",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

Tensors that are added, multiplied, concatenated, stacked or used as a mask although their shapes do not match: sizes that are neither equal nor 1, or inner sizes of a matrix product that differ. A dataset whose examples differ in shape, where the default `collate_fn` stacks them.

## Why it is wrong

The program stops at this operation with a `RuntimeError`.

## Bad

```python
import torch

a = torch.randn(8, 64)
b = torch.randn(8, 32)
c = a + b
```

## Good

```python
import torch

a = torch.randn(8, 64)
b = torch.randn(8, 64)
c = a + b
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::shapes_do_not_fit
