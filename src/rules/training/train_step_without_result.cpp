#include "rules/reach.h"
#include "rules/tree.h"
#include <fmt/format.h>

namespace deepperf::rules::train_step_without_result {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  const std::string_view name = definition.name.text();
  const model::FunctionInfo *function = site.project.function_at(&node);
  if ((name != "train_step" && name != "test_step") || function == nullptr || function->type == nullptr ||
      function->type->kind != Kind::KerasModel || site.module->is_test || !definition.decorators.empty() ||
      definition.body.empty() || !function->called_by.empty() || !function->type->subclasses.empty()) {
    return;
  }
  const bool gives = any_node(definition.body, [](const Node *part) {
    const auto *result = as<Return>(part);
    return (result != nullptr && result->value != nullptr) || part->kind == NodeKind::Raise ||
           part->kind == NodeKind::Yield;
  });
  const bool is_empty = definition.body.size() == 1 && definition.body[0]->kind != NodeKind::With;
  if (!gives && !is_empty && project_has_word(site, {".fit("})) {
    report(site, Span{definition.start, definition.start + static_cast<u32>(name.size()) + 4},
           fmt::format("`{}()` returns nothing, and `fit()` needs a dictionary of logs, so the first step fails", name),
           "return the metrics, for instance `return {\"loss\": loss}`");
  }
}

} // namespace

extern constinit const Rule kTrainStepWithoutResult = {
    .info = {.code = "DP957",
             .name = "train-step-without-result",
             .summary = "a `train_step` or `test_step` of a Keras model that returns nothing",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "Keras, TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`train_step` or `test_step` of a `keras.Model` without a `return`, in a program that calls `fit()`.

## Why it is wrong

`fit()` passes what `train_step` returns to the progress bar and the callbacks, and fails if it is `None`.

## Bad

```python
import tensorflow as tf

class Net(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))

def train(dataset):
    net = Net()
    net.compile("adam", "mse")
    net.fit(dataset)
```

## Good

```python
import tensorflow as tf

class Net(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}

def train(dataset):
    net = Net()
    net.compile("adam", "mse")
    net.fit(dataset)
```

## When it is wrong

Where a class that the rule does not see overrides the method again.

## References

- Keras guide "Customizing `fit()` with TensorFlow"
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::train_step_without_result
