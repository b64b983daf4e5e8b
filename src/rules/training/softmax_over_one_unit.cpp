#include "rules/assignments.h"
#include "rules/keras.h"

#include <fmt/format.h>

namespace deepperf::rules::softmax_over_one_unit {

using namespace python;

namespace {

using model::Value;

constexpr std::string_view kMessage = "a softmax over one unit is always 1, whatever its input";

// Keras: Dense(1, activation="softmax"); its softmax is over the units.
void check_layer(Site &site, const Call &call, std::string_view api) {
  const LayerInfo layer = layer_of(site, call, api);
  if (layer.activation == Activation::Softmax && layer.units == 1) {
    report(site, call, std::string(kMessage),
           "use a sigmoid for two classes, or a softmax over one unit per class; for attention weights, apply it over "
           "the positions");
  }
}

// `Activation("softmax")`, or `Softmax()` along the last dimension: along another one it gives attention weights.
bool is_softmax_of_units(const Site &site, const Value &layer) {
  if (layer.name().text().ends_with(".Activation")) {
    return true;
  }
  const Expr *axis = argument(*layer.maker(), 0, "axis");
  return layer.name().text().ends_with(".Softmax") &&
         (axis == nullptr || integer_of(site_of(site, *layer.maker()), axis) == -1);
}

// Sequential([…, Dense(1), Activation("softmax")])
void check_sequential(Site &site, const Call &call) {
  const std::vector<Value> layers = layers_of_sequential(
      site, Value::made_by(Kind::KerasModel, &call, canonical_name("tensorflow.keras.Sequential")));
  for (std::size_t i = 1; i < layers.size(); ++i) {
    const Value &layer = layers[i];
    const Value &before = layers[i - 1];
    if (!layer.is_kind(Kind::KerasLayer) || !before.is_kind(Kind::KerasLayer) || layer.maker() == nullptr ||
        before.maker() == nullptr || !layer.name() || !before.name() || !is_softmax_of_units(site, layer) ||
        !before.name().text().ends_with(".Dense")) {
      continue;
    }
    const LayerInfo activation = layer_of(site, *layer.maker(), layer.name().text());
    const LayerInfo dense = layer_of(site, *before.maker(), before.name().text());
    const Site there = site_of(site, *layer.maker());
    if (activation.activation == Activation::Softmax && dense.units == 1 && there.module == site.module) {
      add_note(report(site, *layer.maker(), std::string(kMessage), "use a sigmoid, or one unit per class"), site,
               *before.maker(), "the layer with one unit");
    }
  }
}

// nn.Sequential(…, nn.Linear(n, 1), nn.Softmax(dim=-1)). Along another dimension it may be right.
void check_torch(Site &site, const Call &call) {
  for (u32 i = 1; i < call.args.size(); ++i) {
    const auto *softmax = as<Call>(call.args[i]);
    const auto *linear = as<Call>(call.args[i - 1]);
    if (softmax == nullptr || linear == nullptr || called_api(site, *linear) != "torch.nn.Linear") {
      continue;
    }
    const std::string_view api = called_api(site, *softmax);
    if ((api == "torch.nn.Softmax" || api == "torch.nn.LogSoftmax") &&
        integer_of(site, argument(*softmax, 0, "dim")) == -1 &&
        integer_of(site, argument(*linear, 1, "out_features")) == 1) {
      add_note(report(site, *softmax, std::string(kMessage), "use `nn.Sigmoid`, or one unit per class"), site, *linear,
               "the layer with one unit");
    }
  }
}

// The layer with one output that gave the value: nn.Linear(n, 1), or the last layer of an nn.Sequential; null if it is
// something else.
const Call *one_unit(const Site &site, const Call &layer, std::string_view api) {
  if (api == "torch.nn.Linear") {
    const Expr *const size = argument(layer, 1, "out_features");
    return size != nullptr && integer_of(site, size) == 1 ? &layer : nullptr;
  }
  const auto *last = api == "torch.nn.Sequential" && !layer.args.empty() ? as<Call>(layer.args.back()) : nullptr;
  return last != nullptr ? one_unit(site, *last, called_api(site, *last)) : nullptr;
}

// torch.softmax(self.score(x), dim=-1), where the layer has one output.
void check_function(Site &site, const Call &call) {
  const bool is_method = called_api(site, call).empty();
  const Expr *const input = is_method ? receiver_of(call) : argument(call, 0, "input");
  const Expr *const dim = argument(call, is_method ? 0 : 1, "dim");
  if (input == nullptr || dim == nullptr || integer_of(site, dim) != -1) {
    return;
  }
  const auto *made = as<Call>(written_value(site, input));
  std::string_view api;
  const Call *const maker = made != nullptr ? maker_of_callee(site, *made, &api) : nullptr;
  const Call *const layer = maker != nullptr ? one_unit(site_of(site, *maker), *maker, api) : nullptr;
  if (layer == nullptr) {
    return;
  }
  Finding &finding = report(site, call, std::string(kMessage),
                            "for attention weights, apply it over the positions (`dim=1`); for two classes, use a "
                            "sigmoid");
  finding.notes.push_back({site_of(site, *layer).module->file, layer->span(), "the layer with one unit"});
}

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (called_name(call) == "softmax" || called_name(call) == "log_softmax") {
    check_function(site, call);
    return;
  }
  if (api == "torch.nn.Sequential") {
    check_torch(site, call);
  } else if (api.ends_with("Sequential")) {
    check_sequential(site, call);
  } else {
    check_layer(site, call, api);
  }
}

} // namespace

extern constinit const Rule kSoftmaxOverOneUnit = {
    .info = {.code = "DP821",
             .name = "softmax-over-one-unit",
             .summary = "a softmax over a single unit, which is always 1",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras, PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Keras layer of one unit with a softmax (`Dense(1, activation="softmax")`), one followed by `Activation("softmax")`, or
`nn.Linear(n, 1)` followed by `nn.Softmax(dim=-1)`.

## Why it is wrong

A softmax makes its inputs sum to 1. For one input the result is always 1, with a gradient of 0: the model predicts the same class for
everything and never learns. In an attention layer it gives every position the weight 1.

## Bad

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1, activation="softmax")])
```

## Good

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1, activation="sigmoid")])
```

## When it is wrong

Never, for what it reports: a softmax along another dimension is not reported.

## References

- Keras documentation of activations: softmax is over the last axis
)"},
    .calls = "torch.softmax torch.log_softmax torch.nn.functional.softmax torch.nn.functional.log_softmax "
             "TorchTensor.softmax TorchTensor.log_softmax "
             "tensorflow.keras.layers.Dense tensorflow.keras.layers.Conv1D tensorflow.keras.layers.Conv2D "
             "tensorflow.keras.layers.Conv3D tensorflow.layers.dense tensorflow.keras.Sequential "
             "tensorflow.keras.models.Sequential torch.nn.Sequential",
    .on_call = check};

} // namespace deepperf::rules::softmax_over_one_unit
