#include "rules/site.h"

namespace deepperf::rules::tf32_disabled {

using namespace python;

namespace {

constexpr std::string_view kAdvice =
    "allow TF32 unless you need full float32 precision: `torch.set_float32_matmul_precision(\"high\")`";

void check_assignment(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *target = as<Attribute>(assignment.targets[0]);
  if (target == nullptr || target->attr.text() != "allow_tf32" || assignment.value->kind != NodeKind::Constant ||
      bool_of(site, assignment.value) != false) {
    return;
  }
  const model::Value named = value_of(site, target);
  if (named.is(model::Value::Tag::Api) && named.name().text().starts_with("torch.backends.")) {
    report(site, node, "TF32 is disabled, so float32 operations do not use the tensor cores", std::string(kAdvice));
  }
}

void check_call(Site &site, const Call &call) {
  const Expr *precision = argument(call, 0, "precision");
  if (precision != nullptr && string_of(site, precision) == "highest") {
    report(site, call, "with `\"highest\"`, float32 matrix products do not use the tensor cores", std::string(kAdvice));
  }
}

} // namespace

extern constinit const Rule kTf32Disabled = {
    .info = {.code = "DP511",
             .name = "tf32-disabled",
             .summary = "TF32 disabled, so that float32 operations cannot use the tensor cores",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Initialization",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`torch.backends.cuda.matmul.allow_tf32 = False`, `torch.backends.cudnn.allow_tf32 = False` and
`torch.set_float32_matmul_precision("highest")`.

## Why it costs

Since Ampere, the tensor cores of NVIDIA GPUs multiply float32 matrices with 10 bits of mantissa (TF32). PyTorch's
documentation measures a large product on an A100 as about 7 times faster with TF32, at a larger relative error. Matrix
products use TF32 only on request since PyTorch 1.12; convolutions use it by default.

PyTorch 2.9 has new settings next to these: `torch.backends.cuda.matmul.fp32_precision = "tf32"` for matrix products and
`torch.backends.cudnn.conv.fp32_precision = "tf32"` for convolutions, with `"ieee"` for full precision. The `allow_tf32`
flags are going to be deprecated. Do not mix old and new settings in one program.

## Bad

```python
import torch

torch.backends.cuda.matmul.allow_tf32 = False
```

## Good

```python
import torch

torch.set_float32_matmul_precision("high")
```

## When it is wrong

In tests that compare numbers, in linear algebra, and in science where full precision matters. That is why it is a hint.

## References

- PyTorch documentation: CUDA semantics, TensorFloat-32
)"},
    .calls = "torch.set_float32_matmul_precision",
    .on_call = check_call,
    .nodes = {NodeKind::Assign},
    .on_node = check_assignment};

} // namespace deepperf::rules::tf32_disabled
