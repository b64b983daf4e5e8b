#include "python/children.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::tape_step_outside_function {

using namespace python;

namespace {

// Is the function, or one around it, called from somewhere that is traced, or handed to what may trace it?
bool may_be_traced(const Site &site) {
  for (const model::FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->passed || function->traced) {
      return true;
    }
  }
  return site.function != nullptr && std::ranges::any_of(site.function->called_by, [](const model::CallSite *call) {
           return call->caller->traced;
         });
}

// What needs values inside of the tape: NumPy, an environment's step, x.numpy(). It could not be traced as it is.
bool needs_values(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    if (method == "numpy" || method == "step" || called_api(site, *call).starts_with("numpy.")) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || needs_values(site, child); });
  return found;
}

void check(Site &site, const Call &call) {
  const auto *with = site.ancestors.empty() ? nullptr : as<With>(site.ancestors.back());
  if (with == nullptr || with->items[0].context_expr != &call || site.module->v1 || !in_training_step(site)) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr && !site.function->in_loop) {
    return;
  }
  // The methods of a layer or model are called by a train_step, which Keras traces.
  const bool in_keras =
      site.type != nullptr && (site.type->kind == Kind::KerasLayer || site.type->kind == Kind::KerasModel);
  if (in_keras || may_be_traced(site) || needs_values(site, with)) {
    return;
  }
  Finding &finding = report(
      site, call, "this gradient step runs eagerly, operation by operation, because no `tf.function` contains it",
      "move the step into a function decorated with `@tf.function`");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "the loop");
  }
}

} // namespace

extern constinit const Rule kTapeStepOutsideFunction = {
    .info = {.code = "DP212",
             .name = "tape-step-outside-function",
             .summary = "a `GradientTape` step in a loop that no `tf.function` compiles",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .posts = "54968545 54428570",
             .documentation = R"(## What it finds

`with tf.GradientTape()` and its gradient in a loop, or in a function that is called from one, where nothing is traced: no `@tf.function` on
the function, on one around it, or on a caller.

## Why it costs

In eager mode each operation of the forward and backward pass is dispatched from Python. For models with many small operations the CPU
cannot keep the GPU busy. One post of the study reports a factor of 7 (Stack Overflow 54428570).

## Bad

```python
import tensorflow as tf

for x, y in dataset:
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
```

## Good

```python
import tensorflow as tf

@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))

for x, y in dataset:
    train_step(x, y)
```

## When it is wrong

Where the step consists of a few large operations, where each step has different shapes or Python control flow, and while debugging.

## References

- TensorFlow guide "Better performance with tf.function"
- Stack Overflow 54968545 and 54428570, from the study
)"},
    .calls = "tensorflow.GradientTape",
    .on_call = check};

} // namespace deepperf::rules::tape_step_outside_function
