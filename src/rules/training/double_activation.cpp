#include "rules/loss_call.h"

#include <fmt/format.h>

namespace deepperf::rules::double_activation {

using namespace python;

namespace {

std::string_view word_for(Output output) {
  switch (output) {
  case Output::Relu:
    return "ReLU";
  case Output::Sigmoid:
    return "sigmoid";
  case Output::Softmax:
    return "softmax";
  case Output::LogSoftmax:
    return "log_softmax";
  case Output::Tanh:
    return "tanh";
  default:
    return {};
  }
}

// Two activations that nobody means in this order.
bool is_mistake(Output inner, Output outer) {
  const bool is_outer = outer == Output::Softmax || outer == Output::LogSoftmax || outer == Output::Sigmoid;
  const bool is_inner = inner == Output::Softmax || inner == Output::LogSoftmax || inner == Output::Sigmoid;
  return (is_outer && is_inner) || (inner == Output::Relu && (outer == Output::Softmax || outer == Output::LogSoftmax));
}

void add_finding(Site &site, const Expr &place, Output inner, Output outer) {
  Finding &finding =
      report(site, place, fmt::format("this applies a {} to the output of a {}", word_for(outer), word_for(inner)),
             inner == Output::Relu ? "remove the ReLU, which sets all negative logits to 0"
                                   : "remove one of them: the first already limits its output to values from 0 to 1");
  if (inner == Output::Relu || (inner == Output::Softmax && outer == Output::Softmax)) {
    finding.tier = Tier::Hint; // in attention and graph learning it may be meant
  }
}

void check(Site &site, const Call &call) {
  if (const LossCall loss = loss_call(site, call); loss.loss != Loss::None) {
    const bool takes_scores = loss.loss == Loss::CrossEntropy || loss.loss == Loss::BceWithLogits;
    if (takes_scores && model::output_of(loss.input) == Output::Relu) {
      report(site, *loss.input, fmt::format("`{}` expects logits, but a ReLU sets all negative ones to 0", loss.name),
             "remove the activation after the last layer");
    }
    return;
  }
  if (called_api(site, call) == "torch.nn.Sequential") {
    for (u32 i = 1; i < call.args.size(); ++i) {
      if (is_mistake(model::output_of(call.args[i - 1]), model::output_of(call.args[i]))) {
        add_finding(site, *call.args[i], model::output_of(call.args[i - 1]), model::output_of(call.args[i]));
      }
    }
    return;
  }
  const Output outer = model::output_of(&call);
  const Expr *input = nullptr;
  if (const model::Value callee = site.project.callee_of(&call); callee.is(model::Value::Tag::ApiMethod)) {
    input = receiver_of(call);
  } else if (callee.is(model::Value::Tag::Instance)) {
    const std::string_view made = callee.name() ? callee.name().text() : std::string_view{};
    input = made == "torch.nn.Softmax" || made == "torch.nn.LogSoftmax" || made == "torch.nn.Sigmoid"
                ? argument(call, 0, "input")
                : nullptr;
  } else if (!callee.is(model::Value::Tag::Object)) { // a network has layers before its activation
    input = argument(call, 0, "input");
  }
  if (input != nullptr && is_mistake(model::output_of(input), outer)) {
    add_finding(site, call, model::output_of(input), outer);
  }
}

} // namespace

extern constinit const Rule kDoubleActivation = {
    .info = {.code = "DP815",
             .name = "double-activation",
             .summary = "an activation applied to the output of another one, which destroys information",
             .root_cause = "Training: Wrong Model Definition",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A softmax or sigmoid of the output of a softmax or sigmoid, and a loss on logits (`CrossEntropyLoss`, `BCEWithLogitsLoss`) whose input went
through a ReLU. A softmax of a ReLU and a softmax of a softmax are hints.

## Why it is wrong

A softmax or sigmoid returns values between 0 and 1; a second one makes them nearly equal (a sigmoid of them lies between 0.5 and 0.73), and
the gradients shrink twice. A ReLU before the loss sets all negative logits to 0, so a class cannot be ruled out, and units that are
negative for all examples receive no gradient.

## Bad

```python
import torch.nn as nn

model = nn.Sequential(nn.Linear(10, 5), nn.ReLU())
criterion = nn.CrossEntropyLoss()


def loss(x, y):
    return criterion(model(x), y)
```

## Good

```python
import torch.nn as nn

model = nn.Sequential(nn.Linear(10, 5))
criterion = nn.CrossEntropyLoss()


def loss(x, y):
    return criterion(model(x), y)
```

## When it is wrong

Where the narrow range is intended, as in some gates.

## References

- NeuraLint: redundant activations
)"},
    .calls =
        "TorchLoss.__call__ torch.nn.functional.cross_entropy torch.nn.functional.binary_cross_entropy_with_logits "
        "torch.nn.Sequential TorchModule.__call__ torch.softmax torch.nn.functional.softmax TorchTensor.softmax "
        "torch.log_softmax torch.nn.functional.log_softmax TorchTensor.log_softmax torch.sigmoid "
        "torch.nn.functional.sigmoid TorchTensor.sigmoid",
    .on_call = check};

} // namespace deepperf::rules::double_activation
