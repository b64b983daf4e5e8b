#include "rules/reach.h"

namespace deepperf::rules::update_ops_missing {

using namespace python;

namespace {

// Whether the file was pointed at before: one place is enough.
struct Reported {
  mutable bool is_done = false;
};

void check(Site &site, const Call &call) {
  const bool is_contrib = called_api(site, call).starts_with("tensorflow.contrib.");
  const model::Argument mode =
      is_contrib ? argument_of(site, call, 10, "is_training") : argument_of(site, call, 14, "training");
  // Always in training mode, it never uses the averages; never, it does not compute them.
  if (mode.given.empty() || mode.unknown || has_hidden_arguments(call)) {
    return;
  }
  if (setting_of(site, mode, model::ConstantValue::of(is_contrib)).has_value()) {
    return;
  }
  if (is_contrib && keyword_argument(call, "updates_collections") != nullptr) {
    return;
  }
  if (!project_has_word(site, {".minimize(", ".apply_gradients("}) ||
      project_has_word_in_any_case(site, {"update_ops", "get_updates_for", ".updates", "create_train_op",
                                          "optimize_loss", "updates_collections", "moving_mean"})) {
    return;
  }
  const Reported &reported = site.memory.recall<Reported>(site.module, [] { return Reported{}; });
  if (reported.is_done) {
    return;
  }
  reported.is_done = true;
  report(site, call,
         "the moving averages of this batch normalization are never updated, because nothing runs `UPDATE_OPS`",
         "create the training operation under `tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS))`");
}

} // namespace

extern constinit const Rule kUpdateOpsMissing = {
    .info = {.code = "DP854",
             .name = "update-ops-missing",
             .summary = "TensorFlow 1 batch normalization whose moving averages are never updated",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tf.layers.batch_normalization(…, training=…)` and `tf.contrib.layers.batch_norm(…, is_training=…)` in a program that trains and whose files
never mention `UPDATE_OPS`. The mode must be one that changes between training and inference. One place per file is reported.

## Why it is wrong

In TensorFlow 1 these layers put the operations that update their moving averages into a collection, and the program has to run them. If it
does not, the averages stay at mean 0 and variance 1: training looks fine, and inference returns nonsense.

## Bad

```python
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 10])
is_training = tf.placeholder_with_default(False, [])
h = tf.layers.batch_normalization(x, training=is_training)
loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1)))
train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
```

## Good

```python
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 10])
is_training = tf.placeholder_with_default(False, [])
h = tf.layers.batch_normalization(x, training=is_training)
loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1)))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
```

## When it is wrong

Where the model is never used in inference mode, or a library that is not checked creates the training operation.

## References

- TensorFlow 1 documentation of `tf.layers.batch_normalization`
)"},
    .calls = "tensorflow.layers.batch_normalization tensorflow.contrib.layers.batch_norm",
    .on_call = check};

} // namespace deepperf::rules::update_ops_missing
