#include "rules/per_step.h"
#include "rules/vector_loop.h"

#include <fmt/format.h>

namespace deepperf::rules::scatter_loop {

using namespace python;

namespace {

void check_loop(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  const VectorLoop found = vector_loop_of(site, node);
  if (found.work != LoopWork::Scatters) {
    return;
  }
  Finding &finding = report(
      site, Span{node.start, loop.iter->end}, "the loop stores one element at a time, at an index that it looks up",
      "store all at once: index with tensors (`y[rows, columns] = 1`), or use `index_add_`, `scatter_`, "
      "`bincount` or `one_hot`; compare `arange` with the lengths to make a mask");
  if (!found.is_sure || is_set_up(site)) {
    finding.tier = Tier::Hint;
  }
}

// `grid = tf.tensor_scatter_nd_update(grid, [indices[i]], [values[i]])`
void check_call(Site &site, const Call &call) {
  const model::Loop *loop = loop_around(site);
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  if (statement == nullptr || loop->few_iterations || loop->iterations == model::Iterations::Few ||
      assignment == nullptr || assignment->targets.size() != 1 || call.args.size() < 3 || site.module->is_test) {
    return;
  }
  const auto *target = as<Name>(assignment->targets[0]);
  const auto *updated = as<Name>(call.args[0]);
  const auto *index = as<Name>(statement->target);
  if (target == nullptr || updated == nullptr || index == nullptr || target->id != updated->id ||
      call.args[1]->kind != NodeKind::List || !mentions(call.args[1], index->id) ||
      mentions(call.args[1], target->id) || mentions(call.args[2], target->id)) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("every iteration copies `{}` to change one element", target->id.text()),
             "collect the indices and updates, and scatter them with one call after the loop");
  add_note(finding, site, *statement, "in every iteration of this loop");
}

} // namespace

extern constinit const Rule kScatterLoop = {
    .info = {.code = "DP160",
             .name = "scatter-loop",
             .summary = "a Python loop that counts or stores elements one by one, at indices given by a tensor",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, NumPy",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .posts = "64246466 64885890",
             .documentation = R"(## What it finds

A loop that only stores or adds at indices that it looks up: `matrix[t, p] += 1` for pairs of labels,
`target[i, labels[i]] = 1`, `mask[i, :lengths[i]] = 1`, `total[index[e]] += x[e]`; and `tf.tensor_scatter_nd_update` of the
same tensor in every iteration. Such a loop is a hint in functions that only make a table, a layer or the like.

## Why it costs

Each iteration calls several operations from Python for a single element. One scatter, indexed assignment or count does
the same for all elements. `tf.tensor_scatter_nd_update` also copies the whole tensor each time.

## Bad

```python
import torch


def confusion(targets: torch.Tensor, predictions: torch.Tensor, classes):
    matrix = torch.zeros(classes, classes)
    for t, p in zip(targets, predictions):
        matrix[t, p] += 1
    return matrix
```

## Good

```python
import torch


def confusion(targets: torch.Tensor, predictions: torch.Tensor, classes):
    counts = torch.bincount(targets * classes + predictions, minlength=classes * classes)
    return counts.reshape(classes, classes)
```

## When it is wrong

For a few elements the loop costs nothing. Plain indexed assignment keeps one of several values for the same place, while
a loop keeps the last one; use `index_add_` or `index_put_(…, accumulate=True)` to add.

## References

- `torch.bincount`, `torch.Tensor.index_add_`, `torch.nn.functional.one_hot`, `tf.scatter_nd`, `numpy.add.at`
)"},
    .calls = "tensorflow.tensor_scatter_nd_update tensorflow.tensor_scatter_nd_add",
    .on_call = check_call,
    .nodes = {NodeKind::For},
    .on_node = check_loop};

} // namespace deepperf::rules::scatter_loop
