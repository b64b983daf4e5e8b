#include "rules/math_call.h"
#include "rules/reach.h"

#include <fmt/format.h>

namespace deepperf::rules::log_without_epsilon {

using namespace python;

namespace {

// Does the name get a value anywhere in the function that keeps it away from 0? Then it is somebody's care already.
bool is_guarded(const Site &site, const Expr *operand) {
  return function_has_word(site, {"clamp", "clip", "eps", "EPS", "tiny", "1e-", "maximum", "nan_to_num", "where(",
                                  "log1p", "xlogy"}) ||
         text_of(site, operand).find("clip") != std::string_view::npos;
}

// Whatever is called like this holds probabilities.
bool is_named_probability(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  const std::string_view name = dot == std::string_view::npos ? text : text.substr(dot + 1);
  for (const std::string_view word : {"prob", "pred", "y_hat", "yhat", "softmax", "sigmoid"}) {
    if (name.find(word) != std::string_view::npos) {
      return true;
    }
  }
  return name == "p" || name == "q" || name == "output" || name == "outputs" || name == "pi";
}

void check(Site &site, const Node &node) {
  const auto &product = static_cast<const BinOp &>(node);
  if (product.op() != Operator::Mult) {
    return;
  }
  for (const Expr *side : {product.right, product.left}) {
    const MathCall log = math_call(site, side);
    if (!log.is("log") || log.package == "numpy") {
      continue;
    }
    const Expr *operand = log.operand;
    if (const auto *rest = as<BinOp>(operand);
        rest != nullptr && rest->op() == Operator::Sub && is_number(site, rest->left, 1)) {
      operand = rest->right; // (1 - y) * log(1 - p)
    }
    if ((operand->kind != NodeKind::Name && operand->kind != NodeKind::Attribute) ||
        !is_named_probability(text_of(site, operand)) || is_guarded(site, operand)) {
      continue;
    }
    const Output output = model::output_of(operand);
    if (output == Output::Softmax || output == Output::Sigmoid) {
      return; // log-of-softmax tells more
    }
    report(site, *side,
           fmt::format("the logarithm is -inf where `{}` is 0, and 0 * -inf is NaN", text_of(site, operand)),
           "use the framework's loss on logits, or keep the operand above 0 with `clamp`, `+ eps` or `xlogy`");
    return;
  }
}

} // namespace

extern constinit const Rule kLogWithoutEpsilon = {
    .info = {.code = "DP702",
             .name = "log-without-epsilon",
             .summary = "a hand-written cross-entropy, `y * log(p)`, that is NaN where `p` is 0",
             .root_cause = "Numerics: Unstable Computation",
             .symptoms = "Not a Number",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Warning,
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`y * torch.log(p)` in code that never clamps, clips or adds an epsilon, where `p` is named like a probability or prediction.

## Why it costs

A softmax or sigmoid rounds to exactly 0 for logits that are far apart. `log(0)` is -inf, and `0 * -inf` is NaN: one such value makes the
whole loss NaN, then all gradients and, in the next step, all weights.

## Bad

```python
import torch


def cross_entropy(y, prob):
    return -(y * torch.log(prob)).sum(1).mean()
```

## Good

```python
import torch.nn.functional as F


def cross_entropy(y, scores):
    return F.cross_entropy(scores, y)
```

## When it is wrong

Where the probabilities cannot be 0 because the code that computes them prevents it. The rule cannot see that, so it is a hint.

## References

- Keras clips predictions to [epsilon, 1 - epsilon] before the logarithm in its own cross-entropy
- dslinter: mask-missing-pytorch, mask-missing-tensorflow
)"},
    .nodes = {NodeKind::BinOp},
    .on_node = check};

} // namespace deepperf::rules::log_without_epsilon
