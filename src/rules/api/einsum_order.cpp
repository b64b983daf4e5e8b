#include "rules/site.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace deepperf::rules::einsum_order {

using namespace python;

namespace {

// The letters of each operand and of the result, as bits; empty where the equation is not of that simple form.
struct Equation {
  std::vector<u64> operands;
  u64 result = 0;
};

std::optional<Equation> parse(std::string_view text) {
  Equation equation;
  equation.operands.push_back(0);
  bool behind_arrow = false;
  bool has_arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') {
      continue;
    }
    if (c == '-' && i + 1 < text.size() && text[i + 1] == '>') {
      behind_arrow = has_arrow = true;
      ++i;
    } else if (c == ',' && !behind_arrow) {
      equation.operands.push_back(0);
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      const u64 bit = u64{1} << (c >= 'a' ? c - 'a' : 26 + (c - 'A'));
      (behind_arrow ? equation.result : equation.operands.back()) |= bit;
    } else {
      return std::nullopt;
    }
  }
  return has_arrow ? std::optional(equation) : std::nullopt;
}

// The most letters that one pairwise contraction has, which is the exponent of its cost if all axes are equally long.
int best_exponent(std::vector<u64> operands, u64 result) { // NOLINT(misc-no-recursion)
  if (operands.size() < 2) {
    return 0;
  }
  int best = 64;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t j = i + 1; j < operands.size(); ++j) {
      u64 needed = result;
      std::vector<u64> rest;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (k != i && k != j) {
          needed |= operands[k];
          rest.push_back(operands[k]);
        }
      }
      const u64 both = operands[i] | operands[j];
      rest.push_back(both & needed);
      best = std::min(best, std::max(std::popcount(both), best_exponent(std::move(rest), result)));
    }
  }
  return best;
}

int exponent_from_left(const Equation &equation) {
  u64 so_far = equation.operands[0];
  int worst = 0;
  for (std::size_t i = 1; i < equation.operands.size(); ++i) {
    u64 needed = equation.result;
    for (std::size_t k = i + 1; k < equation.operands.size(); ++k) {
      needed |= equation.operands[k];
    }
    const u64 both = so_far | equation.operands[i];
    worst = std::max(worst, std::popcount(both));
    so_far = both & needed;
  }
  return worst;
}

void check(Site &site, const Call &call) {
  if (call.args.size() < 4 || site.module->is_test || has_hidden_arguments(call)) {
    return;
  }
  const std::optional<std::string> text = string_of(site, call.args[0]);
  const std::optional<Equation> equation = text ? parse(*text) : std::nullopt;
  if (!equation || equation->operands.size() != call.args.size() - 1 || equation->operands.size() > 5) {
    return;
  }
  u64 all = equation->result;
  for (const u64 operand : equation->operands) {
    all |= operand;
  }
  const int best = best_exponent(equation->operands, equation->result);
  if (called_api(site, call) == "numpy.einsum") {
    if (argument(call, 64, "optimize") == nullptr && std::popcount(all) > best) {
      report(site, call,
             fmt::format("`np.einsum` of {} operands runs one loop over all {} axes, as `optimize` is off by default",
                         equation->operands.size(), std::popcount(all)),
             "pass `optimize=True`, or multiply two operands at a time with `@`");
    }
    return;
  }
  if (exponent_from_left(*equation) > best) {
    report(site, call,
           "`torch.einsum` contracts from left to right, which creates a larger intermediate product than needed here",
           "contract the smaller operands first, in a separate call, or install `opt_einsum`, which finds the order");
  }
}

} // namespace

extern constinit const Rule kEinsumOrder = {.info = {.code = "DP164",
                                                     .name = "einsum-order",
                                                     .summary = "an `einsum` of several operands in an expensive order",
                                                     .root_cause = "API: Inefficient API Usage",
                                                     .symptoms = "Slow Execution Time",
                                                     .stage = "Model Building",
                                                     .frameworks = "PyTorch, NumPy",
                                                     .severity = Severity::Advice,
                                                     .tier = Tier::On,
                                                     .documentation = R"(## What it finds

`np.einsum` of three or more operands without `optimize`, and `torch.einsum` of three or more operands whose equation shows
that another order needs less work, such as `"ij,jk,k->i"`.

## Why it costs

Without `optimize`, NumPy runs one nested loop over all letters of the equation: `"ij,jk,kl->il"` takes n⁴ steps, while two
products take 2n³. PyTorch contracts two operands at a time from left to right, unless the package `opt_einsum` is
installed: the product of two matrices and a vector should start with the vector.

## Bad

```python
import numpy as np
import torch


def bilinear(left, core, right):
    return torch.from_numpy(np.einsum("ij,jk,kl->il", left, core, right))
```

## Good

```python
import numpy as np
import torch


def bilinear(left, core, right):
    return torch.from_numpy(np.einsum("ij,jk,kl->il", left, core, right, optimize=True))
```

## When it is wrong

The rule assumes that all axes are about equally long. PyTorch 1.13 and later use `opt_einsum` if it is installed.

## References

- `numpy.einsum`, `torch.einsum`, `torch.backends.opt_einsum`
)"},
                                            .calls = "numpy.einsum torch.einsum",
                                            .on_call = check};

} // namespace deepperf::rules::einsum_order
