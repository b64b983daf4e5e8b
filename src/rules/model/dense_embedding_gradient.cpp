#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::dense_embedding_gradient {

using namespace python;

namespace {

constexpr i64 kManyRows = 100'000;

void check(Site &site, const Call &call) {
  const Expr *rows = argument(call, 0, "num_embeddings");
  if (rows == nullptr || site.module->is_test || has_hidden_arguments(call) ||
      keyword_argument(call, "sparse") != nullptr || keyword_argument(call, "max_norm") != nullptr) {
    return;
  }
  const std::optional<i64> count = integer_of(site, rows);
  if (!count || *count < kManyRows) {
    return;
  }
  // Sparse gradients work with plain SGD, Adagrad and SparseAdam only, and with gradients of one process.
  if (!file_has_word(site, {"SGD("}) ||
      file_has_word(site, {"momentum", "weight_decay", "Adam", "clip_grad", "RMSprop"})) {
    return;
  }
  report(site, call, fmt::format("every step computes and applies gradients for all {} rows of the embedding", *count),
         "pass `sparse=True`, so that SGD updates only the rows of the batch");
}

} // namespace

extern constinit const Rule kDenseEmbeddingGradient = {
    .info = {.code = "DP253",
             .name = "dense-embedding-gradient",
             .summary = "a large embedding that plain SGD updates as a whole in every step",
             .root_cause = "Model: Improper Model Parameter",
             .symptoms = "Slow Execution Time, Out of Memory",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`nn.Embedding` with at least 100,000 rows and without `sparse`, in a file that trains with `SGD` and uses no momentum, weight
decay or gradient clipping, which sparse gradients do not support.

## Why it costs

The gradient of an embedding is a matrix of the same size, nearly all of it zeros: it is allocated, filled, and added to the
weights in every step. With `sparse=True` only the rows of the batch are stored and updated.

## Bad

```python
import torch
from torch import nn

items = nn.Embedding(500000, 64)
optimizer = torch.optim.SGD(items.parameters(), lr=0.1)
```

## Good

```python
import torch
from torch import nn

items = nn.Embedding(500000, 64, sparse=True)
optimizer = torch.optim.SGD(items.parameters(), lr=0.1)
```

## When it is wrong

Where the optimizer is chosen by a setting that the file does not show.

## References

- `torch.nn.Embedding`: the argument `sparse`
)"},
    .calls = "torch.nn.Embedding",
    .on_call = check};

} // namespace deepperf::rules::dense_embedding_gradient
