#include "rules/site.h"

namespace deepperf::rules::tensor_through_list {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (call.args.empty() || site.module->is_test) {
    return;
  }
  const auto *list = as<Call>(call.args[0]);
  if (list == nullptr || called_method(*list) != "tolist" || !list->args.empty()) {
    return;
  }
  const Kind kind = model::kind_of(receiver_of(*list));
  const bool is_torch = kind == Kind::TorchTensor;
  if (!is_torch && kind != Kind::NumpyArray) {
    return; // a column of a table may hold lists or texts
  }
  report(site, call, "every number becomes a Python object on its way through a list",
         is_torch ? "keep the tensor: `x.to(dtype)`, or `x.detach().clone()` for a copy"
                  : "pass the array itself: `torch.from_numpy(x)`, or `torch.tensor(x)` for a copy");
}

} // namespace

extern constinit const Rule kTensorThroughList = {
    .info = {.code = "DP420",
             .name = "tensor-through-list",
             .summary = "an array or tensor that becomes a tensor by way of a Python list",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, NumPy",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.tensor(x.tolist())`, and the same with `torch.FloatTensor`, `torch.as_tensor`, `np.array` and `tf.constant`.

## Why it costs

`tolist()` creates a Python object for every number, and the constructor reads them one by one. `torch.from_numpy` shares
the memory of the array and copies nothing.

## Bad

```python
import numpy as np
import torch


def load(path):
    return torch.tensor(np.load(path).tolist())
```

## Good

```python
import numpy as np
import torch


def load(path):
    return torch.from_numpy(np.load(path))
```

## When it is wrong

A list of numbers becomes float32 by default, while an array keeps its type: add `.float()` where the array is float64.
For a few numbers the difference is negligible.

## References

- `torch.from_numpy`
)"},
    .calls = "torch.tensor torch.as_tensor torch.FloatTensor torch.LongTensor torch.Tensor numpy.array numpy.asarray "
             "tensorflow.constant tensorflow.convert_to_tensor",
    .on_call = check};

} // namespace deepperf::rules::tensor_through_list
