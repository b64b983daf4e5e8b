#include "rules/keras.h"
#include "rules/tree.h"
#include <fmt/format.h>

namespace deepperf::rules::accuracy_of_regression {

using namespace python;

namespace {

bool is_regression(std::string_view loss) {
  return loss == "mse" || loss == "mae" || loss == "mean_squared_error" || loss == "mean_absolute_error" ||
         loss == "MSE" || loss == "MAE" || loss == "huber" || loss == "huber_loss" || loss == "log_cosh" ||
         loss == "logcosh" || loss == "mape" || loss == "mean_absolute_percentage_error";
}

void check(Site &site, const Call &call) {
  const Expr *loss = argument(call, 1, "loss");
  const Expr *metrics = argument(call, 2, "metrics");
  const auto *list = as<List>(metrics);
  const std::optional<std::string> name = loss != nullptr ? string_of(site, loss) : std::nullopt;
  if (!name.has_value() || !is_regression(*name) || list == nullptr || site.module->is_test) {
    return;
  }
  const LayerInfo ending = ending_of(site, model_of(site, call));
  if (ending.call == nullptr || ending.activation != Activation::Linear || ending.units.value_or(0) != 1) {
    return;
  }
  for (const Expr *metric : list->elts) {
    const std::optional<std::string> text = string_of(site, metric);
    if (text == "accuracy" || text == "acc") {
      Finding &finding =
          report(site, *metric,
                 "accuracy counts predictions that equal the target exactly, which says nothing about a regression",
                 "use `\"mae\"` or `keras.metrics.RootMeanSquaredError()`");
      finding.notes.push_back({site.module->file, loss->span(), "the loss of a regression"});
      return;
    }
  }
}

} // namespace

extern constinit const Rule kAccuracyOfRegression = {.info = {.code = "DP962",
                                                              .name = "accuracy-of-regression",
                                                              .summary = "accuracy as a metric of a regression",
                                                              .root_cause = "Training: Wrong Loss",
                                                              .symptoms = "Wrong Result",
                                                              .stage = "Model Evaluation",
                                                              .frameworks = "Keras, TensorFlow",
                                                              .severity = Severity::Advice,
                                                              .tier = Tier::On,
                                                              .documentation = R"(## What it finds

`compile()` with a regression loss, a model that ends in one linear unit, and `"accuracy"` among the metrics.

## Why it is wrong

For such a model Keras counts how often the prediction equals the target to the last bit. The number is close to 0 whatever the model has learned, and
rises only where targets are integers that are hit by accident.

## Bad

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse", metrics=["accuracy"])
```

## Good

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse", metrics=["mae"])
```

## When it is wrong

No false positives are known.

## References

- Keras documentation of `keras.metrics.Accuracy`
)"},
                                                     .calls = "KerasModel.compile",
                                                     .on_call = check};

} // namespace deepperf::rules::accuracy_of_regression
