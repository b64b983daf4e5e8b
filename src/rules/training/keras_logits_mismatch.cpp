#include "rules/keras.h"
#include "rules/tables.h"

#include <fmt/format.h>

namespace deepperf::rules::keras_logits_mismatch {

using namespace python;
using model::Value;

namespace {

using Family = LossInfo::Family;

std::string_view name_of_activation(Activation activation) {
  return activation == Activation::Softmax ? "softmax" : "sigmoid";
}

// `ending` is what the loss gets; `place` is where it is given the loss.
void lint(Site &site, const Node &place, const LossInfo &loss, const LayerInfo &ending) {
  if (ending.call == nullptr || !loss.from_logits.has_value()) {
    return;
  }
  const bool gives_probabilities = ending.activation == Activation::Softmax || ending.activation == Activation::Sigmoid;
  const Site there = site_of(site, *ending.call);
  Finding *finding = nullptr;
  if (*loss.from_logits && gives_probabilities) {
    const std::string_view activation = name_of_activation(ending.activation);
    finding = &report(
        site, place, fmt::format("this loss expects logits, but the predictions already went through a {}", activation),
        fmt::format("remove the {} of the last layer, or remove `from_logits=True`", activation));
  } else if (!*loss.from_logits && ending.activation == Activation::Linear) {
    finding = &report(site, place, "this loss expects probabilities, but the last layer has no activation",
                      "pass a loss object with `from_logits=True`, or add a softmax or sigmoid to the last layer");
  } else {
    return;
  }
  finding->notes.push_back({there.module->file, ending.call->span(), "the predictions come from here"});
  if (there.module->is_test && finding->tier == Tier::On) {
    finding->tier = Tier::Hint;
  }
}

bool is_cross_entropy(const LossInfo &loss) {
  return loss.family == Family::Binary || loss.family == Family::Categorical || loss.family == Family::Sparse ||
         loss.family == Family::Several;
}

// What a model ends in that a function from a table makes: `MODELS[name](settings)`. Nothing if they end differently.
LayerInfo ending_of_chosen(const Site &site, const Call &compile) {
  const Expr *model = receiver_of(compile);
  LayerInfo ending;
  for (const model::Argument::Given &given :
       model != nullptr ? model::written_as(scope_of(site), model) : std::vector<model::Argument::Given>{}) {
    const auto *made = as<Call>(given.expr);
    const std::vector<const model::FunctionInfo *> makers =
        made != nullptr ? functions_chosen_by(site.project, given.scope, made->func)
                        : std::vector<const model::FunctionInfo *>{};
    for (const model::FunctionInfo *maker : makers) {
      const LayerInfo one = ending_of(site, maker->returns);
      if (one.call == nullptr || (ending.call != nullptr && one.activation != ending.activation)) {
        return {};
      }
      ending = ending.call == nullptr ? one : ending;
    }
    if (makers.empty()) {
      return {};
    }
  }
  return ending;
}

void check_compile(Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  const bool is_model = callee.is(Value::Tag::ApiMethod) && callee.receiver().is_kind(Kind::KerasModel);
  if (!is_model && (!site.module->tensorflow || keyword_argument(call, "loss") == nullptr)) {
    return;
  }
  const Node *place = &call;
  const LossInfo loss = compiled_loss(site, call, &place);
  if (is_cross_entropy(loss)) {
    const LayerInfo ending = ending_of(site, model_of(site, call));
    lint(site, *place, loss, ending.call != nullptr ? ending : ending_of_chosen(site, call));
  }
}

void check_call(Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  const bool is_loss = callee.is_kind(Kind::KerasLoss);
  const ApiInfo *info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
  if (!is_loss && (info == nullptr || !info->has(kLoss))) {
    return;
  }
  const LossInfo loss = called_loss(site, call);
  if (!is_cross_entropy(loss)) {
    return;
  }
  lint(site, call, loss, ending_of(site, argument_value(site, predictions_of(call))));
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (site.module->tensorflow && call.fact != 0) {
    check_call(site, call);
  }
}

} // namespace

extern constinit const Rule kKerasLogitsMismatch = {
    .info = {.code = "DP820",
             .name = "keras-logits-mismatch",
             .summary = "a loss that expects logits gets probabilities, or the other way around",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Keras model whose last layer has a softmax or sigmoid, trained with a cross-entropy that has `from_logits=True` or with one of
TensorFlow's `…_with_logits` functions, which always expect logits; and a last layer without activation, trained with a cross-entropy that
expects probabilities, as the strings `"binary_crossentropy"`, `"categorical_crossentropy"` and `"sparse_categorical_crossentropy"` do.

## Why it is wrong

A softmax that is applied twice flattens the gradient: training is slow and stops early, without any error. In the other case the logarithm
is taken of values that are not probabilities, clipped to the range from 0 to 1, and the model learns little or nothing.

## Bad

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
```

## Good

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
model.compile(optimizer="adam", loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
```

## When it is wrong

With `from_logits=True`, tf.keras and Keras 3 on the TensorFlow backend can recognize a softmax or sigmoid before the loss; they warn and
use its input instead. The other backends of Keras 3 and TensorFlow's own functions do not.

## References

- Keras documentation of `SparseCategoricalCrossentropy`: `from_logits`
- NeuraLint's rules on the last activation and the loss
)"},
    .calls = "*.compile",
    .on_call = check_compile,
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::keras_logits_mismatch
