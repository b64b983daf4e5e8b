#include "rules/site.h"

namespace deepperf::rules::zero_grad_to_zero {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const Keyword *given = keyword_argument(call, "set_to_none");
  const Expr *value = given != nullptr ? given->value : call.args.size() == 1 ? call.args[0] : nullptr;
  const auto *constant = as<Constant>(value);
  if (constant == nullptr || constant->constant_kind() != ConstantKind::False) {
    return;
  }
  // Without the keyword it has to be something of PyTorch.
  const Kind kind = model::kind_of(receiver_of(call));
  if (given == nullptr && kind != Kind::TorchOptimizer && kind != Kind::TorchModule) {
    return;
  }
  Finding &finding = report(
      site, call, "`set_to_none=False` fills every gradient with zeros, which the backward pass then reads and adds to",
      "omit `set_to_none`: it is `True` by default since PyTorch 2.0");
  set_fix(finding, false, {replace(*value, "True")});
}

} // namespace

extern constinit const Rule kZeroGradToZero = {
    .info = {.code = "DP133",
             .name = "zero-grad-to-zero",
             .summary = "`zero_grad(set_to_none=False)`, which fills all gradients with zeros",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`zero_grad(set_to_none=False)` of an optimizer or a module.

## Why it costs

Kernels write zeros to every gradient, and the backward pass reads them to add to them. With `None` it stores the first
gradient directly, and the memory is free in between.

## Bad

```python
import torch


def step(model: torch.nn.Module, optimizer: torch.optim.Optimizer, x):
    optimizer.zero_grad(set_to_none=False)
    model(x).mean().backward()
    optimizer.step()
```

## Good

```python
import torch


def step(model: torch.nn.Module, optimizer: torch.optim.Optimizer, x):
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
```

## When it is wrong

Code that reads `p.grad` before the next backward pass, captures the step in a CUDA graph, or keeps views of the
gradients needs the tensors to stay. Optimizers skip a parameter whose gradient is `None`, but apply momentum and weight
decay to one whose gradient is zero. The fix therefore needs `--unsafe-fixes`.

## References

- PyTorch performance tuning guide: use `parameter.grad = None` instead of `model.zero_grad()`
- `torch.optim.Optimizer.zero_grad`
)"},
    .calls = "*.zero_grad",
    .on_call = check};

} // namespace deepperf::rules::zero_grad_to_zero
