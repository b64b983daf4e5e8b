#include "rules/shape_problems.h"

namespace deepperf::rules::wrong_rank {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::WrongRank); }

} // namespace

extern constinit const Rule kWrongRank = {
    .info = {.code = "DP604",
             .name = "wrong-rank",
             .summary = "a tensor with too many or too few dimensions, or a dimension that is out of range",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

An operation or layer that receives a tensor with a different number of dimensions than it expects, names a dimension that the tensor does not have, or uses more indices than it has dimensions; the truth value of a tensor with several elements, and `backward()` from more than one number.

## Why it is wrong

The program stops here with an `IndexError` or a `RuntimeError`.

## Bad

```python
import torch

x = torch.randn(4, 10)
y = x.softmax(dim=2)
```

## Good

```python
import torch

x = torch.randn(4, 10)
y = x.softmax(dim=1)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::wrong_rank
