#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::zeros_to_broadcast {

using namespace python;

namespace {

// A tensor of nothing but zeros or ones, made on the spot.
bool is_filled_with(const Site &site, const Expr *expr, std::string_view name) {
  const auto *call = as<Call>(expr);
  if (call == nullptr || call->args.empty()) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  return api == "torch." + std::string(name) || api == "torch." + std::string(name) + "_like";
}

void check(Site &site, const Node &node) {
  const auto &sum = static_cast<const BinOp &>(node);
  const bool is_sum = sum.op() == Operator::Add;
  const bool is_product = sum.op() == Operator::Mult;
  if ((!is_sum && !is_product) || !site.module->torch || site.module->is_test) {
    return;
  }
  const std::string_view fill = is_sum ? "zeros" : "ones";
  const bool is_left = is_filled_with(site, sum.left, fill);
  const bool is_right = is_filled_with(site, sum.right, fill);
  const Expr *const other = is_left ? sum.right : sum.left;
  if (is_left == is_right || model::kind_of(other) != Kind::TorchTensor) {
    return;
  }
  Finding &finding = report(site, sum,
                            is_sum ? "adding zeros only copies the tensor to a larger shape"
                                   : "multiplying by ones only copies the tensor to a larger shape",
                            "use `expand(shape)`, which copies nothing, or let the next operation broadcast");
  finding.tier = Tier::Hint;
}

} // namespace

extern constinit const Rule kZerosToBroadcast = {
    .info = {.code = "DP443",
             .name = "zeros-to-broadcast",
             .summary = "zeros that are added, or ones that are multiplied, to give a tensor a larger shape",
             .root_cause = "Data: Unnecessary Data Transfer",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`x + torch.zeros(shape)` and `x * torch.ones(shape)`.

## Why it costs

Two kernels and two tensors of the full shape, where broadcasting or `expand` needs none.

## Bad

```python
import torch


def coefficients(table: torch.Tensor, t: torch.Tensor, shape):
    return table[t][:, None, None, None] + torch.zeros(shape, device=t.device)
```

## Good

```python
import torch


def coefficients(table: torch.Tensor, t: torch.Tensor, shape):
    return table[t][:, None, None, None].expand(shape)
```

## When it is wrong

Where the result is changed in place afterwards: then use `expand(shape).clone()`. Where the sum changes the dtype.

## References

- torch.Tensor.expand; PyTorch: broadcasting semantics
)"},
    .nodes = {NodeKind::BinOp},
    .on_node = check};

} // namespace deepperf::rules::zeros_to_broadcast
