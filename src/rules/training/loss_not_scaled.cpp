#include "rules/reach.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::loss_not_scaled {

using namespace python;

namespace {

// The call that sets the policy, in any file of the project.
bool is_half(const Site &site) {
  return project_has_word(site, {"\"mixed_float16\"", "'mixed_float16'"}) &&
         project_has_word(site, {"set_global_policy(\"mixed_float16\"", "set_global_policy('mixed_float16'",
                                 "Policy(\"mixed_float16\"", "Policy('mixed_float16'", "set_policy(\"mixed_float16\"",
                                 "set_policy('mixed_float16'", "set_dtype_policy(\"mixed_float16\"",
                                 "set_dtype_policy('mixed_float16'"});
}

void check(Site &site, const Call &call) {
  const auto *tape = as<Name>(receiver_of(call));
  if (tape == nullptr || call.args.size() < 2 || site.module->is_test || !is_half(site) ||
      project_has_word(site, {"get_scaled_loss", "scale_loss", "LossScale", "loss_scale"})) {
    return;
  }
  // Only gradients that train something.
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const bool applies = any_node(body, [](const Node *node) {
    const auto *one = as<Call>(node);
    return one != nullptr && called_method(*one) == "apply_gradients";
  });
  if (applies) {
    report(site, call, "these gradients are computed in float16 without loss scaling, so small ones become zero",
           "wrap the optimizer in `LossScaleOptimizer`, take the gradient of the scaled loss, and unscale it");
  }
}

} // namespace

extern constinit const Rule kLossNotScaled = {
    .info = {.code = "DP956",
             .name = "loss-not-scaled",
             .summary = "a custom training step under `mixed_float16` that does not scale its loss",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `GradientTape` step that applies its gradients, in a program with the policy `mixed_float16` and without any loss scaling.

## Why it is wrong

`fit()` scales the loss by itself, a custom step does not. Float16 has no numbers between 0 and 6e-8: gradients below that become zero, and the
layers that they belong to stop learning without any message.

## Bad

```python
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")

@tf.function
def step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
```

## Good

```python
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam())

@tf.function
def step(model, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        scaled = optimizer.get_scaled_loss(loss)
    gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, model.trainable_variables))
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
```

## When it is wrong

Where the policy is set for another part of the program only.

## References

- TensorFlow guide "Mixed precision": training the model with a custom training loop
)"},
    .calls = "GradientTape.gradient",
    .on_call = check};

} // namespace deepperf::rules::loss_not_scaled
