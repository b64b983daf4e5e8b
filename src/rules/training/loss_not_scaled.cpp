#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::loss_not_scaled {

using namespace python;

namespace {

struct HalfPolicy {
  bool is_set = false;
};

// The call that sets the policy, in any file of the project, with a text or with what a setting says.
bool is_half(const Site &site) {
  const auto find = [&] {
    HalfPolicy found;
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.tensorflow ? module.parsed->tree.body : Block{}) {
        any_node_inside(statement, [&](const Node *node) {
          const auto *call = as<Call>(node);
          const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
          if ((name != "set_global_policy" && name != "set_policy" && name != "set_dtype_policy" && name != "Policy") ||
              call->args.empty()) {
            return false;
          }
          const model::FunctionInfo *function = site.project.caller_of(call);
          const model::ConstantChoices choices = model::choices_of(
              model::scope_of(site.project, function != nullptr ? *function : *module.body), call->args[0]);
          found.is_set |= std::ranges::any_of(choices.values, [](const model::ConstantValue &value) {
            return value.as_string() == std::optional<std::string>("mixed_float16");
          });
          return found.is_set;
        });
      }
    }
    return found;
  };
  return project_has_word(site, {"\"mixed_float16\"", "'mixed_float16'"}) &&
         site.memory.recall<HalfPolicy>(&site.project, find).is_set;
}

// `model.trainable_variables`, also under a name.
bool are_weights(const Site &site, const Expr *sources) {
  bool found = false;
  visit_origins(site, *site.function, sources, [&](const Origin &origin) {
    const auto *attribute = as<Attribute>(origin.expr);
    found |= attribute != nullptr &&
             (attribute->attr.text() == "trainable_variables" || attribute->attr.text() == "trainable_weights");
    return Onward::Stop;
  });
  return found;
}

void check(Site &site, const Call &call) {
  const auto *tape = as<Name>(receiver_of(call));
  if (tape == nullptr || call.args.size() < 2 || site.module->is_test || !is_half(site) ||
      project_has_word(site, {"get_scaled_loss", "scale_loss", "get_unscaled_gradients"})) {
    return;
  }
  // The wrapper scales nothing by itself; other ways to scale may be meant where only its name stands somewhere.
  const bool is_wrapped = project_has_word(site, {"LossScaleOptimizer("});
  if (!is_wrapped && project_has_word(site, {"LossScale", "loss_scale"})) {
    return;
  }
  // Only gradients that train something.
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const bool applies = any_node(body, [](const Node *node) {
    const auto *one = as<Call>(node);
    return one != nullptr && called_method(*one) == "apply_gradients";
  });
  if (applies ||
      (site.function != nullptr && are_weights(site, call.args[1]) && file_has_word(site, {"apply_gradients"}))) {
    report(site, call, "these gradients are computed in float16 without loss scaling, so small ones become zero",
           is_wrapped ? "compute the gradient of `optimizer.get_scaled_loss(loss)` and unscale it with "
                        "`get_unscaled_gradients` (Keras 3: `optimizer.scale_loss(loss)`)"
                      : "wrap the optimizer in `LossScaleOptimizer`, take the gradient of the scaled loss, and unscale "
                        "it");
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
