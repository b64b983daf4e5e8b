#include "rules/per_step.h"
#include "rules/vector_loop.h"

namespace deepperf::rules::elementwise_loop {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  const VectorLoop loop = vector_loop_of(site, node);
  if (loop.work != LoopWork::Elements) {
    return;
  }
  const auto *statement = as<For>(&node);
  const Span place = statement != nullptr ? Span{node.start, statement->iter->end} : node.span();
  Finding &finding =
      report(site, place, "the loop computes one element at a time what a single operation computes for all elements",
             "compute the whole tensor at once: operators and most functions work on all elements");
  // A table that is made once from the indices alone costs little, and a list that is written down is mostly short.
  const PlaceContext context = context_of(site);
  const bool is_built = site.function != nullptr && only_builds(*site.function, Built::Anything);
  const bool is_repeated = (context.repeated && !is_built) || context.in_training_step || context.in_evaluation_step ||
                           in_method(site, Kind::TorchModule, "forward");
  const bool is_table = !is_repeated && (!loop.reads_tensor || statement == nullptr || is_built);
  if (!loop.is_sure || is_table || is_set_up(site)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kElementwiseLoop = {
    .info = {.code = "DP139",
             .name = "elementwise-loop",
             .summary = "a Python loop that computes a tensor element by element",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "PyTorch, TensorFlow, JAX, NumPy",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A loop that only stores elements or rows of a tensor or array, each computed with operators and element-wise functions
from elements of tensors: `y[i] = x[i] * 2`, also with an `if`, with nested loops, or as
`torch.stack([(x - mean) / std for x in images])`. It is a hint where something is read by index whose type is not known,
and in functions that only make a table, a layer or the like.

## Why it costs

Reading an element, computing with it and storing it are separate operations, each with its own launch, for a single
number, and so is each call from Python. The whole tensor needs one. With gradients enabled, each store also adds a node to the autograd graph.

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
    .nodes = {NodeKind::For, NodeKind::ListComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::elementwise_loop
