#include "rules/keras.h"

#include <fmt/format.h>

namespace deepperf::rules::loss_output_mismatch {

using namespace python;

namespace {

using Family = LossInfo::Family;
using model::Value;

void check_compile(Site &site, const Call &call) {
  const Node *place = &call;
  const LossInfo loss = compiled_loss(site, call, &place);
  if (loss.family == Family::Unknown || loss.family == Family::Other) {
    return;
  }
  const LayerInfo ending = ending_of(site, model_of(site, call));
  if (ending.call == nullptr || !ending.units.has_value()) {
    return;
  }
  std::string message;
  std::string advice;
  if (loss.family == Family::Binary && ending.activation == Activation::Softmax && *ending.units > 2) {
    message = fmt::format(
        "binary cross-entropy treats the {} softmax classes as independent, and Keras then reports binary accuracy",
        *ending.units);
    advice = "use `categorical_crossentropy`, or a sigmoid if several labels can be true at once";
  } else if (loss.family == Family::Categorical && *ending.units == 1) {
    message = "categorical cross-entropy over one unit is 0 whatever the model predicts";
    advice = "use `binary_crossentropy` with a sigmoid, or one unit per class";
  } else if (loss.family == Family::Sparse && *ending.units == 1) {
    message = "sparse categorical cross-entropy over one unit knows only class 0";
    advice = "use `binary_crossentropy` with a sigmoid, or one unit per class";
  } else {
    return;
  }
  const Site there = site_of(site, *ending.call);
  Finding &finding = report(site, *place, std::move(message), std::move(advice));
  finding.notes.push_back({there.module->file, ending.call->span(), "the last layer"});
}

// fit(x, to_categorical(y)) with a loss for class numbers, and the other way round.
void check_fit(Site &site, const Call &call) {
  const Value model = model_of(site, call);
  if (!model.is(Value::Tag::Instance)) {
    return;
  }
  const auto compiled = site.project.compiled_models.find(model.maker());
  if (compiled == site.project.compiled_models.end() || compiled->second == nullptr) {
    return;
  }
  const Expr *labels = argument(call, 1, "y");
  const Value value = argument_value(site, labels);
  if (!value.is(Value::Tag::Instance) || !value.name() || value.maker() == nullptr) {
    return;
  }
  const std::string_view maker = value.name().text();
  const bool one_hot = maker == "tensorflow.keras.utils.to_categorical";
  const bool numbers = maker.starts_with("tensorflow.keras.datasets.") && maker.ends_with(".load_data");
  if (!one_hot && !numbers) {
    return;
  }
  const LossInfo loss = compiled_loss(site_of(site, *compiled->second), *compiled->second);
  const bool wrong = one_hot ? loss.family == Family::Sparse : loss.family == Family::Categorical;
  if (!wrong) {
    return;
  }
  const Site there = site_of(site, *compiled->second);
  Finding &finding = one_hot
                         ? report(site, *labels, "these labels are one-hot, but the loss expects class indices",
                                  "use `categorical_crossentropy`, or remove `to_categorical`")
                         : report(site, *labels, "these labels are class indices, but the loss expects one-hot vectors",
                                  "use `sparse_categorical_crossentropy`, or apply `to_categorical` to the labels");
  finding.notes.push_back({there.module->file, compiled->second->span(), "the loss is set here"});
}

void check(Site &site, const Call &call) {
  if (called_method(call) == "compile") {
    check_compile(site, call);
  } else {
    check_fit(site, call);
  }
}

} // namespace

extern constinit const Rule kLossOutputMismatch = {
    .info = {.code = "DP822",
             .name = "loss-output-mismatch",
             .summary = "a Keras loss that does not match the last layer or the labels",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

- `categorical_crossentropy` or `sparse_categorical_crossentropy` on a model that ends in one unit;
- `binary_crossentropy` on a softmax over more than two classes;
- labels from `to_categorical` with the sparse loss, or the class indices of `keras.datasets` with the non-sparse one.

## Why it is wrong

Over one class, categorical cross-entropy is 0 or constant and nothing is learned. Binary cross-entropy treats each class of a softmax as a
separate yes-or-no question; `metrics=["accuracy"]` then reports how many of these answers are right, which looks good from the start.
Labels in the wrong form fail at the first batch or, where the shapes happen to match, train the wrong thing.

## Bad

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
model.compile(optimizer="adam", loss="categorical_crossentropy")
```

## Good

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
model.compile(optimizer="adam", loss="binary_crossentropy")
```

## When it is wrong

Where binary cross-entropy over a softmax is intended, for instance for soft labels. Two classes are not reported, because both losses are
then equivalent.

## References

- Keras documentation of probabilistic losses
- NeuraLint's rule on the loss and the last activation
)"},
    .calls = "KerasModel.compile KerasModel.fit",
    .on_call = check};

} // namespace deepperf::rules::loss_output_mismatch
