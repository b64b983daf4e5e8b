#include "rules/site.h"

#include <algorithm>
#include <array>

namespace deepperf::rules::random_per_element {

using namespace python;

namespace {

constexpr std::array<std::string_view, 12> kCollectors = {
    "torch.tensor", "torch.FloatTensor", "torch.as_tensor",     "torch.stack",     "numpy.array",  "numpy.asarray",
    "numpy.stack",  "tensorflow.stack",  "tensorflow.constant", "jax.numpy.array", "torch.Tensor", "torch.LongTensor"};

// How many arguments describe the distribution; what follows is the size.
std::optional<std::size_t> parameters_of(std::string_view name) {
  if (name == "rand" || name == "randn" || name == "random" || name == "random_sample" || name == "standard_normal") {
    return 0;
  }
  if (name == "normal" || name == "uniform" || name == "randint" || name == "integers" || name == "beta" ||
      name == "gauss") {
    return 2;
  }
  if (name == "poisson" || name == "exponential") {
    return 1;
  }
  return std::nullopt;
}

bool draws_number(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  if (callee.is(model::Value::Tag::ApiMethod) && callee.receiver().kind == Kind::RandomState) {
    const std::optional<std::size_t> parameters = parameters_of(called_method(call));
    return parameters && call.args.size() <= *parameters && keyword_argument(call, "size") == nullptr;
  }
  if (!callee.is(model::Value::Tag::Api)) {
    return false;
  }
  const std::string_view api = callee.name().text();
  if (api.starts_with("numpy.random.") || api.starts_with("random.")) {
    const std::optional<std::size_t> parameters = parameters_of(api.substr(api.rfind('.') + 1));
    return parameters && call.args.size() <= *parameters && keyword_argument(call, "size") == nullptr;
  }
  if (api == "tensorflow.random.uniform" || api == "tensorflow.random.normal" || api == "tensorflow.random_uniform") {
    const auto *shape = !call.args.empty() ? as<Tuple>(call.args[0]) : nullptr;
    const auto *list = !call.args.empty() ? as<List>(call.args[0]) : nullptr;
    return (shape != nullptr && shape->elts.empty()) || (list != nullptr && list->elts.empty());
  }
  return false;
}

void check(Site &site, const Node &node) {
  const auto &comprehension = static_cast<const ComprehensionExpr &>(node);
  const auto *loop = site.project.loop_at(&node);
  const auto *collector = !site.ancestors.empty() ? as<Call>(site.ancestors.back()) : nullptr;
  const auto *call = as<Call>(comprehension.elt);
  if (collector == nullptr || call == nullptr || comprehension.generators.size() != 1 || loop == nullptr ||
      loop->few_iterations || loop->iterations == model::Iterations::Few || site.module->is_test ||
      std::ranges::find(kCollectors, called_api(site, *collector)) == kCollectors.end() || !draws_number(site, *call)) {
    return;
  }
  if (!comprehension.generators[0]->ifs.empty()) {
    return;
  }
  report(site, node, "random numbers are drawn one at a time",
         "draw all of them in one call: pass `size` or a shape; bounds can be arrays");
}

} // namespace

extern constinit const Rule kRandomPerElement = {
    .info = {.code = "DP169",
             .name = "random-per-element",
             .summary = "random numbers that are drawn one at a time to fill an array",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "NumPy, PyTorch, TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .posts = "62034179",
             .documentation = R"(## What it finds

`np.array([rng.normal() for _ in range(n)])`, the same with `np.random` and `random`, and
`tf.stack([tf.random.uniform((), maxval=m) for m in limits])`.

## Why it costs

Each number is a call from Python. Generators fill a whole array with one call.

## Bad

```python
import numpy as np
import torch


def noise(n):
    return torch.from_numpy(np.array([np.random.normal(0, 0.1) for _ in range(n)]))
```

## Good

```python
import numpy as np
import torch


def noise(n):
    return torch.from_numpy(np.random.normal(0, 0.1, size=n))
```

## When it is wrong

For a few numbers the difference is negligible.

## References

- NumPy random generators: the argument `size`
)"},
    .nodes = {NodeKind::ListComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::random_per_element
