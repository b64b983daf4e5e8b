#include "rules/assignments.h"
#include "rules/half_precision.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <cmath>
#include <fmt/format.h>

namespace deepperf::rules::fill_overflows_half {

using namespace python;

namespace {

constexpr double kLargestHalf = 65504;

// Under autocast, is it float16: a matrix product, perhaps scaled or with another one added?
bool is_half(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostSteps = 8;
  if (expr == nullptr || depth > kMostSteps) {
    return false;
  }
  if (const auto *name = as<Name>(expr)) {
    return is_half(site, assigned_before(site, name->id, name->start), depth + 1);
  }
  if (const auto *operation = as<BinOp>(expr)) {
    if (operation->op() == Operator::MatMult) {
      return true;
    }
    // A float32 tensor on the other side makes the result float32.
    const auto keeps = [&](const Expr *other) {
      return model::kind_of(other) != Kind::TorchTensor || is_half(site, other, depth + 1) ||
             text_of(site, other).find(".dtype") != std::string_view::npos;
    };
    return (is_half(site, operation->left, depth + 1) && keeps(operation->right)) ||
           (is_half(site, operation->right, depth + 1) && keeps(operation->left));
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view name = called_name(*call);
  if (name == "matmul" || name == "bmm" || name == "einsum" || name == "baddbmm") {
    return true;
  }
  constexpr std::string_view kSame[] = {"view",    "reshape",     "transpose", "permute", "unsqueeze", "squeeze",
                                        "flatten", "masked_fill", "mul",       "div",     "contiguous"};
  for (const std::string_view same : kSame) {
    if (called_method(*call) == same) {
      return is_half(site, receiver_of(*call), depth + 1);
    }
  }
  return false;
}

// scores.masked_fill(mask, -1e9)
void check(Site &site, const Call &call) {
  const Expr *const value = argument(call, 1, "value");
  const Expr *const filled = receiver_of(call);
  const std::optional<double> number = value != nullptr ? number_of(site, value) : std::nullopt;
  if (!number.has_value() || !std::isfinite(*number) || std::abs(*number) <= kLargestHalf || filled == nullptr ||
      !is_half(site, filled)) {
    return;
  }
  const Call *const autocast = float16_autocast_around(site);
  if (autocast == nullptr) {
    return;
  }
  Finding &finding =
      report(site, *value,
             fmt::format("{} does not fit into float16, which these scores are under autocast", text_of(site, value)),
             "fill with `torch.finfo(scores.dtype).min` or `float(\"-inf\")`");
  finding.notes.push_back({site_of(site, *autocast).module->file, autocast->span(), "it runs under this autocast"});
}

} // namespace

extern constinit const Rule kFillOverflowsHalf = {
    .info = {.code = "DP521",
             .name = "fill-overflows-half",
             .summary = "attention scores that are masked with a number that float16 cannot hold",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Program Crash, Not a Number",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`masked_fill(mask, -1e9)` on a matrix product, in code that runs under float16 autocast.

## Why it is wrong

Matrix products are float16 under autocast, and the largest float16 number is 65504. PyTorch raises "value cannot be converted to type
at::Half without overflow".

## Bad

```python
import torch


def attention(q, k, mask):
    with torch.autocast("cuda", dtype=torch.float16):
        scores = (q @ k.transpose(-1, -2)).masked_fill(mask, -1e9)
        return torch.softmax(scores, dim=-1)
```

## Good

```python
import torch


def attention(q, k, mask):
    with torch.autocast("cuda", dtype=torch.float16):
        scores = q @ k.transpose(-1, -2)
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        return torch.softmax(scores, dim=-1)
```

## When it is wrong

Where the product is converted to float32 in a way that is not seen.

## References

- PyTorch: automatic mixed precision, operations that run in float16
)"},
    .calls = "*.masked_fill *.masked_fill_",
    .on_call = check};

} // namespace deepperf::rules::fill_overflows_half
