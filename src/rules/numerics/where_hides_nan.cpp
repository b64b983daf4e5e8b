#include "rules/assignments.h"
#include "rules/math_call.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::where_hides_nan {

using namespace python;

namespace {

// The operand of a function whose value or gradient is not finite at 0: log(x), sqrt(x), 1 / x; null if it is none.
const Expr *risky_operand(const Site &site, const Expr *branch) {
  const Expr *const value = written_value(site, branch);
  if (const auto *division = as<BinOp>(value); division != nullptr && division->op() == Operator::Div) {
    return division->right;
  }
  const MathCall call = math_call(site, value);
  if (call.is("log") || call.is("log2") || call.is("log10") || call.is("sqrt") || call.is("rsqrt") ||
      call.is("reciprocal")) {
    return call.operand;
  }
  return nullptr;
}

// torch.where(x > 0, torch.log(x), 0)
void check(Site &site, const Call &call) {
  if (call.args.size() != 3) {
    return;
  }
  const auto *test = as<Compare>(written_value(site, call.args[0]));
  if (test == nullptr || test->rest.size() != 1 || !is_number(site, test->rest[0].right, 0)) {
    return;
  }
  const bool first = test->rest[0].op != CompareOperator::Eq; // x == 0 chooses the other branch
  const Expr *const operand = risky_operand(site, call.args[first ? 1 : 2]);
  if (operand == nullptr || text_of(site, operand) != text_of(site, test->left) ||
      model::kind_of(operand) == Kind::NumpyArray) {
    return;
  }
  const bool in_loss = in_method(site, Kind::TorchModule, "forward") || in_training_step(site) ||
                       (site.function->name && has_word(site.function->name.text(), {"loss"}));
  // What an optimizer does with the gradients has none itself.
  const bool is_optimizer = site.type != nullptr && site.type->kind == Kind::TorchOptimizer;
  if (!in_loss || is_optimizer || under_no_grad(site)) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("`where` drops the infinite value of this branch but not its gradient, which is NaN where `{}` is 0",
                  text_of(site, operand)),
      fmt::format("make the operand safe first: `safe = where(…, {}, 1)`, and use it in the branch",
                  text_of(site, operand)));
  // A divisor that counts something is seldom 0, and its own gradient is not asked for.
  if (as<BinOp>(written_value(site, call.args[first ? 1 : 2])) != nullptr && !model::has_grad(operand)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kWhereHidesNan = {
    .info = {.code = "DP707",
             .name = "where-hides-nan",
             .summary = "`where` around a logarithm, root or division that still gives NaN gradients",
             .root_cause = "Numerics: Unstable Computation",
             .symptoms = "Not a Number",
             .stage = "Training",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.where(x > 0, torch.log(x), 0)` and the same with `sqrt`, `rsqrt` or a division by `x`, in a loss, a `forward` or a training step.

## Why it is wrong

Both branches are computed. The backward pass multiplies the gradient of the branch that was not chosen, 0, by the infinite derivative of the
logarithm or root at 0: 0 * inf is NaN, and the next step makes all weights NaN.

## Bad

```python
import torch


def entropy_loss(p):
    return -torch.where(p > 0, torch.log(p), torch.zeros_like(p)).mean()
```

## Good

```python
import torch


def entropy_loss(p):
    safe = torch.where(p > 0, p, torch.ones_like(p))
    return -torch.log(safe).mean()
```

## When it is wrong

Where the tensor needs no gradient.

## References

- JAX FAQ: "Gradients contain NaN where using where"
)"},
    .calls = "torch.where jax.numpy.where",
    .on_call = check};

} // namespace deepperf::rules::where_hides_nan
