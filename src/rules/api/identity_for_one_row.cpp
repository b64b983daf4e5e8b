#include "rules/per_step.h"
#include "rules/site.h"

namespace deepperf::rules::identity_for_one_row {

using namespace python;

namespace {

bool is_array(const Expr *index) {
  const Kind kind = model::kind_of(index);
  return kind == Kind::NumpyArray || kind == Kind::TorchTensor || kind == Kind::JaxArray || kind == Kind::List ||
         kind == Kind::PandasFrame || index->kind == NodeKind::Slice || index->kind == NodeKind::Tuple ||
         index->kind == NodeKind::List || index->kind == NodeKind::Constant;
}

// Is it one of what the loop goes through?
bool is_loop_variable(const model::Loop *loop, const Expr *index) {
  const auto *name = as<Name>(index);
  if (name == nullptr || loop == nullptr) {
    return false;
  }
  if (const auto *statement = as<For>(loop->node)) {
    return mentions(statement->target, name->id);
  }
  const auto *comprehension =
      loop->node->kind == NodeKind::While ? nullptr : static_cast<const ComprehensionExpr *>(loop->node);
  return comprehension != nullptr && mentions(comprehension->generators[0]->target, name->id);
}

void check(Site &site, const Node &node) {
  const auto &access = static_cast<const Subscript &>(node);
  const auto *made = as<Call>(access.value);
  const std::string_view api = made != nullptr ? called_api(site, *made) : std::string_view{};
  const bool is_identity =
      api == "numpy.eye" || api == "numpy.identity" || api == "torch.eye" || api == "jax.numpy.eye";
  if (!is_identity || access.context != Context::Load || is_array(access.slice)) {
    return;
  }
  // A row for each item: in a loop over them, or in what a dataset does for each sample.
  const model::Loop *const loop = loop_around(site);
  const bool is_per_item = context_of(site).per_sample || (loop != nullptr && !loop->few_iterations);
  if (!is_per_item) {
    return;
  }
  Finding &finding = report(
      site, access, "the whole identity matrix is created again in every iteration, only to select rows of it",
      "create it once before the loop, or encode all indices at once: `torch.nn.functional.one_hot(indices, n)`");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  }
  if (access.slice->kind != NodeKind::Subscript && !context_of(site).per_sample &&
      !is_loop_variable(loop, access.slice)) {
    finding.tier = Tier::Hint; // perhaps the indices of a whole batch
  }
}

} // namespace

extern constinit const Rule kIdentityForOneRow = {
    .info = {.code = "DP190",
             .name = "identity-for-one-row",
             .summary = "an identity matrix that is created for each item to select one row of it",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`np.eye(n)[i]` for each item of a loop, or for each sample of a dataset.

## Why it costs

For a vocabulary of 30,000 words this creates a matrix of 7 GB to select one row of 240 kB.

## Bad

```python
import numpy as np
import torch


def batch_of(words, size):
    rows = []
    for word in words:
        rows.append(np.eye(size)[word])
    return torch.tensor(np.stack(rows))
```

## Good

```python
import torch


def batch_of(words, size):
    return torch.nn.functional.one_hot(torch.tensor(words), size)
```

## When it is wrong

Where `n` is small, it costs little. The rule is silent if all rows are taken at once: `np.eye(n)[labels]`.

## References

- torch.nn.functional.one_hot
)"},
    .nodes = {NodeKind::Subscript},
    .on_node = check};

} // namespace deepperf::rules::identity_for_one_row
