#include "rules/site.h"

namespace deepperf::rules::assert_on_tuple {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  const auto &statement = static_cast<const Assert &>(node);
  const auto *tuple = as<Tuple>(statement.test);
  if (tuple == nullptr || tuple->elts.empty()) {
    return;
  }
  report(site, statement, "a tuple that is not empty is always true, so this assertion never fails",
         "write `assert condition, message` without parentheses");
}

} // namespace

extern constinit const Rule kAssertOnTuple = {.info = {.code = "DP894",
                                                       .name = "assert-on-tuple",
                                                       .summary = "an assertion of a tuple, which never fails",
                                                       .root_cause = "Training: Wrong Training Step",
                                                       .symptoms = "Wrong Result",
                                                       .stage = "Training",
                                                       .frameworks = "PyTorch, TensorFlow, Keras, JAX",
                                                       .severity = Severity::Error,
                                                       .tier = Tier::On,
                                                       .documentation = R"(## What it finds

`assert (condition, "message")`.

## Why it is wrong

The parentheses create a tuple of two elements, and such a tuple is always true. The check of a shape, a device or an
argument never runs, and the mistake shows up later as another error or as a wrong result.

## Bad

```python
import torch


def loss(pred: torch.Tensor, target: torch.Tensor):
    assert (pred.shape == target.shape, "shapes differ")
    return ((pred - target) ** 2).mean()
```

## Good

```python
import torch


def loss(pred: torch.Tensor, target: torch.Tensor):
    assert pred.shape == target.shape, "shapes differ"
    return ((pred - target) ** 2).mean()
```

## When it is wrong

It is not.

## References

- Python reference: the assert statement
)"},
                                              .nodes = {NodeKind::Assert},
                                              .on_node = check};

} // namespace deepperf::rules::assert_on_tuple
