#include "base/name_table.h"
#include "rules/site.h"
#include "rules/tree.h"
#include <fmt/format.h>

namespace deepperf::rules::loss_arguments_swapped {

using namespace python;

namespace {

using model::Value;

// What a model gives: `model(x, training=True)`, `self(x)`, also under a name.
bool is_prediction(const Site &site, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    const Expr *made = last_assigned(site, *name);
    return made != nullptr && made->kind == NodeKind::Call && is_prediction(site, made);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const Value callee = site.project.callee_of(call);
  const bool is_model =
      callee.is_kind(Kind::KerasModel) || (callee.is(Value::Tag::Object) && callee.type->kind == Kind::KerasModel);
  const bool is_plain = call->func->kind == NodeKind::Name || call->func->kind == NodeKind::Attribute;
  return is_model || (called_method(*call) == "predict" && model::kind_of(receiver_of(*call)) == Kind::KerasModel) ||
         (is_plain && keyword_argument(*call, "training") != nullptr && called_api(site, *call).empty());
}

// Labels: a name that no model gave, and that nothing was computed for.
bool is_given(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  if (name == nullptr || site.function == nullptr) {
    return false;
  }
  for (const Param *param : site.function->params) {
    if (param->name == name->id) {
      return last_assigned(site, *name) == nullptr;
    }
  }
  for (const Node *node : site.ancestors) {
    const auto *loop = as<For>(node);
    if (loop != nullptr && mentions(loop->target, name->id)) {
      return last_assigned(site, *name) == nullptr;
    }
  }
  const Expr *made = last_assigned(site, *name);
  const auto *data = as<Name>(made); // x, y = data
  return data != nullptr;
}

bool is_symmetric(std::string_view api) {
  static const NameTable kNames({"MeanSquaredError", "MeanAbsoluteError", "Huber", "LogCosh", "CosineSimilarity",
                                 "RootMeanSquaredError", "Mean", "Sum", "mean_squared_error", "mean_absolute_error",
                                 "mse", "mae", "huber", "cosine_similarity", "Accuracy", "log_cosh"});
  return kNames.has(intern(api.substr(api.rfind('.') + 1)));
}

void check(Site &site, const Call &call) {
  if (call.args.size() < 2 || !call.keywords.empty() || site.module->is_test) {
    return;
  }
  std::string_view api = called_api(site, call);
  if (api.empty()) {
    const Call *maker = called_method(call) == "update_state" ? nullptr : maker_of_callee(site, call, &api);
    if (called_method(call) == "update_state") {
      const Value metric = value_of(site, receiver_of(call));
      api = metric.is_kind(Kind::KerasMetric) && metric.maker() != nullptr ? called_api(site, *metric.maker())
                                                                           : std::string_view{};
    } else if (maker == nullptr) {
      return;
    }
  }
  if (api.empty() || is_symmetric(api) || !is_prediction(site, call.args[0]) || is_prediction(site, call.args[1]) ||
      !is_given(site, call.args[1])) {
    return;
  }
  report(site, call,
         fmt::format("Keras takes the labels first, so `{}` are treated as labels and `{}` as predictions",
                     text_of(site, call.args[0]), text_of(site, call.args[1])),
         fmt::format("swap them: `{}({}, {})`", text_of(site, call.func), text_of(site, call.args[1]),
                     text_of(site, call.args[0])));
}

} // namespace

extern constinit const Rule kLossArgumentsSwapped = {
    .info = {.code = "DP951",
             .name = "loss-arguments-swapped",
             .summary = "a Keras loss or metric that gets the predictions first and the labels second",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loss or metric of Keras that is called with the output of a model first and with labels second: `loss(predictions, labels)`.

## Why it is wrong

Keras and PyTorch have opposite orders: Keras takes `(y_true, y_pred)`. A cross-entropy of swapped arguments takes the logarithm of the labels, has no
useful gradient, and raises no error where the shapes fit.

## Bad

```python
import tensorflow as tf

cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)

def loss_of(model, x, y):
    logits = model(x, training=True)
    return cross_entropy(logits, y)
```

## Good

```python
import tensorflow as tf

cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)

def loss_of(model, x, y):
    logits = model(x, training=True)
    return cross_entropy(y, logits)
```

## When it is wrong

Where the second argument is computed by a model that the rule does not see. Symmetric losses are not reported.

## References

- Keras documentation of `keras.losses.Loss`
)"},
    .calls = "KerasLoss.__call__ KerasMetric.__call__ KerasMetric.update_state",
    .on_call = check};

} // namespace deepperf::rules::loss_arguments_swapped
