#include "rules/keras.h"
#include "rules/origins.h"

#include <fmt/format.h>

namespace deepperf::rules::metric_of_logits {

using namespace python;

namespace {

// What a metric of Keras does with predictions, if it takes them for probabilities; empty if it does not.
std::string_view misread_by(const Site &there, const Call &metric) {
  const std::string_view api = called_api(there, metric);
  if (api == "tensorflow.keras.metrics.BinaryAccuracy") {
    return keyword_argument(metric, "threshold") == nullptr && metric.args.size() < 3 ? "compares them with 0.5" : "";
  }
  if (api == "tensorflow.keras.metrics.Precision" || api == "tensorflow.keras.metrics.Recall") {
    return keyword_argument(metric, "thresholds") == nullptr && metric.args.empty() ? "compares them with 0.5" : "";
  }
  if (api == "tensorflow.keras.metrics.AUC") {
    return keyword_argument(metric, "from_logits") == nullptr ? "takes thresholds between 0 and 1" : "";
  }
  return "";
}

void check(Site &site, const Call &call) {
  const Keyword *metrics = keyword_argument(call, "metrics");
  if (metrics == nullptr || site.module->is_test || site.function == nullptr || has_hidden_arguments(call)) {
    return;
  }
  const LossInfo loss = compiled_loss(site, call);
  if (loss.family != LossInfo::Family::Binary || loss.from_logits != std::optional<bool>(true)) {
    return;
  }
  bool is_reported = false;
  visit_origins(site, *site.function, metrics->value,
                [&](const Origin &origin) {
                  const Site there = site_of_origin(site, *origin.function);
                  const auto *metric = as<Call>(origin.expr);
                  const std::optional<std::string> name =
                      metric == nullptr ? string_of(there, origin.expr) : std::nullopt;
                  const bool is_named = name == std::optional<std::string>("accuracy") ||
                                        name == std::optional<std::string>("acc") ||
                                        name == std::optional<std::string>("binary_accuracy");
                  const std::string_view why = is_named            ? "compares them with 0.5"
                                               : metric != nullptr ? misread_by(there, *metric)
                                                                   : std::string_view{};
                  if (!why.empty() && !is_reported) {
                    is_reported = true;
                    Site place = there;
                    Finding &finding =
                        report(place, *origin.expr,
                               fmt::format("this metric receives logits and {}, as if they were probabilities", why),
                               "end the model with a sigmoid and use `from_logits=False`, or configure the metric: "
                               "`threshold=0.0` for accuracy, `from_logits=True` for `AUC`");
                    add_note(finding, site, call, "the loss takes logits here");
                  }
                  return Onward::Stop;
                },
                {.path = {OriginPart{}}});
}

} // namespace

extern constinit const Rule kMetricOfLogits = {.info = {.code = "DP972",
                                                        .name = "metric-of-logits",
                                                        .summary = "a Keras metric that treats logits as probabilities",
                                                        .root_cause = "Training: Wrong Evaluation",
                                                        .symptoms = "Wrong Result",
                                                        .stage = "Evaluation",
                                                        .frameworks = "TensorFlow, Keras",
                                                        .severity = Severity::Error,
                                                        .tier = Tier::On,
                                                        .documentation = R"(## What it finds

`compile(loss=BinaryCrossentropy(from_logits=True), metrics=[…])` with `"accuracy"`, `BinaryAccuracy()`, `Precision()`, `Recall()` or `AUC()` that
are not configured for logits.

## Why it is wrong

The loss applies the sigmoid itself, the metrics do not. A logit is positive for every probability above one half, so a threshold of 0.5 counts
examples with a probability up to 0.62 as negative. `AUC`, `Precision` and `Recall` raise an error, or clip, for values outside of 0 to 1.

## Bad

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1)])
model.compile(optimizer="adam", loss=tf.keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"])
```

## Good

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1)])
model.compile(
    optimizer="adam",
    loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0)],
)
```

## When it is wrong

Where a threshold of 0.5 on the logits is intended.

## References

- Keras API: BinaryAccuracy, AUC
)"},
                                               .calls = "KerasModel.compile",
                                               .on_call = check};

} // namespace deepperf::rules::metric_of_logits
