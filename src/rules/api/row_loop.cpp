#include "rules/per_step.h"
#include "rules/vector_loop.h"

namespace deepperf::rules::row_loop {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  if (site.module->jax && !site.module->torch) {
    return; // loop-instead-of-vmap knows what to write there
  }
  const VectorLoop loop = vector_loop_of(site, node);
  if (loop.work != LoopWork::Rows || !loop.reads_tensor) {
    return;
  }
  const auto *statement = as<For>(&node);
  const Span place = statement != nullptr ? Span{node.start, statement->iter->end} : node.span();
  Finding &finding =
      report(site, place, "the loop computes row by row what batched operations compute for all rows at once",
             "work on the whole tensor: reductions take `dim`, `@` takes batches of matrices, "
             "`torch.cdist` all pairs, and `x[:, None]` broadcasts rows against rows");
  if (!loop.is_sure || is_set_up(site)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kRowLoop = {
    .info = {.code = "DP162",
             .name = "row-loop",
             .summary = "a Python loop that reduces, multiplies or compares tensors one row at a time",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "PyTorch, TensorFlow, JAX, NumPy",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .posts = "58906142 63826597 64863475",
             .documentation = R"(## What it finds

A loop that only computes rows that do not depend on each other, with reductions, matrix products, norms,
softmax and the like: `d[i, j] = torch.norm(a[i] - b[j])`, `out[b] = softmax(q[b] @ k[b].t()) @ v[b]`, or a comprehension
whose list is stacked, or whose condition compares rows. A sum counts if it goes over all pairs or over the rows of a tensor: `loss += F.mse_loss(x[i], y[i])`. Everything that is read by index must be known to be a tensor or array; otherwise, and in functions that only make a table, a layer or the like, it is a hint.

## Why it costs

Every iteration calls the operations from Python for one row, and rows are too small to keep a processor busy. The same
operations take whole batches.

## Bad

```python
import torch


def distances(a: torch.Tensor, b: torch.Tensor):
    result = torch.zeros(len(a), len(b))
    for i in range(len(a)):
        for j in range(len(b)):
            result[i, j] = torch.norm(a[i] - b[j])
    return result
```

## Good

```python
import torch


def distances(a: torch.Tensor, b: torch.Tensor):
    return torch.cdist(a, b)
```

## When it is wrong

All rows at once need memory for all of them; very large inputs are best processed in chunks of many rows.

## References

- `torch.cdist`, `torch.matmul`, PyTorch notes on broadcasting
)"},
    .nodes = {NodeKind::For, NodeKind::ListComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::row_loop
