#include "rules/assignments.h"
#include "rules/loss_call.h"
#include "rules/made_on_host.h"

namespace deepperf::rules::focal_of_mean {

using namespace python;

namespace {

constexpr u32 kMostDepth = 6;

// Where an expression stands: names in it are looked up there.
struct Placed {
  Site site;
  const Expr *expr = nullptr;
};

// Names, and functions of the project that return something, replaced by what that is.
Placed resolved(const Site &site, const Expr *expr, u32 depth = 0) {
  const Expr *const value = written_value(site, expr);
  const auto *call = as<Call>(value);
  const model::FunctionInfo *const function = call != nullptr ? called_function(site, *call) : nullptr;
  const Expr *const returned =
      function != nullptr && function->definition() != nullptr ? returned_at_end(site, *call) : nullptr;
  if (returned == nullptr || depth > kMostDepth) {
    return {site, value};
  }
  return resolved(site_inside(site, *function), returned, depth + 1);
}

// What has one number for the batch: a cross-entropy with the default reduction; null if it is something else.
const Call *mean_loss(const Site &site, const Expr *expr, u32 depth = 0) {
  const Placed placed = resolved(site, expr);
  const auto *call = as<Call>(placed.expr);
  if (call == nullptr || depth > kMostDepth || has_hidden_arguments(*call)) {
    return nullptr;
  }
  if (called_method(*call) == "mean" && call->args.empty() && call->keywords.empty()) {
    const Placed inner = resolved(placed.site, receiver_of(*call));
    const auto *loss = as<Call>(inner.expr);
    return loss != nullptr && loss_call(inner.site, *loss).loss != Loss::None ? call : nullptr;
  }
  const Loss loss = loss_call(placed.site, *call).loss;
  if (loss != Loss::CrossEntropy && loss != Loss::Nll && loss != Loss::Bce && loss != Loss::BceWithLogits) {
    return nullptr;
  }
  std::string_view api = called_api(placed.site, *call);
  const Call *const options = api.empty() ? maker_of_callee(placed.site, *call, &api) : call;
  if (options == nullptr || !api.starts_with("torch.nn.") || has_hidden_arguments(*options) ||
      keyword_argument(*options, "reduce") != nullptr || keyword_argument(*options, "size_average") != nullptr) {
    return nullptr;
  }
  const Keyword *const reduction = keyword_argument(*options, "reduction");
  if (reduction == nullptr) {
    return call;
  }
  const auto chosen = string_of(site_of(placed.site, *options), reduction->value);
  return chosen == "mean" || chosen == "sum" ? call : nullptr;
}

// `x` of `-x` and `-1 * x`, also under a name.
const Expr *negated(const Site &site, const Expr *expr) {
  const Expr *const value = written_value(site, expr);
  if (const auto *minus = as<UnaryOp>(value); minus != nullptr && minus->op() == UnaryOperator::USub) {
    return minus->operand;
  }
  const auto *product = as<BinOp>(value);
  return product != nullptr && product->op() == Operator::Mult && number_of(site, product->left) == -1 ? product->right
                                                                                                       : nullptr;
}

// The mean loss whose probability, `exp(-loss)`, the expression is.
const Call *loss_of_probability(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(written_value(site, expr));
  if (call == nullptr) {
    return nullptr;
  }
  const Expr *exponent = nullptr;
  if (called_api(site, *call) == "torch.exp" && call->args.size() == 1) {
    exponent = call->args[0];
  } else if (called_method(*call) == "exp" && call->args.empty()) {
    exponent = receiver_of(*call);
  }
  const Expr *const loss = exponent != nullptr ? negated(site, exponent) : nullptr;
  return loss != nullptr ? mean_loss(site, loss) : nullptr;
}

// The base of a power: `x ** gamma`, `x.pow(gamma)`, `torch.pow(x, gamma)`.
const Expr *base_of(const Site &site, const Node &node) {
  if (const auto *power = as<BinOp>(&node)) {
    return power->op() == Operator::Pow ? power->left : nullptr;
  }
  const auto &call = static_cast<const Call &>(node);
  if (called_api(site, call) == "torch.pow" && call.args.size() == 2) {
    return call.args[0];
  }
  return called_method(call) == "pow" && call.args.size() == 1 ? receiver_of(call) : nullptr;
}

void check(Site &site, const Node &node) {
  if (!site.module->torch || site.module->is_test) {
    return;
  }
  const Expr *const base = base_of(site, node);
  const auto *rest = base != nullptr ? as<BinOp>(written_value(site, base)) : nullptr; // 1 - p
  if (rest == nullptr || rest->op() != Operator::Sub || number_of(site, rest->left) != 1) {
    return;
  }
  const Call *const loss = loss_of_probability(site, rest->right);
  if (loss == nullptr) {
    return;
  }
  Finding &finding = report(
      site, node, "this focal factor is computed from the mean loss of the batch, so all samples get the same weight",
      "compute the loss with `reduction=\"none\"`, and take the mean of the weighted losses");
  const Site there = site_of(site, *loss);
  finding.notes.push_back({there.module->file, loss->span(), "this is one number for the whole batch"});
}

} // namespace

extern constinit const Rule kFocalOfMean = {
    .info = {.code = "DP963",
             .name = "focal-of-mean",
             .summary = "a focal loss whose factor is computed from the mean loss of the batch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Low Accuracy",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`(1 - torch.exp(-loss)) ** gamma` where `loss` is a cross-entropy that is already averaged over the batch, as it is unless `reduction="none"` is passed.

## Why it is wrong

The focal loss gives samples that the model gets wrong more weight than those that it gets right. A factor that is computed from the mean loss is the same
for all samples: it scales the gradient of the batch, and the easy samples dominate as before.

## Bad

```python
import torch
import torch.nn.functional as F


def focal_loss(logits, target, gamma=2.0):
    loss = F.cross_entropy(logits, target)
    probability = torch.exp(-loss)
    return (1 - probability) ** gamma * loss
```

## Good

```python
import torch
import torch.nn.functional as F


def focal_loss(logits, target, gamma=2.0):
    loss = F.cross_entropy(logits, target, reduction="none")
    probability = torch.exp(-loss)
    return ((1 - probability) ** gamma * loss).mean()
```

## When it is wrong

Where batches have one sample, or a single weight for the whole batch is intended.

## References

- Lin et al.: Focal Loss for Dense Object Detection, 2017
)"},
    .nodes = {NodeKind::BinOp, NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::focal_of_mean
