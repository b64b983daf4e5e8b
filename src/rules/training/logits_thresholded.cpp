#include "rules/math_call.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::logits_thresholded {

using namespace python;

namespace {

// The logits that a model gives, and that a sigmoid inside the loss makes probabilities of.
bool are_logits(const Site &site, const Expr *expr) {
  return model::kind_of(expr) == Kind::TorchTensor && model::output_of(expr) == Output::Scores &&
         project_has_word(site, {"BCEWithLogitsLoss", "binary_cross_entropy_with_logits"}) &&
         !project_has_word(site, {"BCELoss", "CrossEntropyLoss", "cross_entropy(", "MSELoss", "mse_loss"});
}

void add_finding(Site &site, const Node &place, std::string_view what) {
  report(site, place, fmt::format("these are logits, but they are {} as if they were probabilities", what),
         "apply `torch.sigmoid()` first, or compare the logits with 0");
}

// `logits > 0.5`
void check(Site &site, const Node &node) {
  if (const auto *compare = as<Compare>(&node)) {
    if (compare->rest.size() != 1 || !is_number(site, compare->rest[0].right, 0.5)) {
      return;
    }
    const CompareOperator op = compare->rest[0].op;
    if ((op == CompareOperator::Gt || op == CompareOperator::GtE || op == CompareOperator::Lt ||
         op == CompareOperator::LtE) &&
        are_logits(site, compare->left)) {
      add_finding(site, node, "compared with 0.5");
    }
    return;
  }
  const auto &call = static_cast<const Call &>(node);
  const MathCall math = math_call(site, &call);
  if (math.is("round") && math.package == "torch" && math.operand != nullptr && are_logits(site, math.operand)) {
    add_finding(site, node, "rounded");
  }
}

} // namespace

extern constinit const Rule kLogitsThresholded = {
    .info = {.code = "DP909",
             .name = "logits-thresholded",
             .summary = "logits that are compared with 0.5 or rounded as if they were probabilities",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`output > 0.5` or `torch.round(output)` where `output` is the output of the last linear layer of a model, and the model is trained with
`BCEWithLogitsLoss`.

## Why it is wrong

The loss applies the sigmoid itself, so the model returns logits. A probability of 0.5 is a logit of 0; a logit of 0.5 is a probability of
0.62. Every sample in between is counted as negative, and the reported accuracy, precision and recall are those of a different threshold.

## Bad

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.BCEWithLogitsLoss()


def accuracy(x, y):
    with torch.no_grad():
        return ((model(x) > 0.5) == y).float().mean()
```

## Good

```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.BCEWithLogitsLoss()


def accuracy(x, y):
    with torch.no_grad():
        return ((torch.sigmoid(model(x)) > 0.5) == y).float().mean()
```

## When it is wrong

Where a logit of 0.5 is meant as the threshold.

## References

- PyTorch documentation of `torch.nn.BCEWithLogitsLoss`
)"},
    .nodes = {NodeKind::Compare, NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::logits_thresholded
