#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::regularizer_ignored {

using namespace python;
using model::Value;

namespace {

struct Regularized {
  const Call *layer = nullptr;
  const model::Module *module = nullptr;
};

// A layer with a regularizer below the node, or in the functions and layers of the project that are used there.
Regularized regularized_in(const Site &site, const Node *node, const model::Module *module, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  Regularized found;
  any_node_inside(node, [&](const Node *part) {
    const auto *call = as<Call>(part);
    if (call == nullptr || call->fact == 0) {
      return false;
    }
    const Value callee = site.project.callee_of(call);
    if (depth < kMostDepth && callee.is(Value::Tag::Class) && callee.type->kind != Kind::Unknown &&
        callee.type->node != node) {
      found = regularized_in(site, callee.type->node, callee.type->module, depth + 1);
    } else if (depth < kMostDepth && callee.is(Value::Tag::Function) && callee.function->definition() != nullptr &&
               callee.function->node != node) {
      found = regularized_in(site, callee.function->node, callee.function->module, depth + 1);
    } else if (called_api(site, *call).starts_with("tensorflow.keras.layers.")) {
      const bool has_one = std::ranges::any_of(call->keywords, [](const Keyword *keyword) {
        return keyword->name && keyword->name.text().ends_with("_regularizer") && !is_none(keyword->value);
      });
      found = has_one ? Regularized{call, module} : Regularized{};
    }
    return found.layer != nullptr;
  });
  return found;
}

// The layer that a model was made with, as far as that is known: in its class, its list of layers, or the function that
// makes it.
Regularized layer_of(const Site &site, const Value &model) {
  if (model.is(Value::Tag::Object) && model.type->kind == Kind::KerasModel) {
    return regularized_in(site, model.type->node, model.type->module);
  }
  if (!model.is_kind(Kind::KerasModel) || model.maker() == nullptr) {
    return {};
  }
  const model::FunctionInfo *maker = site.project.caller_of(model.maker());
  if (maker == nullptr) {
    return {};
  }
  const Regularized own = regularized_in(site, model.maker(), maker->module);
  return own.layer == nullptr && maker->definition() != nullptr
             ? regularized_in(site, maker->definition(), maker->module)
             : own;
}

struct ReadsLosses {
  bool holds = false;
};

// `model.losses` anywhere in the project; `keras.losses` is a module.
bool reads_losses(const Site &site) {
  return site.memory
      .recall<ReadsLosses>(
          &site.project,
          [&] {
            const auto reads = [](const Node *node) {
              const auto *attribute = as<Attribute>(node);
              if (attribute == nullptr || attribute->attr.text() != "losses") {
                return false;
              }
              const auto *outer = as<Attribute>(attribute->value);
              const auto *name = as<Name>(attribute->value);
              const std::string_view owner = outer != nullptr  ? outer->attr.text()
                                             : name != nullptr ? name->id.text()
                                                               : std::string_view{};
              return owner != "keras" && owner != "optax" && owner != "tf";
            };
            return ReadsLosses{std::ranges::any_of(site.project.modules, [&](const model::Module &module) {
              return std::ranges::any_of(module.parsed->tree.body,
                                         [&](const Stmt *statement) { return any_node_inside(statement, reads); });
            })};
          })
      .holds;
}

// Does Keras compute the loss: `self.compute_loss(…)` of its own?
bool uses_own_loss(const Site &site) {
  return project_has_word(site, {"compiled_loss", "super().compute_loss"}) ||
         (project_has_word(site, {".compute_loss("}) && !project_has_word(site, {"def compute_loss"}));
}

void check(Site &site, const Call &call) {
  const Expr *const sources = argument(call, 1, "sources");
  const Attribute *variables = nullptr;
  const model::FunctionInfo *function = nullptr;
  u32 count = 0;
  if (sources != nullptr && site.function != nullptr && !site.module->is_test) {
    visit_origins(site, *site.function, sources, [&](const Origin &origin) {
      const auto *attribute = as<Attribute>(origin.expr);
      if (origin.parameter_of != nullptr) {
        return Onward::Through;
      }
      variables = attribute;
      function = origin.function;
      ++count;
      return Onward::Stop;
    });
  }
  if (count != 1 || variables == nullptr ||
      (variables->attr.text() != "trainable_variables" && variables->attr.text() != "trainable_weights")) {
    return;
  }
  // Whoever asks a model for its losses, or its weights for their norm, knows of them.
  if (reads_losses(site) || uses_own_loss(site) || project_has_word(site, {"l2_loss", "regularization_loss"})) {
    return;
  }
  Regularized found = layer_of(site, value_of(site_of_origin(site, *function), variables->value));
  if (found.layer == nullptr) { // an entry of a dictionary, a field
    visit_origins(site, *function, variables->value, [&](const Origin &origin) {
      const auto *made = as<Call>(origin.expr);
      if (origin.parameter_of != nullptr || origin.expr->kind == NodeKind::Attribute) {
        return Onward::Through;
      }
      const Value callee = made != nullptr ? site.project.callee_of(made) : Value{};
      if (found.layer == nullptr && callee.is(Value::Tag::Class) && callee.type->kind == Kind::KerasModel) {
        found = regularized_in(site, callee.type->node, callee.type->module);
      }
      return Onward::Stop;
    });
  }
  if (found.layer == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("the regularizers of `{}` have no effect: this loop never adds `{}.losses` to the loss",
                         text_of(site, variables->value), text_of(site, variables->value)),
             fmt::format("add them inside the tape: `loss += tf.add_n({}.losses)`", text_of(site, variables->value)));
  finding.notes.push_back({found.module->file, found.layer->span(), "this layer has one"});
}

} // namespace

extern constinit const Rule kRegularizerIgnored = {
    .info = {.code = "DP917",
             .name = "regularizer-ignored",
             .summary = "a custom training loop that ignores the regularizers of its Keras layers",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tape.gradient(loss, model.trainable_variables)` for a model with layers that have a `kernel_regularizer` or the like, in a project that never
reads `.losses`.

## Why it is wrong

`fit` adds the regularization losses to the loss. A loop with a `GradientTape` has to do that itself. Without it, `l2(1e-4)` is computed
nowhere, and the model trains without regularization.

## Bad

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10, kernel_regularizer="l2")])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def gradients(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    return tape.gradient(loss, model.trainable_variables)
```

## Good

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10, kernel_regularizer="l2")])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def gradients(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True)) + tf.add_n(model.losses)
    return tape.gradient(loss, model.trainable_variables)
```

## When it is wrong

Where the penalty is computed from the weights by hand in a way that the rule does not know.

## References

- Keras guide "Writing a training loop from scratch": low-level handling of losses
)"},
    .calls = "GradientTape.gradient",
    .on_call = check};

} // namespace deepperf::rules::regularizer_ignored
