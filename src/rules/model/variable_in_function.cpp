#include "rules/tracing.h"

#include <algorithm>

namespace deepperf::rules::variable_in_function {

using namespace python;

namespace {

// Lifted out of the function with tf.init_scope().
bool in_init_scope(const Site &site) {
  return std::ranges::any_of(site.ancestors, [&site](const Node *node) {
    const auto *with = as<With>(node);
    return with != nullptr && std::ranges::any_of(with->items, [&site](const WithItem &item) {
             const auto *scope = as<Call>(item.context_expr);
             return scope != nullptr && called_api(site, *scope) == "tensorflow.init_scope";
           });
  });
}

void check(Site &site, const Call &call) {
  if ((tracers_at(site) & model::kByTfFunction) == 0 || site.function->compiled_at == nullptr) {
    return; // what it calls may be the guarded part
  }
  const auto op = std::ranges::find(site.function->ops, &call, &model::OpFact::call);
  if (op == site.function->ops.end() || op->once || enclosing(site, NodeKind::If) != nullptr || in_init_scope(site)) {
    return;
  }
  report(site, call, "a `tf.function` may create variables only in its first call, so the second trace fails here",
         "create the variable outside, or only once: `if self.v is None: self.v = tf.Variable(…)`");
}

} // namespace

extern constinit const Rule kVariableInFunction = {
    .info = {.code = "DP209",
             .name = "variable-in-function",
             .summary = "a `tf.Variable` that is created inside a `tf.function`, not only in its first call",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tf.Variable(…)` in the body of a `tf.function`, not inside an `if` and outside `tf.init_scope()`.

## Why it is wrong

A variable is state that outlives a call. TensorFlow refuses to create one in any trace but the first, with a ValueError that often appears
only when a batch of another shape is passed. In eager mode the same code creates a new variable in each call; in a graph it would be
shared, so results would differ.

## Bad

```python
import tensorflow as tf

@tf.function
def scaled(x):
    scale = tf.Variable(2.0)
    return scale * x
```

## Good

```python
import tensorflow as tf

scale = tf.Variable(2.0)

@tf.function
def scaled(x):
    return scale * x
```

## When it is wrong

For functions that are traced exactly once, to be exported.

## References

- TensorFlow guide "Better performance with tf.function": creating tf.Variables
- SonarPython S6918
)"},
    .calls = "tensorflow.Variable",
    .on_call = check};

} // namespace deepperf::rules::variable_in_function
