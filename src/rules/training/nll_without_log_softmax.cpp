#include "rules/loss_call.h"

#include <fmt/format.h>

namespace deepperf::rules::nll_without_log_softmax {

using namespace python;

namespace {

std::string_view words_for(Output output) {
  switch (output) {
  case Output::Scores:
    return "the logits of a linear or convolutional layer";
  case Output::Softmax:
    return "the output of a softmax";
  case Output::Sigmoid:
    return "the output of a sigmoid";
  case Output::Relu:
    return "the output of a ReLU";
  default:
    return {};
  }
}

void check(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  if (loss.loss != Loss::Nll && loss.loss != Loss::Ctc) {
    return;
  }
  const std::string_view words = words_for(model::output_of(loss.input));
  if (words.empty()) {
    return;
  }
  report(site, *loss.input, fmt::format("`{}` expects log-probabilities, but gets {}", loss.name, words),
         loss.loss == Loss::Ctc
             ? "apply `log_softmax` over the classes first"
             : "use `CrossEntropyLoss` or `cross_entropy` on the logits, or apply `log_softmax` first");
}

} // namespace

extern constinit const Rule kNllWithoutLogSoftmax = {
    .info = {.code = "DP804",
             .name = "nll-without-log-softmax",
             .summary = "`NLLLoss` or `CTCLoss` on logits or probabilities instead of log-probabilities",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`nn.NLLLoss`, `nn.CTCLoss`, `F.nll_loss` or `F.ctc_loss` on the output of a softmax or sigmoid, or on the logits of the last layer.

## Why it is wrong

The loss picks the value of the correct class and negates it. With probabilities the loss is between -1 and 0 and has weak gradients; with
logits it has no lower bound, so the model learns to make every logit large.

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

Where the expected probability itself is maximized, as some papers do.

## References

- PyTorch documentation of `torch.nn.NLLLoss`: the input is expected to contain log-probabilities of each class
)"},
    .calls = kLossCalls,
    .on_call = check};

} // namespace deepperf::rules::nll_without_log_softmax
