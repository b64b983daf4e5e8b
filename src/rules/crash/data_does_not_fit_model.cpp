#include "rules/shape_problems.h"

namespace deepperf::rules::data_does_not_fit_model {

namespace {

void check(Site &site) { report_shape_problems(site, shapes::Fault::DataDoesNotFit); }

} // namespace

extern constinit const Rule kDataDoesNotFitModel = {
    .info = {.code = "DP613",
             .name = "data-does-not-fit-model",
             .summary = "data that does not fit together, or does not fit the model it is given to",
             .root_cause = "Crash: Inconsistent Shapes",
             .symptoms = "Crash",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

Features and labels of different numbers in a `TensorDataset`, and data whose shape is not what the model takes, where they meet: in `fit`, `evaluate`, `predict` and the like.

## Why it is wrong

The program stops when the dataset is made, or at the first step of the training.

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

Where shapes, dtypes or devices are not known for certain; under `try`; behind tests of shapes and types; in calls of functions that the program does not know.
)"},
    .on_shapes = check,
};

} // namespace deepperf::rules::data_does_not_fit_model
