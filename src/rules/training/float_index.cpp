#include "rules/site.h"

namespace deepperf::rules::float_index {

using namespace python;

namespace {

// The division that an index is: `a / b` itself, or a name that was last set to it.
const BinOp *division_of(const Site &site, const Expr *index) {
  if (const auto *name = as<Name>(index)) {
    index = last_assigned(site, *name);
  }
  const auto *division = as<BinOp>(index);
  return division != nullptr && division->op() == Operator::Div && model::kind_of(division) == Kind::TorchTensor
             ? division
             : nullptr;
}

void check(Site &site, const Node &node) {
  const auto &subscript = static_cast<const Subscript &>(node);
  const Kind kind = model::kind_of(subscript.value);
  if (kind != Kind::TorchTensor && kind != Kind::List) {
    return;
  }
  const auto *parts = as<Tuple>(subscript.slice);
  const Expr *const first = parts != nullptr && !parts->elts.empty() ? parts->elts[0] : subscript.slice;
  const BinOp *division = division_of(site, first);
  if (division == nullptr) {
    return;
  }
  Finding &finding = report(site, *first, "`/` returns a float tensor, which cannot be used as an index",
                            "use `//`, or `torch.div(…, rounding_mode=\"floor\")`");
  if (division != first) {
    add_note(finding, site, *division, "divided here");
  }
}

} // namespace

extern constinit const Rule kFloatIndex = {
    .info = {.code = "DP886",
             .name = "float-index",
             .summary = "a tensor that was divided with `/` and is used as an index",
             .root_cause = "Library: Mismatched Library Version",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

An index that is the result of `/` on a tensor.

## Why it is wrong

Up to PyTorch 1.5, `/` on integer tensors returned integers. In 1.6 it raises an error, and since 1.7 it returns floats, and indexing with
floats raises an IndexError.

## Bad

```python
import torch


def best(scores: torch.Tensor, words):
    top, places = scores.view(-1).topk(5)
    rows = places / words
    return scores[rows]
```

## Good

```python
import torch


def best(scores: torch.Tensor, words):
    top, places = scores.view(-1).topk(5)
    rows = places // words
    return scores[rows]
```

## When it is wrong

Where the program runs only with PyTorch 1.5 or older.

## References

- PyTorch release notes of 1.6 and 1.7: integer division
)"},
    .nodes = {NodeKind::Subscript},
    .on_node = check};

} // namespace deepperf::rules::float_index
