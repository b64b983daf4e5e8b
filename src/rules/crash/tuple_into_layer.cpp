#include "rules/shape_problems.h"

namespace deepperf::rules::tuple_into_layer {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::Arity); }

} // namespace

extern constinit const Rule kTupleIntoLayer = {
    .info = {.code = "DP610",
             .name = "tuple-into-layer",
             .summary = "a tuple where a layer takes a tensor, or too many or too few arguments of `forward`",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A layer that is called with the tuple that an LSTM, GRU or attention layer returns, with a dictionary, with `None` or with an array of NumPy; a module that is called, or created, with more or fewer arguments than it takes; an attribute that a module does not have; an optimizer that receives a module instead of its parameters; and `apply` of a Flax module without the collections or random keys that its layers need.

## Why it is wrong

The program stops here with a `TypeError` or `AttributeError`.

## Bad

```python
import torch
from torch import nn

lstm = nn.LSTM(4, 8)
head = nn.Linear(8, 2)
y = head(lstm(torch.randn(5, 1, 4)))
```

## Good

```python
import torch
from torch import nn

lstm = nn.LSTM(4, 8)
head = nn.Linear(8, 2)
output, state = lstm(torch.randn(5, 1, 4))
y = head(output)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::tuple_into_layer
