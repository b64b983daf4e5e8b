#include "rules/vector_loop.h"

#include <fmt/format.h>

namespace deepperf::rules::python_per_element {

using namespace python;
using model::Value;

namespace {

void check(Site &site, const Call &call) {
  if (call.args.empty() || site.module->is_test) {
    return;
  }
  const Value function = value_of(site, call.args[0]);
  if (!function.is(Value::Tag::Function) || function.function == nullptr) {
    return;
  }
  bool reduces = false;
  const bool fits = is_vectorisable_function(site, *function.function, &reduces);
  const std::string_view api = called_api(site, call);
  Finding &finding =
      report(site, call,
             fmt::format("`{}` calls a Python function for every {}", text_of(site, call.func),
                         api.ends_with("apply_along_axis") ? "row" : "element"),
             reduces ? "write the function for the whole array: reductions take `axis` and `keepdims`"
                     : "call the function with the whole array, with NumPy's functions instead of `math`");
  if (!fits) {
    finding.tier = Tier::Hint; // it may do what NumPy has no function for
  }
}

} // namespace

extern constinit const Rule kPythonPerElement = {
    .info = {.code = "DP166",
             .name = "python-per-element",
             .summary = "`np.vectorize` or `np.apply_along_axis` of a function that could take the whole array",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "NumPy",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`np.vectorize`, `np.frompyfunc` and `np.apply_along_axis` of a function of the project. It is reported as proven if the
function only uses operators, functions of `math` and reductions; otherwise it is a hint.

## Why it costs

The name promises more than it does: `np.vectorize` is a loop in Python, one call for each element, and
`np.apply_along_axis` one for each row. Operators and NumPy's own functions run the loop in C.

## Bad

```python
import math
import numpy as np
import torch


def gelu(x):
    return 0.5 * x * (1 + math.tanh(0.8 * x))


def activate(hidden):
    return torch.from_numpy(np.vectorize(gelu)(hidden))
```

## Good

```python
import numpy as np
import torch


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.8 * x))


def activate(hidden):
    return torch.from_numpy(gelu(hidden))
```

## When it is wrong

For a few elements the difference is negligible.

## References

- `numpy.vectorize`, its notes on performance
)"},
    .calls = "numpy.vectorize numpy.frompyfunc numpy.apply_along_axis",
    .on_call = check};

} // namespace deepperf::rules::python_per_element
