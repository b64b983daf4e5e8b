#include "rules/loss_call.h"

#include <fmt/format.h>

namespace deepperf::rules::bce_without_sigmoid {

using namespace python;

namespace {

std::string_view words_for(Output output) {
  switch (output) {
  case Output::Scores:
    return "a linear or convolutional layer, which can be any number";
  case Output::Relu:
    return "a ReLU, which can be above 1";
  case Output::Tanh:
    return "a tanh, which can be negative";
  case Output::LogSoftmax:
    return "a log_softmax, which is negative";
  default:
    return {};
  }
}

void check(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  if (loss.loss != Loss::Bce) {
    return;
  }
  const std::string_view words = words_for(model::output_of(loss.input));
  if (words.empty()) {
    return;
  }
  report(site, *loss.input,
         fmt::format("`{}` expects probabilities between 0 and 1, but gets the output of {}", loss.name, words),
         "use `BCEWithLogitsLoss` or `binary_cross_entropy_with_logits`, which take logits and are numerically stable");
}

} // namespace

extern constinit const Rule kBceWithoutSigmoid = {
    .info = {.code = "DP803",
             .name = "bce-without-sigmoid",
             .summary = "`BCELoss` on values that are not probabilities, because no sigmoid was applied",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result, Not a Number",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`nn.BCELoss` or `F.binary_cross_entropy` on the output of a linear or convolutional layer, a ReLU, a tanh or a log_softmax.

## Why it is wrong

The loss takes the logarithm of its input and of 1 minus its input. Outside 0 to 1 PyTorch raises an error on a CPU and a device-side
assertion on a GPU, at the first batch with such a value.

## Bad

```python
import torch.nn as nn

model = nn.Sequential(nn.Linear(10, 1))
criterion = nn.BCELoss()


def loss(x, y):
    return criterion(model(x), y)
```

## Good

```python
import torch.nn as nn

model = nn.Sequential(nn.Linear(10, 1))
criterion = nn.BCEWithLogitsLoss()


def loss(x, y):
    return criterion(model(x), y)
```

## When it is wrong

Where the weights keep the output between 0 and 1.

## References

- PyTorch documentation of `torch.nn.BCELoss` and `torch.nn.BCEWithLogitsLoss`
)"},
    .calls = kLossCalls,
    .on_call = check};

} // namespace deepperf::rules::bce_without_sigmoid
