#include "rules/per_step.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::all_computed_to_select {

using namespace python;

namespace {

// Computes something on tensors: an operation of a framework, or a function of the project that gives tensors.
bool computes(const Site &site, const Expr *value) {
  return any_node(value, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const Kind kind = model::kind_of(call);
    const bool is_tensor = kind == Kind::TorchTensor || kind == Kind::JaxArray || kind == Kind::Tensor;
    const model::FunctionInfo *const function = called_function(site, *call);
    const bool is_own = function != nullptr && (is_tensor || function->returns.is_kind(Kind::TorchTensor) ||
                                                function->returns.is(model::Value::Tag::Tuple));
    return is_own || (is_tensor && called_api(site, *call).starts_with("torch."));
  });
}

void check(Site &site, const Node &node) {
  const auto &access = static_cast<const Subscript &>(node);
  const auto *dict = as<Dict>(access.value);
  if (dict == nullptr || dict->items.size() < 2 || access.context != Context::Load ||
      access.slice->kind == NodeKind::Slice) {
    return;
  }
  const Expr *first = nullptr;
  for (const DictItem &item : dict->items) {
    if (item.key == nullptr) {
      return;
    }
    if (first == nullptr && computes(site, item.value)) {
      first = item.value;
    }
  }
  if (first == nullptr) {
    return;
  }
  Finding &finding = report(
      site, access, fmt::format("all {} values of the dict are computed, and one of them is used", dict->items.size()),
      "compute only that one: use an `if`, or a dict of functions and call the selected one");
  add_note(finding, site, *first, "this is computed in any case");
}

} // namespace

extern constinit const Rule kAllComputedToSelect = {
    .info = {.code = "DP262",
             .name = "all-computed-to-select",
             .summary = "a dict of computed tensors of which only one is used",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A dict display whose values are computed and of which one is selected at once:
`{"mse": mse(x, y), "l1": l1(x, y)}[kind]`.

## Why it costs

Python computes all values before it selects one. With tensors that is the work of every alternative, and with autograd
the memory of its graph.

## Bad

```python
import torch
import torch.nn.functional as F


def loss(pred: torch.Tensor, target: torch.Tensor, kind: str):
    return {"l1": F.l1_loss(pred, target), "mse": F.mse_loss(pred, target)}[kind]
```

## Good

```python
import torch
import torch.nn.functional as F


def loss(pred: torch.Tensor, target: torch.Tensor, kind: str):
    return {"l1": F.l1_loss, "mse": F.mse_loss}[kind](pred, target)
```

## When it is wrong

Where the values are cheap to compute.

## References

- Python reference: dictionary displays
)"},
    .nodes = {NodeKind::Subscript},
    .on_node = check};

} // namespace deepperf::rules::all_computed_to_select
