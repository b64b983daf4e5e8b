#include "rules/assignments.h"
#include "rules/loss_call.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::reductions_mixed {

using namespace python;

namespace {

// The mean over all elements that a loss gives by default
bool is_mean_loss(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const Call *maker = call;
  if (!is_loss_function(called_api(site, *call))) {
    const model::Value callee = value_of(site, call->func);
    if (!callee.is_kind(Kind::TorchLoss) || callee.maker() == nullptr || callee.alternatives != nullptr ||
        callee.many) {
      return false;
    }
    maker = callee.maker();
  }
  const Site there = site_of(site, *maker);
  const auto reduction =
      setting_of(there, argument_of(there, *maker, ~0U, "reduction"), model::ConstantValue::of(std::string("mean")));
  return reduction.has_value() && reduction->as_string() == "mean" && !has_hidden_arguments(*maker) &&
         keyword_argument(*maker, "size_average") == nullptr && keyword_argument(*maker, "reduce") == nullptr;
}

// -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp()): the KL divergence of a normal distribution, over the batch
bool is_summed_divergence(const Site &site, const Expr *expr) {
  expr = written_value(site, expr);
  for (u32 i = 0; i < 3; ++i) {
    const auto *product = as<BinOp>(expr);
    if (product == nullptr || product->op() != Operator::Mult) {
      break;
    }
    expr = number_of(site, product->left).has_value() ? product->right : product->left;
  }
  if (const auto *negated = as<UnaryOp>(expr)) {
    expr = negated->operand;
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const bool is_function = called_api(site, *call) == "torch.sum";
  const std::size_t arguments = is_function ? 1 : 0;
  if ((!is_function && called_method(*call) != "sum") || call->args.size() != arguments || !call->keywords.empty()) {
    return false;
  }
  const Expr *summed = written_value(site, is_function ? call->args[0] : receiver_of(*call));
  bool has_exponential = false;
  bool has_square = false;
  any_node(summed, [&](const Node *node) {
    if (const auto *inner = as<Call>(node)) {
      has_exponential = has_exponential || called_name(*inner) == "exp";
      has_square = has_square || called_name(*inner) == "pow" || called_name(*inner) == "square";
    }
    const auto *power = as<BinOp>(node);
    has_square = has_square || (power != nullptr && power->op() == Operator::Pow);
    return false;
  });
  return has_exponential && has_square;
}

void check(Site &site, const Node &node) {
  const auto &sum = static_cast<const BinOp &>(node);
  if (sum.op() != Operator::Add || site.module->is_test) {
    return;
  }
  const Expr *left = written_value(site, sum.left);
  const Expr *right = written_value(site, sum.right);
  const bool is_mixed = (is_mean_loss(site, left) && is_summed_divergence(site, right)) ||
                        (is_mean_loss(site, right) && is_summed_divergence(site, left));
  if (!is_mixed) {
    return;
  }
  const Expr *mean = is_mean_loss(site, left) ? left : right;
  Finding &finding = report(site, sum,
                            "the reconstruction is a mean over all elements and the divergence a sum over the batch, "
                            "so the divergence outweighs it by far",
                            "sum the reconstruction as well (`reduction=\"sum\"`), or average both over the batch");
  add_note(finding, site, *mean, "this is a mean");
}

} // namespace

extern constinit const Rule kReductionsMixed = {.info = {.code = "DP272",
                                                         .name = "reductions-mixed",
                                                         .summary = "a loss that adds a mean and a sum",
                                                         .root_cause = "Training: Loss Mismatch",
                                                         .symptoms = "Wrong Result, Slow Convergence",
                                                         .stage = "Training",
                                                         .frameworks = "PyTorch",
                                                         .severity = Severity::Error,
                                                         .tier = Tier::On,
                                                         .documentation = R"(## What it finds

The loss of a variational autoencoder whose reconstruction term is a mean over all elements while its KL divergence is a sum over the whole batch.

## Why it is wrong

For images of 28x28 and a batch of 128 the divergence weighs 100,000 times more than intended. The model ignores its input, which is known as posterior collapse.

## Bad

```python
import torch
import torch.nn.functional as F


def loss(reconstruction, x, mu, logvar):
    likelihood = F.binary_cross_entropy(reconstruction, x)
    divergence = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return likelihood + divergence
```

## Good

```python
import torch
import torch.nn.functional as F


def loss(reconstruction, x, mu, logvar):
    likelihood = F.binary_cross_entropy(reconstruction, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return likelihood + divergence
```

## When it is wrong

Where a factor elsewhere makes up for it.
)"},
                                                .nodes = {NodeKind::BinOp},
                                                .on_node = check};

} // namespace deepperf::rules::reductions_mixed
