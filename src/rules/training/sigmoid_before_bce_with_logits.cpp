#include "rules/loss_call.h"

#include <fmt/format.h>

namespace deepperf::rules::sigmoid_before_bce_with_logits {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  if (loss.loss != Loss::BceWithLogits) {
    return;
  }
  const Output output = loss.output;
  if (output != Output::Sigmoid && output != Output::Softmax) {
    return;
  }
  Finding &finding = report(site, *loss.input,
                            fmt::format("`{}` applies a sigmoid itself and expects logits, but gets the output of a {}",
                                        loss.name, output == Output::Softmax ? "softmax" : "sigmoid"),
                            "pass the logits of the last layer; apply a sigmoid only where you need probabilities");
  const auto *inner = as<Call>(loss.input);
  if (inner == nullptr || output != Output::Sigmoid) {
    return;
  }
  const bool is_function = called_api(site, *inner).ends_with("sigmoid");
  const Expr *scores = is_function                          ? argument(*inner, 0, "input")
                       : called_method(*inner) == "sigmoid" ? receiver_of(*inner)
                                                            : nullptr;
  if (scores != nullptr) {
    set_fix(finding, false, {replace(*inner, std::string(text_of(site, scores)))});
  }
}

} // namespace

extern constinit const Rule kSigmoidBeforeBceWithLogits = {
    .info = {.code = "DP802",
             .name = "sigmoid-before-bce-with-logits",
             .summary = "a sigmoid whose output goes into `BCEWithLogitsLoss`, which applies a sigmoid itself",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Model Building",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`nn.BCEWithLogitsLoss` or `F.binary_cross_entropy_with_logits` on the output of a sigmoid or softmax: written in the call, kept in a
variable, or returned by the last layer of the model.

## Why it is wrong

The loss applies a sigmoid itself. Values between 0 and 1 become 0.5 to 0.73: the model can never predict a confident 0, the loss of a
negative example cannot go below 0.69, and the gradients shrink by the slope of the first sigmoid.

## Bad

```python
import torch
import torch.nn.functional as F


def loss(scores, target):
    return F.binary_cross_entropy_with_logits(torch.sigmoid(scores), target)
```

## Good

```python
import torch.nn.functional as F


def loss(scores, target):
    return F.binary_cross_entropy_with_logits(scores, target)
```

## When it is wrong

In rare cases where the narrow range is intended.

## References

- PyTorch documentation of `torch.nn.BCEWithLogitsLoss`
)"},
    .calls = kLossCalls,
    .on_call = check};

} // namespace deepperf::rules::sigmoid_before_bce_with_logits
