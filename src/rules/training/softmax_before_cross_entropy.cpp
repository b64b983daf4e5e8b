#include "rules/loss_call.h"

#include <fmt/format.h>

namespace deepperf::rules::softmax_before_cross_entropy {

using namespace python;

namespace {

// `F.softmax(x, dim=1)` written where the loss is called: `x` alone is what the loss wants.
std::optional<Edit> without_activation(const Site &site, const Expr *input) {
  const auto *call = as<Call>(input);
  if (call == nullptr) {
    return std::nullopt;
  }
  const bool is_function = called_api(site, *call).ends_with("softmax");
  const bool is_method = !is_function && called_method(*call) == "softmax";
  const Expr *scores = is_function ? argument(*call, 0, "input") : is_method ? receiver_of(*call) : nullptr;
  return scores != nullptr ? std::optional(replace(*input, std::string(text_of(site, scores)))) : std::nullopt;
}

void check(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  if (loss.loss != Loss::CrossEntropy) {
    return;
  }
  const Output output = loss.output;
  if (output == Output::LogSoftmax) {
    Finding &finding = report(site, *loss.input,
                              fmt::format("`{}` applies log_softmax itself, so it is computed twice here", loss.name),
                              "pass the logits, or keep `log_softmax` and use `nll_loss`");
    finding.tier = Tier::Hint; // the second changes nothing but the time
    return;
  }
  if (output != Output::Softmax && output != Output::Sigmoid) {
    return;
  }
  Finding &finding = report(site, *loss.input,
                            fmt::format("`{}` applies softmax itself and expects logits, but gets the output of a {}",
                                        loss.name, output == Output::Softmax ? "softmax" : "sigmoid"),
                            "pass the logits of the last layer; apply softmax only where you need probabilities");
  if (const std::optional<Edit> edit = without_activation(site, loss.input)) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kSoftmaxBeforeCrossEntropy = {
    .info = {.code = "DP801",
             .name = "softmax-before-cross-entropy",
             .summary = "a softmax whose output goes into a cross-entropy that applies softmax itself",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Model Building",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`nn.CrossEntropyLoss`, `F.cross_entropy` or a softmax cross-entropy of Optax on the output of a softmax or sigmoid: written in the call, kept in a variable, or returned by
the last layer of the model. A `log_softmax` before it is harmless but computed twice: that is a hint.

## Why it is wrong

The loss applies softmax itself. A second softmax over probabilities, which lie between 0 and 1, gives an almost uniform distribution: with
10 classes its maximum is 0.23, so the loss never goes below 1.46 however good the model is, and the gradients are weak. The model still
learns something, only slowly and badly, which makes the mistake hard to notice.

## Bad

```python
import torch.nn as nn

model = nn.Sequential(nn.Linear(784, 10), nn.Softmax(dim=1))
criterion = nn.CrossEntropyLoss()


def loss(x, y):
    return criterion(model(x), y)
```

## Good

```python
import torch.nn as nn

model = nn.Sequential(nn.Linear(784, 10))
criterion = nn.CrossEntropyLoss()


def loss(x, y):
    return criterion(model(x), y)
```

## When it is wrong

In rare cases where the softened distribution is intended.

## References

- PyTorch documentation of `torch.nn.CrossEntropyLoss`
)"},
    .calls = kLossCalls,
    .on_call = check};

} // namespace deepperf::rules::softmax_before_cross_entropy
