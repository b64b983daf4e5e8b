#include "rules/assignments.h"
#include "rules/math_call.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::unguarded_sqrt {

using namespace python;

namespace {

bool is_square(const Site &site, const Expr *expr) {
  if (const auto *power = as<BinOp>(expr)) {
    return power->op() == Operator::Pow && is_number(site, power->right, 2);
  }
  const MathCall call = math_call(site, expr);
  if (call.is("pow")) {
    const Expr *exponent = argument(*call.call, call.is_method ? 0 : 1, "exponent");
    return exponent != nullptr && is_number(site, exponent, 2);
  }
  return call.is("square");
}

// A difference: where the two are equal, the sum of its squares is 0. A square of something else hardly ever is.
bool is_square_of_difference(const Site &site, const Expr *expr) {
  if (!is_square(site, expr)) {
    return false;
  }
  const auto *power = as<BinOp>(expr);
  const Expr *base = power != nullptr ? power->left : math_call(site, expr).operand;
  const auto *difference = as<BinOp>(base);
  return difference != nullptr && difference->op() == Operator::Sub;
}

// `x` of `x.unsqueeze(1)`, `x[:, None]` and `x[None]`.
const Expr *without_axes(const Expr *expr) {
  for (;;) {
    const auto *call = as<Call>(expr);
    const auto *part = as<Subscript>(expr);
    if (call != nullptr && called_method(*call) == "unsqueeze") {
      expr = receiver_of(*call);
    } else if (part != nullptr &&
               any_node(part->slice, [](const Node *node) { return python::is_constant(node, ConstantKind::None); })) {
      expr = part->value;
    } else {
      return expr;
    }
  }
}

// The distances of all pairs of one set of points: on the diagonal they are 0.
bool is_between_all_pairs(const Site &site, const Expr *expr) {
  const MathCall sum = math_call(site, expr);
  const Expr *const squares = sum.is("sum") ? written_value(site, sum.operand) : nullptr;
  if (squares == nullptr || !is_square(site, squares)) {
    return false;
  }
  const auto *power = as<BinOp>(squares);
  const auto *difference =
      as<BinOp>(written_value(site, power != nullptr ? power->left : math_call(site, squares).operand));
  if (difference == nullptr || difference->op() != Operator::Sub) {
    return false;
  }
  const Expr *const left = without_axes(difference->left);
  const Expr *const right = without_axes(difference->right);
  return left != difference->left && right != difference->right && text_of(site, left) == text_of(site, right) &&
         text_of(site, difference->left) != text_of(site, difference->right);
}

// Something that is 0 in the best case: a squared error or distance.
bool may_be_zero(const Site &site, const Expr *expr) {
  const MathCall call = math_call(site, expr);
  if (call.is("sum") || call.is("mean")) {
    return is_square_of_difference(site, call.operand);
  }
  const auto *loss = as<Call>(expr);
  if (loss == nullptr) {
    return false;
  }
  if (called_api(site, *loss) == "torch.nn.functional.mse_loss") {
    return true;
  }
  std::string_view made;
  return maker_of_callee(site, *loss, &made) != nullptr && made == "torch.nn.MSELoss";
}

void check(Site &site, const Call &call) {
  const MathCall root = math_call(site, &call);
  const bool is_zero = root && root.operand != nullptr && is_between_all_pairs(site, written_value(site, root.operand));
  if (!root || (!is_zero && !may_be_zero(site, root.operand))) {
    return;
  }
  // A number to look at needs no gradient.
  const bool in_loss = in_method(site, Kind::TorchModule, "forward") || in_method(site, Kind::KerasLayer, "call") ||
                       in_training_step(site) ||
                       (site.function->name && has_word(site.function->name.text(), {"loss"}));
  if (!in_loss || under_no_grad(site)) {
    return;
  }
  Finding &finding = report(
      site, call,
      is_zero
          ? "the distance of each point to itself is 0, where the gradient of the square root is infinite: masking "
            "it later gives NaN"
          : "the gradient of this square root is infinite where the two sides are equal, so the loss can become NaN",
      "add a small number inside the root: `sqrt(x + 1e-8)`");
  finding.tier = is_zero ? Tier::On : Tier::Hint;
}

} // namespace

extern constinit const Rule kUnguardedSqrt = {
    .info = {.code = "DP703",
             .name = "unguarded-sqrt",
             .summary = "the square root of a squared error, whose gradient is infinite at 0",
             .root_cause = "Numerics: Unstable Computation",
             .symptoms = "Not a Number",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`sqrt` of a sum or mean of squared differences, or of a mean squared error, in a loss, a `forward` or a training step, with nothing added
inside. It is reported where it takes the distances of all pairs of one set of points, whose diagonal is 0, and a hint elsewhere.

## Why it costs

The derivative of sqrt(x) is 1 / (2 sqrt(x)), which is infinite at 0. Where the two sides are equal the gradient is inf * 0, which is NaN,
and the next step makes all weights NaN. It happens with duplicates in a batch, with an anchor compared to itself, and when a model fits an
example exactly.

## Bad

```python
import torch


def distance_loss(a, b):
    return torch.sqrt(torch.sum((a - b) ** 2, dim=1)).mean()
```

## Good

```python
import torch


def distance_loss(a, b):
    return torch.sqrt(torch.sum((a - b) ** 2, dim=1) + 1e-8).mean()
```

## When it is wrong

Where the two sides are never equal, as with noisy targets. `torch.norm` and `torch.cdist` define the gradient at 0 as 0 and need no guard.

## References

- PyTorch notes, autograd mechanics: gradients of non-differentiable functions
)"},
    .calls =
        "torch.sqrt TorchTensor.sqrt tensorflow.sqrt tensorflow.math.sqrt tensorflow.keras.backend.sqrt jax.numpy.sqrt",
    .on_call = check};

} // namespace deepperf::rules::unguarded_sqrt
