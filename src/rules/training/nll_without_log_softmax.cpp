#include "rules/loss_call.h"

#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

std::string_view words_for(Output output) {
  switch (output) {
  case Output::Scores:
    return "the scores of a linear or convolutional layer";
  case Output::Softmax:
    return "a softmax";
  case Output::Sigmoid:
    return "a sigmoid";
  case Output::Relu:
    return "a ReLU";
  default:
    return {};
  }
}

void check(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  if (loss.loss != Loss::Nll) {
    return;
  }
  const std::string_view words = words_for(model::output_of(loss.input));
  if (words.empty()) {
    return;
  }
  report(site, *loss.input, fmt::format("{} wants logarithms of probabilities, but gets {}", loss.name, words),
         "use CrossEntropyLoss (cross_entropy) on the scores, or apply log_softmax before");
}

} // namespace

extern constinit const Rule kNllWithoutLogSoftmax = {
    .info = {.code = "DP804",
             .name = "nll-without-log-softmax",
             .summary = "NLLLoss on scores or probabilities instead of log-probabilities",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`nn.NLLLoss` or `F.nll_loss` that is given the result of a softmax or sigmoid, or the scores of the last layer.

## Why it costs

The loss only picks the value of the right class and negates it. Of probabilities that gives a loss between -1 and 0 with weak
gradients; of raw scores it has no lower bound at all: the model learns to make every score large.

## Bad

```python
import torch.nn.functional as F


def loss(scores, target):
    return F.nll_loss(F.softmax(scores, dim=1), target)
```

## Good

```python
import torch.nn.functional as F


def loss(scores, target):
    return F.nll_loss(F.log_softmax(scores, dim=1), target)
```

## When it is wrong

Where the expected probability itself is maximised, as some papers do.

## References

- PyTorch documentation of `torch.nn.NLLLoss`: the input is expected to contain log-probabilities of each class
)"},
    .calls = kLossCalls,
    .on_call = check};

} // namespace deepperf::rules
