#include "rules/tracing.h"

#include <algorithm>

namespace deepperf::rules {

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
  report(site, call,
         "a tf.function may make variables only when it is first called; the second trace of this one fails",
         "make the variable outside, or once: if self.v is None: self.v = tf.Variable(…)");
}

} // namespace

extern constinit const Rule kVariableInFunction = {
    .info = {.code = "DP209",
             .name = "variable-in-function",
             .summary = "a tf.Variable made inside a tf.function, not only at its first call",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`tf.Variable(…)` in the body of a `tf.function`, with no `if` around it and outside of `tf.init_scope()`.

## Why it costs

A variable is state that lives longer than a call. TensorFlow refuses to make one in any trace but the first, with a ValueError that
often comes only when a batch of another shape is passed. As Python the same code makes a fresh variable in each call; as a graph
it would be shared, so that results would differ.

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

} // namespace deepperf::rules
