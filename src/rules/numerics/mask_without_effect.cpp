#include "rules/assignments.h"
#include "rules/math_call.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace deepperf::rules::mask_without_effect {

using namespace python;

namespace {

bool is_softmax(const Site &site, const Node *node) {
  const auto *call = as<Call>(node);
  if (call == nullptr) {
    return false;
  }
  const std::string_view name = called_name(*call);
  if (name == "softmax" || name == "log_softmax" || name == "_softmax") {
    return true;
  }
  std::string_view made;
  return maker_of_callee(site, *call, &made) != nullptr && made.ends_with("Softmax");
}

// Is the filled tensor given to a softmax: in the same expression, or under its name in the statements after it?
bool goes_into_softmax(const Site &site, const Call &call) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *const node = site.ancestors[i];
    if (node->kind >= NodeKind::FunctionDef && node->kind <= NodeKind::InvalidStmt) {
      break;
    }
    if (is_softmax(site, node)) {
      return true;
    }
  }
  const Stmt *const statement = statement_around(site);
  const auto *assign = as<Assign>(statement);
  const auto *expression = as<ExprStmt>(statement);
  const auto *target = assign != nullptr && assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
  const auto *changed = expression != nullptr ? as<Name>(receiver_of(call)) : nullptr; // scores.masked_fill_(…)
  const Name *const name = target != nullptr ? target : changed;
  if (name == nullptr) {
    return false;
  }
  // The first reading after it that is not the name's next value. What another branch does with it is not after it.
  const auto is_other_branch = [&](const Node *node) {
    return std::ranges::any_of(site.ancestors, [node](const Node *around) {
      const auto *branch = as<If>(around);
      return branch != nullptr && !branch->orelse.empty() && branch->orelse.front()->start <= node->start &&
             node->end <= branch->orelse.back()->end;
    });
  };
  bool found = false;
  any_node(body_around(site), [&](const Node *node) {
    if (node->start >= statement->end && is_softmax(site, node) && !is_other_branch(node)) {
      const auto &softmax = static_cast<const Call &>(*node);
      const Expr *const input = softmax.args.empty() || called_api(site, softmax).empty()
                                    ? (receiver_of(softmax) != nullptr && called_name(softmax) != "_softmax" &&
                                               maker_of_callee(site, softmax) == nullptr
                                           ? receiver_of(softmax)
                                       : softmax.args.empty() ? nullptr
                                                              : softmax.args[0])
                                    : softmax.args[0];
      const auto *read = as<Name>(input);
      found = found || (read != nullptr && read->id == name->id);
    }
    return found;
  });
  return found;
}

// scores.masked_fill(mask == 0, 1e-9)
void check(Site &site, const Call &call) {
  const Expr *const value = argument(call, 1, "value");
  const std::optional<double> number = value != nullptr ? number_of(site, value) : std::nullopt;
  if (!number.has_value() || *number < 0 || *number > 1e-3 || !goes_into_softmax(site, call) ||
      is_softmax(site, written_value(site, receiver_of(call)))) { // weights that are set to 0 after the softmax
    return;
  }
  report(site, *value,
         fmt::format("a score of {} does not mask: after the softmax these positions still get weight",
                     *number == 0 ? "0" : text_of(site, value)),
         "fill with `float(\"-inf\")` or `torch.finfo(scores.dtype).min`");
}

} // namespace

extern constinit const Rule kMaskWithoutEffect = {
    .info = {.code = "DP706",
             .name = "mask-without-effect",
             .summary = "scores that are masked with 0 or a tiny positive number before a softmax",
             .root_cause = "Numerics: Unstable Computation",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`masked_fill(mask, 1e-9)` or `masked_fill(mask, 0)` on scores that go into a softmax, often a typo for `-1e9`.

## Why it is wrong

The softmax exponentiates: a score of 0 or `1e-9` has weight `exp(0) = 1`, as much as an average position. Padding and future tokens are not
masked at all.

## Bad

```python
import torch


def attention(q, k, mask):
    scores = (q @ k.transpose(-1, -2)).masked_fill(mask == 0, 1e-9)
    return torch.softmax(scores, dim=-1)
```

## Good

```python
import torch


def attention(q, k, mask):
    scores = (q @ k.transpose(-1, -2)).masked_fill(mask == 0, float("-inf"))
    return torch.softmax(scores, dim=-1)
```

## When it is wrong

Where masked positions are meant to take part with a score of 0.

## References

- PyTorch documentation of `torch.nn.functional.scaled_dot_product_attention`, which fills with minus infinity
)"},
    .calls = "*.masked_fill *.masked_fill_ torch.masked_fill",
    .on_call = check};

} // namespace deepperf::rules::mask_without_effect
