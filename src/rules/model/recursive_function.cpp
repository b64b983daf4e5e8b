#include "rules/tracing.h"

#include <fmt/format.h>

namespace deepperf::rules::recursive_function {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  const model::FunctionInfo *const known = site.project.function_at(&node);
  if (known == nullptr) {
    return;
  }
  const model::FunctionInfo &function = *known;
  if (function.compiled_at == nullptr || (function.tracers & model::kByTfFunction) == 0) {
    return;
  }
  for (const model::CallSite &call : function.calls) {
    if (call.callee != &function) {
      continue;
    }
    report(site, *call.call,
           fmt::format("`{}` is a `tf.function` that calls itself, so tracing it may never end", function.name.text()),
           "use `tf.while_loop` or a Python loop, or decorate only a function that calls it");
    return;
  }
}

} // namespace

extern constinit const Rule kRecursiveFunction = {.info = {.code = "DP210",
                                                           .name = "recursive-function",
                                                           .summary = "a `tf.function` that calls itself",
                                                           .root_cause = "Model: Confusion with Computation Graph",
                                                           .symptoms = "Program Hang, Slow Initialization Time",
                                                           .stage = "Model Building",
                                                           .frameworks = "TensorFlow",
                                                           .severity = Severity::Warning,
                                                           .tier = Tier::Hint,
                                                           .documentation = R"(## What it finds

A function that is decorated with `@tf.function` and calls itself.

## Why it costs

Tracing follows the calls. If a tensor decides whether to recurse, both branches are traced and tracing does not end. If a Python number
decides, each depth is traced separately.

## Bad

```python
import tensorflow as tf

@tf.function
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)
```

## Good

```python
import tensorflow as tf

@tf.function
def factorial(n):
    result = tf.constant(1)
    while n > 1:
        result *= n
        n -= 1
    return result
```

## When it is wrong

Where a Python value limits the depth to a few steps.

## References

- TensorFlow guide "Better performance with tf.function": recursive tf.functions are not supported
- SonarPython S6908
)"},
                                                  .nodes = {NodeKind::FunctionDef},
                                                  .on_node = check};

} // namespace deepperf::rules::recursive_function
