#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::cudnn_disabling_rnn {

using namespace python;

namespace {

// The option that keeps Keras from the fused kernel, as it is written; empty if there is none.
std::string_view disabling_option(const Site &site, const Call &call, bool is_gru) {
  using model::ConstantValue;
  const auto given = [&](std::string_view name) { return argument_of(site, call, ~0U, name); };
  const auto other_activation = [&](std::string_view name, std::string_view fused) {
    const model::Argument argument = given(name);
    if (const std::optional<ConstantValue> known = setting_of(site, argument, ConstantValue::of(std::string(fused)))) {
      return known->is_none() || (known->as_string().has_value() && known->text != fused);
    }
    if (argument.unknown || argument.given.size() != 1) {
      return false;
    }
    const model::Value known = model::value_of(argument.given[0].scope, argument.given[0].expr);
    return known.is(model::Value::Tag::Api) && !known.name().text().ends_with(fused);
  };
  const auto flag = [&](std::string_view name, bool otherwise) {
    const std::optional<ConstantValue> known = setting_of(site, given(name), ConstantValue::of(otherwise));
    return known.has_value() ? known->as_bool().value_or(otherwise) : otherwise;
  };
  const std::optional<ConstantValue> dropout = setting_of(site, given("recurrent_dropout"), ConstantValue::of(0.0));
  if (dropout.has_value() && dropout->as_number().value_or(0) > 0) {
    return "recurrent_dropout";
  }
  if (other_activation("activation", "tanh")) {
    return "activation";
  }
  if (other_activation("recurrent_activation", "sigmoid")) {
    return "recurrent_activation";
  }
  if (flag("unroll", false)) {
    return "unroll";
  }
  if (!flag("use_bias", true)) {
    return "use_bias";
  }
  if (is_gru && !flag("reset_after", true)) {
    return "reset_after";
  }
  return {};
}

bool is_cell(std::string_view api) {
  return api == "tensorflow.keras.layers.LSTMCell" || api == "tensorflow.keras.layers.GRUCell";
}

// Behind `if use_cudnn:` both ways are written down, and one of them on purpose.
bool chooses_kernel(const Site &site) {
  const auto *branch = static_cast<const If *>(enclosing(site, NodeKind::If));
  const std::string_view test = branch != nullptr ? text_of(site, branch->test) : std::string_view{};
  return test.find("cudnn") != std::string_view::npos || test.find("CuDNN") != std::string_view::npos;
}

void check(Site &site, const Call &call) {
  if (site.module->v1 || chooses_kernel(site)) {
    return; // before TensorFlow 2 these layers had no fused kernel
  }
  const std::string_view api = called_api(site, call);
  if (api == "tensorflow.keras.layers.RNN") {
    const auto *cell = as<Call>(argument(call, 0, "cell"));
    const std::string_view made = cell != nullptr ? called_api(site, *cell) : std::string_view{};
    if (!is_cell(made)) {
      return;
    }
    const std::string_view layer = made.ends_with("LSTMCell") ? "LSTM" : "GRU";
    if (!disabling_option(site, *cell, layer == "GRU").empty()) {
      return; // an option that only the cell allows to be combined: meant so
    }
    Finding &cells = report(
        site, call,
        fmt::format("`RNN({}Cell(…))` runs one time step after another and never uses the fused cuDNN kernel", layer),
        fmt::format("use the `{}` layer, which does the same computation in one kernel", layer));
    cells.tier = Tier::Hint;
    return;
  }
  const bool is_gru = api.ends_with("GRU");
  const std::string_view option = disabling_option(site, call, is_gru);
  if (option.empty()) {
    return;
  }
  const Keyword *keyword = keyword_argument(call, option);
  const Node &place = keyword != nullptr ? static_cast<const Node &>(*keyword) : call;
  Finding &finding =
      report(site, place,
             fmt::format("`{}` disables the fused cuDNN kernel, so this `{}` runs one time step after another on a GPU",
                         keyword != nullptr ? text_of(site, keyword) : option, is_gru ? "GRU" : "LSTM"),
             option == "recurrent_dropout" ? "use a `Dropout` layer before or after this layer if that is good enough"
                                           : fmt::format("leave `{}` at its default if that is good enough", option));
  // Keras itself warns of these; the others are mostly there to be compatible with something.
  const bool is_usual = option == "recurrent_dropout" || option.ends_with("activation");
  finding.tier = is_usual ? finding.tier : Tier::Hint;
}

} // namespace

extern constinit const Rule kCudnnDisablingRnn = {
    .info = {.code = "DP213",
             .name = "cudnn-disabling-rnn",
             .summary = "an LSTM or GRU option that disables the fused cuDNN kernel",
             .root_cause = "Model: Improper Model Parameter",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Keras `LSTM` or `GRU` with `recurrent_dropout` above 0, an `activation` other than `tanh`, a `recurrent_activation` other than `sigmoid`,
`unroll=True`, `use_bias=False` or, for a GRU, `reset_after=False`; and `RNN(LSTMCell(…))` or `RNN(GRUCell(…))`. Options in a dictionary that
is written down count too. Recurrent dropout and other activations are reported by default, the rest are hints.

## Why it costs

These layers call cuDNN's kernel for the whole sequence only with the default values. Otherwise each time step launches several small
kernels from a loop, and a GPU spends its time on launches. With the TensorFlow backend some releases of Keras 3 also require `dropout=0`; a
separate `Dropout` layer works in all versions.

## Bad

```python
import tensorflow as tf

layer = tf.keras.layers.LSTM(128, recurrent_dropout=0.2)
```

## Good

```python
import tensorflow as tf

layer = tf.keras.layers.LSTM(128, dropout=0.2)
```

## When it is wrong

There is no fused kernel on a CPU. Where recurrent dropout or another activation is part of the method, suppress the rule for that line. In
TensorFlow 1 these names never use the fused kernel, so its modules are not reported.

## References

- Keras documentation of `LSTM` and `GRU`: requirements of the cuDNN implementation
)"},
    .calls = "tensorflow.keras.layers.LSTM tensorflow.keras.layers.GRU tensorflow.keras.layers.RNN",
    .on_call = check};

} // namespace deepperf::rules::cudnn_disabling_rnn
