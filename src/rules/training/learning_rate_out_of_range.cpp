#include "rules/reach.h"

#include <fmt/format.h>

namespace deepperf::rules::learning_rate_out_of_range {

using namespace python;

namespace {

// What is far from what anybody uses, not what is unusual.
struct Range {
  std::string_view optimizer;
  double least;
  double most;
};
constexpr Range kRanges[] = {
    {"Adam", 1e-8, 0.5},   {"AdamW", 1e-8, 0.5}, {"NAdam", 1e-8, 0.5},  {"Nadam", 1e-8, 0.5}, {"RAdam", 1e-8, 0.5},
    {"Adamax", 1e-8, 0.5}, {"RMSprop", 1e-8, 1}, {"Adagrad", 1e-7, 10}, {"SGD", 1e-9, 100},
};

void check(Site &site, const Call &call) {
  if (site.module->is_test) {
    return; // a rate of 1 makes numbers that can be checked by hand
  }
  const std::string_view api = called_api(site, call);
  const bool is_torch = api.starts_with("torch.");
  const std::string_view optimizer = api.substr(api.rfind('.') + 1);
  const Expr *rate = is_torch ? argument(call, 1, "lr") : argument(call, 0, "learning_rate");
  if (rate == nullptr && !is_torch) {
    rate = argument(call, 0, "lr");
  }
  const Node *place = rate;
  std::optional<double> value = number_of(site, rate);
  if (rate == nullptr && has_hidden_arguments(call)) { // Adam(**options)
    const model::Argument given = argument_of(site, call, is_torch ? 1 : 0, is_torch ? "lr" : "learning_rate");
    const std::optional<model::ConstantValue> setting = setting_of(site, given, model::ConstantValue::none());
    value = setting.has_value() && !setting->overridable ? setting->as_number() : std::nullopt;
    place = &call;
  }
  if (!value.has_value() || *value == 0) { // 0 is for a schedule to change
    return;
  }
  if (function_has_word(site, {"LambdaLR", "OneCycleLR", "scheduler", "schedule"})) {
    return; // which may multiply it
  }
  // Single tensors, such as an image that is optimised, take other rates than the weights of a network.
  if (is_torch && (call.args.empty() || text_of(site, call.args[0]).find("parameters()") == std::string_view::npos)) {
    return;
  }
  for (const Range &range : kRanges) {
    if (range.optimizer != optimizer || (*value >= range.least && *value <= range.most)) {
      continue;
    }
    const bool is_high = *value > range.most;
    report(site, *place,
           fmt::format("a learning rate of {} for `{}` is {}", *value, optimizer,
                       *value < 0 ? "negative"
                       : is_high  ? "so high that training is likely to diverge"
                                  : "so low that almost nothing is learned"),
           optimizer == "SGD" ? "use a value from 0.001 to 1" : "use a value from 0.00001 to 0.01");
    return;
  }
}

} // namespace

extern constinit const Rule kLearningRateOutOfRange = {
    .info = {.code = "DP811",
             .name = "learning-rate-out-of-range",
             .summary = "a learning rate far outside the usual range of its optimizer",
             .root_cause = "Model: Improper Hyper Parameter",
             .symptoms = "Wrong Result, Slow Convergence, Not a Number",
             .stage = "Hyper Parameter Tuning",
             .frameworks = "PyTorch, TensorFlow, Keras",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A learning rate, written as a number, that is far outside the usual range of its optimizer: above 0.5 for Adam and its variants, above 1 for
RMSprop, above 100 for SGD, or below about 1e-8 for any.

## Why it costs

Adam changes every weight by about the learning rate in each step, whatever the size of the gradient. A rate of 1 replaces the weights
within a few steps; a rate of 1e-9 hardly changes them.

## Bad

```python
import torch

model = torch.nn.Linear(3, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=1.0)
```

## Good

```python
import torch

model = torch.nn.Linear(3, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
```

## When it is wrong

Where a schedule multiplies the rate by a small factor in every step, as the original Transformer schedule does with a rate of 1. Optimizers
over single tensors are not reported.

## References

- Defaults: Adam 0.001 in Keras and PyTorch; SGD 0.01 in Keras, 0.001 in PyTorch 2
- NeuraLint and UMLAUT: learning rate out of range
)"},
    .calls =
        "torch.optim.Adam torch.optim.AdamW torch.optim.NAdam torch.optim.RAdam torch.optim.Adamax torch.optim.RMSprop "
        "torch.optim.Adagrad torch.optim.SGD tensorflow.keras.optimizers.Adam tensorflow.keras.optimizers.AdamW "
        "tensorflow.keras.optimizers.Nadam tensorflow.keras.optimizers.Adamax tensorflow.keras.optimizers.RMSprop "
        "tensorflow.keras.optimizers.Adagrad tensorflow.keras.optimizers.SGD",
    .on_call = check};

} // namespace deepperf::rules::learning_rate_out_of_range
