#include "rules/keras.h"

#include <fmt/format.h>

namespace deepperf::rules::constant_kernel {

using namespace python;

namespace {

// "zeros", Zeros(), tf.zeros_initializer(): weights that are all the same. Empty: others, or not known.
std::string_view constant_initializer(const Site &site, const Expr *expr) {
  if (const std::optional<std::string> name = string_of(site, expr)) {
    return *name == "zeros" || *name == "zero" || *name == "Zeros" ? "zeros"
           : *name == "ones" || *name == "one" || *name == "Ones"  ? "ones"
                                                                   : "";
  }
  const auto *call = as<Call>(expr);
  const model::Value value = call != nullptr ? site.project.callee_of(call) : value_of(site, expr);
  const std::string_view api = value.is(model::Value::Tag::Api) ? value.name().text() : std::string_view{};
  if (!api.starts_with("tensorflow.")) {
    return "";
  }
  if (api.ends_with(".Zeros") || api.ends_with(".zeros_initializer")) {
    return "zeros";
  }
  if (api.ends_with(".Ones") || api.ends_with(".ones_initializer")) {
    return "ones";
  }
  return call != nullptr && (api.ends_with(".Constant") || api.ends_with(".constant_initializer")) &&
                 number_of(site, argument(*call, 0, "value")).has_value()
             ? "constants"
             : "";
}

void check(Site &site, const Call &call) {
  const Keyword *given = keyword_argument(call, "kernel_initializer");
  if (given == nullptr || has_hidden_arguments(call)) {
    return;
  }
  const std::string_view constant = constant_initializer(site, given->value);
  if (constant.empty()) {
    return;
  }
  // A last layer may start with equal weights: its inputs tell its units apart. One with a non-linearity after it is a
  // hidden one.
  const LayerInfo layer = layer_of(site, call, called_api(site, call));
  if (layer.activation != Activation::Other || layer.units == 1 || keyword_argument(call, "weights") != nullptr) {
    return;
  }
  const std::string_view unit = layer.api.find("Conv") != std::string_view::npos ? "filters" : "units";
  report(site, *given,
         fmt::format(
             "all {} of this layer start with the same weights ({}), so they get the same gradient and stay identical",
             unit, constant),
         "omit `kernel_initializer`, or use `he_normal` or `glorot_uniform`");
}

} // namespace

extern constinit const Rule kConstantKernel = {
    .info = {.code = "DP824",
             .name = "constant-kernel",
             .summary = "a hidden Keras layer whose weights all start with the same value",
             .root_cause = "Training: Wrong Initialization",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

A Dense or convolutional layer with the activation of a hidden layer whose `kernel_initializer` creates zeros, ones or another constant.

## Why it is wrong

Units that start identical and see the same inputs get the same gradient and stay identical: a layer of 256 units computes no more than one
unit. With zeros and a ReLU there is no gradient at all.

## Bad

```python
from tensorflow import keras

layer = keras.layers.Dense(256, activation="relu", kernel_initializer="zeros")
```

## Good

```python
from tensorflow import keras

layer = keras.layers.Dense(256, activation="relu", kernel_initializer="he_normal")
```

## When it is wrong

Where the weights are loaded or set before training. Layers without activation, or with a softmax or sigmoid, are not reported: zeros are a
common choice for the last layer and for the end of a residual branch.

## References

- NeuraLint's rule on constant initialization
- Keras documentation of initializers
)"},
    .calls = "tensorflow.keras.layers.Dense tensorflow.keras.layers.Conv1D tensorflow.keras.layers.Conv2D "
             "tensorflow.keras.layers.Conv3D tensorflow.keras.layers.Conv2DTranspose "
             "tensorflow.keras.layers.SeparableConv2D tensorflow.layers.dense tensorflow.layers.conv2d",
    .on_call = check};

} // namespace deepperf::rules::constant_kernel
