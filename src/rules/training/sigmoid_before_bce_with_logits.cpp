#include "rules/loss_call.h"

#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  if (loss.loss != Loss::BceWithLogits) {
    return;
  }
  const Output output = model::output_of(loss.input);
  if (output != Output::Sigmoid && output != Output::Softmax) {
    return;
  }
  Finding &finding =
      report(site, *loss.input,
             fmt::format("{} applies sigmoid itself and wants scores, but gets the result of a {}", loss.name,
                         output == Output::Softmax ? "softmax" : "sigmoid"),
             "pass the scores as they come out of the last layer; apply sigmoid only where probabilities are wanted");
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
             .summary = "a sigmoid whose result goes into BCEWithLogitsLoss, which applies sigmoid itself",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`nn.BCEWithLogitsLoss` or `F.binary_cross_entropy_with_logits` that is given the result of a sigmoid or softmax: written in the call,
kept in a variable, or made by the last layer of the model.

## Why it costs

The loss applies sigmoid itself. What lies between 0 and 1 becomes 0.5 to 0.73: the model can never be sure of a 0, the
loss of a negative example cannot go below 0.69, and the gradients shrink by the slope of the first sigmoid.

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

Rarely: where the narrow range is meant.

## References

- PyTorch documentation of `torch.nn.BCEWithLogitsLoss`: this loss combines a Sigmoid layer and the BCELoss in one single class
)"},
    .calls = kLossCalls,
    .on_call = check};

} // namespace deepperf::rules
