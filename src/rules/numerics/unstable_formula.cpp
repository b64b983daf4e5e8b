#include "rules/math_call.h"
#include "rules/reach.h"

#include <fmt/format.h>

namespace deepperf::rules::unstable_formula {

using namespace python;

namespace {

// Where the packages keep their functions of that name; empty if they have none.
std::string_view api_for(std::string_view package, std::string_view function) {
  struct Place {
    std::string_view package, function, api;
  };
  static constexpr Place kPlaces[] = {
      {"torch", "log1p", "torch.log1p"},
      {"torch", "expm1", "torch.expm1"},
      {"torch", "logsumexp", "torch.logsumexp"},
      {"torch", "rsqrt", "torch.rsqrt"},
      {"torch", "softplus", "torch.nn.functional.softplus"},
      {"tensorflow", "log1p", "tensorflow.math.log1p"},
      {"tensorflow", "expm1", "tensorflow.math.expm1"},
      {"tensorflow", "logsumexp", "tensorflow.reduce_logsumexp"},
      {"tensorflow", "softplus", "tensorflow.math.softplus"},
      {"jax.numpy", "log1p", "jax.numpy.log1p"},
      {"jax.numpy", "expm1", "jax.numpy.expm1"},
      {"jax.numpy", "logsumexp", "jax.nn.logsumexp"},
      {"jax.numpy", "softplus", "jax.nn.softplus"},
      {"numpy", "log1p", "numpy.log1p"},
      {"numpy", "expm1", "numpy.expm1"},
  };
  for (const Place &place : kPlaces) {
    if (place.package == package && place.function == function) {
      return place.api;
    }
  }
  return {};
}

// A number of Python is exact enough, and numpy's functions are often given one.
bool may_be_number(const MathCall &math, const Expr *operand) {
  return math.package == "numpy" && model::kind_of(operand) != Kind::NumpyArray;
}

struct Better {
  std::string_view function;
  std::string_view why;
};
constexpr Better kLog1p = {"log1p", "`log(1 + x)` loses precision for small `x`"};
constexpr Better kExpm1 = {"expm1", "`exp(x) - 1` loses precision for small `x`"};
constexpr Better kLogSumExp = {"logsumexp", "`log(sum(exp(x)))` overflows for large `x` (89 in float32)"};
constexpr Better kSoftplus = {"softplus", "`log(1 + exp(x))` overflows for large `x` (89 in float32)"};
constexpr Better kRsqrt = {"rsqrt", "`1 / sqrt(x)` takes two operations where `rsqrt` takes one"};

// Counts and lengths are never small: there the formula is right, only longer.
bool is_count(const Site &site, const Expr *expr) {
  return has_word(text_of(site, expr), {"floor", "round", "count", "len", "dur", "num", "freq", "degree"});
}

void add_finding(Site &site, const Expr &place, const MathCall &math, const Better &better, const Expr *operand,
                 std::string_view more_arguments, bool has_edit) {
  const std::string_view api = api_for(math.package, better.function);
  if (api.empty()) {
    return;
  }
  const std::string name = spelling_of(site, api);
  Finding &finding = report(site, place, std::string(better.why),
                            fmt::format("use `{}(…)`, which is exact", name.empty() ? std::string(api) : name));
  if ((better.function == "log1p" || better.function == "expm1") && is_count(site, operand)) {
    finding.tier = Tier::Hint;
  }
  if (better.function == "rsqrt") {
    finding.advice = fmt::format("use `{}(…)`", name.empty() ? std::string(api) : name);
  }
  if (has_edit && !name.empty()) {
    set_fix(finding, false, {replace(place, fmt::format("{}({}{})", name, text_of(site, operand), more_arguments))});
  }
}

bool is_alone(const MathCall &math) {
  return math.call->keywords.empty() && math.call->args.size() == (math.is_method ? 0U : 1U);
}

// The usual remedy by hand: the largest is taken out first.
bool is_shifted(const Site &site, const Expr *expr) {
  if (has_word(text_of(site, expr), {"max"})) {
    return true;
  }
  const auto *difference = as<BinOp>(expr);
  return difference != nullptr && difference->op() == Operator::Sub &&
         text_of(site, difference->right).starts_with('m');
}

// The sum's arguments after its operand, as they are written: ", dim=1".
std::string arguments_of_sum(const Site &site, const MathCall &sum) {
  std::string text;
  for (u32 i = sum.is_method ? 0 : 1; i < sum.call->args.size(); ++i) {
    text += ", " + std::string(text_of(site, sum.call->args[i]));
  }
  for (const Keyword *keyword : sum.call->keywords) {
    text += ", " + std::string(text_of(site, keyword));
  }
  return text;
}

bool can_take_arguments(const MathCall &sum) {
  if (has_hidden_arguments(*sum.call) || sum.package == "jax.numpy") {
    return false;
  }
  for (const Keyword *keyword : sum.call->keywords) {
    const std::string_view name = keyword->name.text();
    if (name != "dim" && name != "axis" && name != "keepdim" && name != "keepdims") {
      return false;
    }
  }
  const std::size_t given = sum.call->keywords.size() + sum.call->args.size() - (sum.is_method ? 0 : 1);
  return sum.package == "tensorflow" || (given > 0 && given <= 2); // torch's wants to be told the dimension
}

void check_log(Site &site, const Call &call) {
  const MathCall log = math_call(site, &call);
  if (!log || !is_alone(log)) {
    return;
  }
  const Expr *operand = log.operand;
  if (const auto *sum = as<BinOp>(operand); sum != nullptr && sum->op() == Operator::Add) {
    const Expr *other = is_number(site, sum->left, 1)    ? sum->right
                        : is_number(site, sum->right, 1) ? sum->left
                                                         : nullptr;
    if (other == nullptr || may_be_number(log, other)) {
      return;
    }
    const MathCall exp = math_call(site, other);
    if (exp.is("exp") && log.package != "numpy") {
      add_finding(site, call, log, kSoftplus, exp.operand, "", is_alone(exp));
    } else {
      add_finding(site, call, log, kLog1p, other, "", true);
    }
    return;
  }
  const MathCall sum = math_call(site, operand);
  const MathCall exp = sum.is("sum") ? math_call(site, sum.operand) : MathCall{};
  if (exp.is("exp") && is_alone(exp) && !is_shifted(site, exp.operand) && log.package != "numpy") {
    add_finding(site, call, log, kLogSumExp, exp.operand, arguments_of_sum(site, sum), can_take_arguments(sum));
  }
}

void check_operator(Site &site, const Node &node) {
  const auto &operation = static_cast<const BinOp &>(node);
  if (operation.op() == Operator::Sub && is_number(site, operation.right, 1)) {
    const MathCall exp = math_call(site, operation.left);
    if (exp.is("exp") && is_alone(exp) && !may_be_number(exp, exp.operand)) {
      add_finding(site, operation, exp, kExpm1, exp.operand, "", true);
    }
  } else if (operation.op() == Operator::Div && is_number(site, operation.left, 1)) {
    const MathCall root = math_call(site, operation.right);
    const auto *constant = as<Call>(root.operand);
    if (root.is("sqrt") && is_alone(root) && root.package == "torch" &&
        (constant == nullptr || called_api(site, *constant) != "torch.tensor")) {
      add_finding(site, operation, root, kRsqrt, root.operand, "", true);
    }
  }
}

} // namespace

extern constinit const Rule kUnstableFormula = {
    .info = {.code = "DP704",
             .name = "unstable-formula",
             .summary = "a formula that loses precision or overflows where a library function does not",
             .root_cause = "Numerics: Unstable Computation",
             .symptoms = "Not a Number, Wrong Result, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Warning,
             .tier = Tier::Hint,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

Formulas for which the frameworks have a function that is more exact or does the same in one operation:

| formula | function |
|---|---|
| `log(1 + x)` | `log1p(x)` |
| `log(1 + exp(x))` | `softplus(x)` |
| `exp(x) - 1` | `expm1(x)` |
| `log(sum(exp(x)))` | `logsumexp(x)` |
| `1 / sqrt(x)` of a PyTorch tensor | `rsqrt(x)` |

## Why it costs

`1 + x` rounds a small x away: in float32 `log(1 + 1e-8)` is 0. `exp(x)` overflows to inf above 88.7 in float32 and above 11 in float16;
then the logarithm is inf too and the gradients are NaN. The library functions handle these cases, and are one kernel instead of two or
three.

## Bad

```python
import torch


def log_partition(scores):
    return torch.log(torch.sum(torch.exp(scores), dim=1))
```

## Good

```python
import torch


def log_partition(scores):
    return torch.logsumexp(scores, dim=1)
```

## When it is wrong

Where x is known to be neither small nor large, the two agree up to rounding. Formulas that subtract the maximum first (`exp(x - m)`) are
not reported, and neither is what NumPy computes for plain numbers.

## References

- PyTorch documentation of `torch.log1p`, `torch.expm1`, `torch.logsumexp`, `torch.rsqrt`
- TorchFix: TOR106 to TOR109
)"},
    .calls = "torch.log TorchTensor.log tensorflow.math.log tensorflow.log jax.numpy.log numpy.log",
    .on_call = check_log,
    .nodes = {NodeKind::BinOp},
    .on_node = check_operator};

} // namespace deepperf::rules::unstable_formula
