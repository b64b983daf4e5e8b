#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::nan_comparison {

using namespace python;

namespace {

// `np.nan`, `float("nan")`, `torch.nan`, …: the package whose it is, or empty.
std::string_view package_of_nan(const Site &site, const Expr *expr) {
  if (const auto *call = as<Call>(expr)) {
    const auto *function = as<Name>(call->func);
    if (function == nullptr || function->id.text() != "float" || call->args.size() != 1) {
      return {};
    }
    const StringConstant *text = as_string(call->args[0]);
    const std::string_view written = text != nullptr ? text_of(site, text) : std::string_view{};
    const std::string_view inner = written.size() > 2 ? written.substr(1, written.size() - 2) : std::string_view{};
    return inner == "nan" || inner == "NaN" || inner == "NAN" || inner == "Nan" ? "float" : std::string_view{};
  }
  if (expr->kind != NodeKind::Attribute && expr->kind != NodeKind::Name) {
    return {};
  }
  if (const auto *attribute = as<Attribute>(expr)) { // cheaper than to ask the engine about every attribute
    const std::string_view name = attribute->attr.text();
    if (name != "nan" && name != "NaN" && name != "NAN") {
      return {};
    }
  } else {
    const std::string_view name = static_cast<const Name *>(expr)->id.text();
    if (name != "nan" && name != "NaN" && name != "NAN") {
      return {};
    }
  }
  const model::Value value = value_of(site, expr);
  const std::string_view api = value.is(model::Value::Tag::Api) ? value.name().text() : std::string_view{};
  for (const std::string_view package : {"numpy", "torch", "math", "jax.numpy", "tensorflow.experimental.numpy"}) {
    if (api.starts_with(package) && api.size() == package.size() + 4) {
      return package;
    }
  }
  return {};
}

// The test for NaN that fits what is compared.
std::string_view test_for(std::string_view package, Kind kind) {
  if (kind == Kind::TorchTensor) {
    return "torch.isnan";
  }
  if (kind == Kind::NumpyArray) {
    return "numpy.isnan";
  }
  if (kind == Kind::JaxArray) {
    return "jax.numpy.isnan";
  }
  if (kind == Kind::Tensor || kind == Kind::Variable) {
    return "tensorflow.math.is_nan";
  }
  return package == "torch"       ? "torch.isnan"
         : package == "jax.numpy" ? "jax.numpy.isnan"
         : package == "numpy"     ? "numpy.isnan"
                                  : "math.isnan";
}

void check(Site &site, const Node &node) {
  const auto &comparison = static_cast<const Compare &>(node);
  if (comparison.rest.size() != 1 ||
      (comparison.rest[0].op != CompareOperator::Eq && comparison.rest[0].op != CompareOperator::NotEq)) {
    return;
  }
  const Expr *left = comparison.left;
  const Expr *right = comparison.rest[0].right;
  std::string_view package = package_of_nan(site, right);
  const Expr *value = left;
  if (package.empty()) {
    package = package_of_nan(site, left);
    value = right;
  }
  if (package.empty()) {
    return;
  }
  const bool is_equal = comparison.rest[0].op == CompareOperator::Eq;
  const std::string_view test = test_for(package, model::kind_of(value));
  const std::string name = spelling_of(site, test);
  Finding &finding =
      report(site, comparison,
             fmt::format("NaN is not equal to anything, not even itself, so this comparison is always {}",
                         is_equal ? "False" : "True"),
             fmt::format("use `{}({})`", name.empty() ? std::string(test) : name, text_of(site, value)));
  if (!name.empty()) {
    const std::string_view negation = is_equal ? "" : test == "math.isnan" ? "not " : "~";
    set_fix(finding, false, {replace(comparison, fmt::format("{}{}({})", negation, name, text_of(site, value)))});
  }
}

} // namespace

extern constinit const Rule kNanComparison = {
    .info = {.code = "DP705",
             .name = "nan-comparison",
             .summary = "a comparison with NaN, which is not equal to anything",
             .root_cause = "Numerics: Unstable Computation",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`x == np.nan`, `loss != float("nan")` and the like, with the NaN of NumPy, PyTorch, JAX, `math` or `float`.

## Why it is wrong

By IEEE 754 NaN is not equal to anything, itself included. `==` is always False and `!=` always True, so the check for a broken loss or for
missing data never succeeds.

## Bad

```python
import numpy as np
import torch


def is_broken(loss):
    return loss == np.nan
```

## Good

```python
import numpy as np
import torch


def is_broken(loss):
    return np.isnan(loss)
```

## When it is wrong

Never, as a comparison. The fix makes the check work, so the program behaves differently afterwards, and it needs `--unsafe-fixes`.

## References

- IEEE 754; Python documentation of `math.nan`
)"},
    .nodes = {NodeKind::Compare},
    .on_node = check};

} // namespace deepperf::rules::nan_comparison
