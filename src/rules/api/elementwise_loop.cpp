#include "python/children.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::elementwise_loop {

using namespace python;
using model::Value;

namespace {

bool is_tensor(Kind kind) { return kind == Kind::TorchTensor || kind == Kind::Tensor || kind == Kind::JaxArray; }

// The name of the tensor in `x[i]`, `x[i, j]`, `x[i][j]`.
const Name *subscripted(const Expr *expr) {
  while (const auto *subscript = as<Subscript>(expr)) {
    expr = subscript->value;
  }
  return as<Name>(expr);
}

// Numbers and operators, elements of tensors, and functions of a framework that take single numbers as they take
// tensors.
bool is_elementwise(const Site &site, const Node *node, Symbol result, std::string_view target) {
  switch (node->kind) {
  case NodeKind::Constant:
  case NodeKind::BinOp:
  case NodeKind::UnaryOp:
  case NodeKind::Compare:
  case NodeKind::Attribute:
    break;
  case NodeKind::Name:
    return static_cast<const Name *>(node)->id != result;
  case NodeKind::Subscript: {
    const auto *element = static_cast<const Subscript *>(node);
    const Name *name = subscripted(element);
    if (name != nullptr && name->id == result) {
      return text_of(site, element) == target; // x[i] = x[i] + 1, but no recurrence
    }
    break;
  }
  case NodeKind::Tuple:
  case NodeKind::Slice:
    break;
  case NodeKind::Call: {
    const auto *call = static_cast<const Call *>(node);
    const Value callee = site.project.callee_of(call);
    const ApiInfo *info = callee.is(Value::Tag::Api)         ? find_api(callee.name())
                          : callee.is(Value::Tag::ApiMethod) ? find_method(callee.receiver().kind, callee.name())
                                                             : nullptr;
    if (info == nullptr || !info->has(kBatchable) || info->has(kRandom)) {
      return false;
    }
    break;
  }
  default:
    return false;
  }
  bool fits = true;
  for_each_child(node, [&](const Node *child) { fits = fits && is_elementwise(site, child, result, target); });
  return fits;
}

// Each statement of the body stores one element, computed from elements.
bool stores_elements(const Site &site, const For &loop, Symbol index) {
  return std::ranges::all_of(loop.body, [&](const Stmt *statement) {
    const Expr *target = nullptr;
    const Expr *value = nullptr;
    if (const auto *assignment = as<Assign>(statement)) {
      target = assignment->targets.size() == 1 ? assignment->targets[0] : nullptr;
      value = assignment->value;
    } else if (const auto *augmented = as<AugAssign>(statement)) {
      target = augmented->target;
      value = augmented->value;
    }
    const auto *element = as<Subscript>(target);
    const Name *name = element != nullptr ? subscripted(element) : nullptr;
    return name != nullptr && is_tensor(model::kind_of(name)) && mentions(element, index) &&
           is_elementwise(site, value, name->id, text_of(site, element)) && mentions(value, index);
  });
}

void check(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  const auto *range = as<Call>(loop.iter);
  const auto *index = as<Name>(loop.target);
  if (range == nullptr || index == nullptr || loop.body.empty() || called_api(site, *range) != "range") {
    return;
  }
  const auto *known = site.project.loop_at(&node);
  if (known == nullptr || known->tiny || known->turns == model::Turns::Few || !stores_elements(site, loop, index->id)) {
    return;
  }
  report(site, Span{loop.start, loop.iter->end},
         "the loop computes a tensor element by element, with several kernel launches for each element",
         "compute the whole tensor at once: operators and most functions work on all elements");
}

} // namespace

extern constinit const Rule kElementwiseLoop = {
    .info = {.code = "DP139",
             .name = "elementwise-loop",
             .summary = "a Python loop that computes a tensor element by element",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A loop over `range(…)` that only stores elements of a tensor, each computed with operators and element-wise functions
from elements of tensors: `y[i] = x[i] * 2`.

## Why it costs

Reading an element, computing with it and storing it are separate operations, each with its own launch, for a single
number. The whole tensor needs one launch. With gradients enabled, each store also adds a node to the autograd graph.

## Bad

```python
import torch


def scale(n):
    x = torch.rand(n)
    y = torch.zeros(n)
    for i in range(n):
        y[i] = torch.exp(x[i]) * 2
    return y
```

## Good

```python
import torch


def scale(n):
    x = torch.rand(n)
    return torch.exp(x) * 2
```

## When it is wrong

The loop is needed where an element depends on earlier ones (a recurrence). The rule is silent if the loop also reads
the tensor that it writes, at another index.

## References

- PyTorch performance tuning guide
- DLPerf, root cause "Not Using Efficient API"
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::elementwise_loop
