#include "rules/per_step.h"
#include "rules/vector_loop.h"

namespace deepperf::rules::gather_loop {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  const VectorLoop loop = vector_loop_of(site, node);
  if (loop.work != LoopWork::Selects || !loop.reads_tensor) {
    return;
  }
  const auto *statement = as<For>(&node);
  const Span place = statement != nullptr ? Span{node.start, statement->iter->end} : node.span();
  Finding &finding =
      report(site, place, "elements of a tensor are selected one by one and stacked again",
             "select all at once: index with a tensor of indices (`x[indices]`), or use `gather`, `index_select` or "
             "`unfold` for windows");
  if (!loop.is_sure || is_set_up(site)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kGatherLoop = {
    .info = {.code = "DP161",
             .name = "gather-loop",
             .summary = "elements, rows or windows of a tensor that are selected one by one and stacked",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, JAX, NumPy",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .posts = "61330532 55960559",
             .documentation = R"(## What it finds

`torch.stack([x[i] for i in indices])`, `torch.stack([q[i, action[i]] for i in range(n)])`,
`tf.stack([t[:, c] for c in columns])`, windows `x[i:i + w]`, and loops that append such elements to a list that becomes
a tensor. It is a hint in functions that only make a table, a layer or the like.

## Why it costs

Each element is a call from Python and a tensor object of its own, and with gradients a node of the autograd graph that
fills a whole tensor with zeros in the backward pass. Indexing with a tensor is one operation.

## Bad

```python
import torch


def chosen(values: torch.Tensor, actions: torch.Tensor):
    return torch.stack([values[i, actions[i]] for i in range(len(actions))])
```

## Good

```python
import torch


def chosen(values: torch.Tensor, actions: torch.Tensor):
    return values.gather(1, actions.unsqueeze(1)).squeeze(1)
```

## When it is wrong

For a few elements the difference is negligible.

## References

- `torch.gather`, `torch.index_select`, `torch.Tensor.unfold`, `tf.gather`, `tf.gather_nd`
)"},
    .nodes = {NodeKind::For, NodeKind::ListComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::gather_loop
