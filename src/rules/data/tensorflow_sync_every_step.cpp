#include "rules/device_wait.h"
#include "rules/tracing.h"

namespace deepperf::rules::tensorflow_sync_every_step {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  if (!site.module->tensorflow || site.module->jax || site.function == nullptr || tracers_at(site) != 0 ||
      site.module->is_test) {
    return;
  }
  const model::Loop *loop = site.project.loop_at(&node);
  if (loop == nullptr || loop->few_iterations || (loop->trains && !loop->steps)) {
    return; // of the last kind are loops over epochs
  }
  report_waits(site, *loop, waits_in_iteration(site, *loop),
               "keep the tensor in a `tf.keras.metrics.Mean`, and read it after the loop or every 100 steps");
}

} // namespace

extern constinit const Rule kTensorflowSyncEveryStep = {
    .info = {.code = "DP426",
             .name = "tensorflow-sync-every-step",
             .summary = "a value that is read back from the device in every iteration of a TensorFlow loop",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that calls a `tf.function` and then needs the value of what it returned, in every iteration: `loss.numpy()`, `float(loss)`,
`print(loss)`, a formatted string, NumPy functions, `set_postfix`. All places of a loop are one finding, also those in functions that the
loop calls.

## Why it costs

On a GPU a `tf.function` returns before the device has finished. The host can then prepare the next step. Reading a value makes it wait
until the device is done, and the device then waits for the host to launch the next step.

## Bad

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def train(dataset):
    losses = []
    for x, y in dataset:
        loss = train_step(x, y)
        losses.append(loss.numpy())
    return sum(losses) / len(losses)
```

## Good

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def train(dataset):
    mean = tf.keras.metrics.Mean()
    for x, y in dataset:
        mean.update_state(train_step(x, y))
    return float(mean.result())
```

## When it is wrong

Where the steps are long, where the next one needs the value, or on a CPU. The rule is silent under `if step % 100 == 0`, and in loops
that read a clock.

## References

- TensorFlow guide "Optimize TensorFlow GPU performance with the TensorFlow Profiler"
- TensorFlow guide "Writing a training loop from scratch": metrics
)"},
    .nodes = {NodeKind::For, NodeKind::While, NodeKind::ListComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::tensorflow_sync_every_step
