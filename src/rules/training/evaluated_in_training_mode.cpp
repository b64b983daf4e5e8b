#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::evaluated_in_training_mode {

using namespace python;
using model::Value;

namespace {

bool is_keras_model(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  const bool is_object = callee.is(Value::Tag::Object) && callee.type->kind == Kind::KerasModel;
  const auto *name = as<Name>(call.func);
  const bool is_self =
      name != nullptr && name->id.text() == "self" && site.type != nullptr && site.type->kind == Kind::KerasModel;
  return is_object || is_self || callee.is_kind(Kind::KerasModel);
}

// Somebody who wants to know how sure the model is draws several predictions with dropout on.
bool is_sampling(const Site &site) {
  return file_has_word_in_any_case(site, {"monte", "uncertain", "mc_", "mcdropout", "bayesian", "stochastic forward"});
}

// Does the function record gradients, or is it called by who does?
bool belongs_to_training(const Site &site) {
  return site.function->trains || function_has_word(site, {"GradientTape", "apply_gradients", "minimize("}) ||
         std::ranges::any_of(site.function->called_by, [](const model::CallSite *caller) { return caller->in_tape; });
}

// Is what the model gives measured here, for each batch of a loop that trains nothing?
bool is_evaluation(const Site &site) {
  if (in_method(site, Kind::KerasModel, "test_step")) {
    return true;
  }
  const PlaceContext context = context_of(site);
  return context.in_evaluation_step && !context.in_training_step &&
         function_has_word(site, {".update_state(", "argmax(", "accuracy", "metric"});
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  const Keyword *mode = site.module->tensorflow ? keyword_argument(call, "training") : nullptr;
  if (mode == nullptr || !is_constant(mode->value, ConstantKind::True) || site.module->is_test ||
      site.function == nullptr || !is_keras_model(site, call) || belongs_to_training(site) || !is_evaluation(site) ||
      !project_has_word(site, {"Dropout(", "BatchNormalization(", "applications."}) || is_sampling(site)) {
    return;
  }
  report(site, *mode,
         "the model is evaluated in training mode: dropout stays active, and batch normalization uses the statistics "
         "of the batch",
         fmt::format("pass `training=False` to `{}`", text_of(site, call.func)));
}

} // namespace

extern constinit const Rule kEvaluatedInTrainingMode = {
    .info = {.code = "DP974",
             .name = "evaluated-in-training-mode",
             .summary = "a Keras model that is evaluated with `training=True`",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model(x, training=True)` in `test_step`, or in a function that a loop calls for each batch to update metrics without training, in a project
with dropout or batch normalization.

## Why it is wrong

Dropout removes units at random, and batch normalization uses the mean and variance of the batch and changes its moving averages, so that
the test data leaks into the model. The measured quality is noisy and too low.

## Bad

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(64), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(10)])
accuracy = tf.keras.metrics.SparseCategoricalAccuracy()


def evaluate(dataset: tf.data.Dataset):
    accuracy.reset_state()
    for x, y in dataset:
        accuracy.update_state(y, model(x, training=True))
    return accuracy.result()
```

## Good

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(64), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(10)])
accuracy = tf.keras.metrics.SparseCategoricalAccuracy()


def evaluate(dataset: tf.data.Dataset):
    accuracy.reset_state()
    for x, y in dataset:
        accuracy.update_state(y, model(x, training=False))
    return accuracy.result()
```

## When it is wrong

Where several predictions with dropout are drawn on purpose, to estimate how sure the model is.

## References

- Keras FAQ: the difference between the `training` argument and the `trainable` attribute
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::evaluated_in_training_mode
