#include "rules/shape_problems.h"

namespace deepperf::rules::data_does_not_fit_model {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::DataDoesNotFit); }

} // namespace

extern constinit const Rule kDataDoesNotFitModel = {
    .info = {.code = "DP613",
             .name = "data-does-not-fit-model",
             .summary = "arrays of data that do not match each other, or the model that receives them",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

Different numbers of features and labels in a `TensorDataset`, and data whose shape does not match the model in `fit`, `evaluate`, `predict` and the like.

## Why it is wrong

The program stops when the dataset is created, or at the first training step.

## Bad

```python
import torch
from torch.utils.data import TensorDataset

features = torch.randn(100, 8)
labels = torch.zeros(90)
data = TensorDataset(features, labels)
```

## Good

```python
import torch
from torch.utils.data import TensorDataset

features = torch.randn(100, 8)
labels = torch.zeros(100)
data = TensorDataset(features, labels)
```

## When it is silent

Where shapes, dtypes or devices are not known for certain; under `try`; after checks of shapes or types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::data_does_not_fit_model
