#include "model/variance.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::invariant_in_loop {

using namespace python;

namespace {

bool is_array(const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::TorchTensor || kind == Kind::NumpyArray;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || call.args.empty() || has_hidden_arguments(call)) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  if (statement == nullptr || loop->tiny || loop->turns == model::Turns::Few || !runs_every_turn(site, *loop)) {
    return;
  }
  const auto is_fixed = [&](const Expr *argument) {
    // Weights change with every step of an optimizer, without a word in the loop; what hangs on a graph may be one.
    const bool is_weight = any_node_inside(argument, [](const Node *node) {
      const auto *attribute = as<Attribute>(node);
      return node->kind == NodeKind::Call || attribute != nullptr;
    });
    return !is_weight && !model::has_grad(argument) && !model::varies(site.project, *loop, argument);
  };
  if (!is_array(call.args[0]) || !std::ranges::all_of(call.args, is_fixed) ||
      !std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return is_fixed(keyword->value); })) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("`{}` computes the same in every iteration", text_of(site, call.func)),
             "compute it once before the loop");
  add_note(finding, site, *statement, "nothing in this loop changes its arguments");
}

} // namespace

extern constinit const Rule kInvariantInLoop = {
    .info = {.code = "DP252",
             .name = "invariant-in-loop",
             .summary = "a matrix product or decomposition that gives the same in every iteration",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch, NumPy",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A matrix product, distance matrix, inverse, decomposition or Fourier transform in a loop, whose arguments are tensors or
arrays that nothing in the loop changes.

## Why it costs

The result is the same in every iteration, and these are among the most expensive operations there are.

## Bad

```python
import torch


def train(model, optimizer, adjacency: torch.Tensor, x, epochs):
    for epoch in range(epochs):
        two_hops = torch.matmul(adjacency, adjacency)
        loss = (two_hops @ model(x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch


def train(model, optimizer, adjacency: torch.Tensor, x, epochs):
    two_hops = torch.matmul(adjacency, adjacency)
    for epoch in range(epochs):
        loss = (two_hops @ model(x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## When it is wrong

In a loop that measures how long the operation takes.

## References

- PyTorch performance tuning guide
)"},
    .calls =
        "torch.matmul torch.mm torch.bmm torch.cdist torch.inverse torch.linalg.inv torch.pinverse torch.linalg.pinv "
        "torch.svd torch.linalg.svd torch.linalg.eigh torch.linalg.eig torch.linalg.qr torch.linalg.cholesky "
        "torch.cholesky torch.kron torch.fft.fft2 torch.fft.fft numpy.dot numpy.matmul numpy.linalg.inv "
        "numpy.linalg.svd numpy.linalg.pinv numpy.linalg.eigh numpy.linalg.eig numpy.kron",
    .on_call = check};

} // namespace deepperf::rules::invariant_in_loop
