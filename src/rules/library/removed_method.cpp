#include "rules/api_history.h"
#include "rules/generator_methods.h"
#include "rules/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace deepperf::rules::removed_method {

using namespace python;

namespace {

struct RemovedMethod {
  std::string_view method;
  std::string_view since; // of TensorFlow: it is not there any more
  std::string_view instead;
  std::string_view renamed_to; // a method that does the same; empty if there is none
};

// Sources: the release notes of TensorFlow 2.1, 2.6 and 2.16 (which brought Keras 3).
constexpr auto kMethods = std::to_array<RemovedMethod>({
    {"fit_generator", "2.16", "`fit`, which also takes generators", "fit"},
    {"evaluate_generator", "2.16", "`evaluate`, which also takes generators", "evaluate"},
    {"predict_generator", "2.16", "`predict`, which also takes generators", "predict"},
    {"predict_classes", "2.6", "`predict(…).argmax(axis=-1)`, or `(predict(…) > 0.5).astype(int)`", ""},
    {"predict_proba", "2.6", "`predict`", "predict"},
    {"make_one_shot_iterator", "2.0", "`iter(dataset)`, or a `for` loop over the dataset", ""},
    {"make_initializable_iterator", "2.0", "`iter(dataset)`, or a `for` loop over the dataset", ""},
    {"reset_states", "2.16", "`reset_state`", "reset_state"},
});

void check(Site &site, const Call &call) {
  const auto *method = as<Attribute>(call.func);
  const auto known = std::ranges::find(kMethods, method->attr.text(), &RemovedMethod::method);
  if (known == kMethods.end() || is_version_guarded(site) ||
      (known->since == "2.0" && file_has_word(site, {"compat.v1", "disable_v2_behavior"}))) {
    return; // Datasets of compat.v1 still have them
  }
  const Status status = status_in(site, "tensorflow", known->since);
  // Most code that uses these runs with the version of its time.
  const bool is_usual = known->method == "reset_states" || (known->since == "2.0" && !site.module->v2);
  if (status == Status::Fine || (status == Status::Unknown && is_usual)) {
    return;
  }
  const u32 start = method->end - static_cast<u32>(known->method.size());
  Finding &finding = report(site, Span{start, method->end},
                            fmt::format("`{}` was removed in TensorFlow {}{}", known->method, known->since,
                                        required_version(site, "tensorflow", known->since)),
                            fmt::format("use {}", known->instead));
  if (status == Status::Unknown) {
    finding.tier = Tier::Hint; // older code is often run with the version it was written for
  }
  if (known->method == "reset_states") {
    set_fix(finding, status == Status::Gone, {Edit{start, method->end, std::string(known->renamed_to)}});
  } else if (!known->renamed_to.empty()) {
    if (std::optional<Fix> fix = without_generator_method(site, call)) {
      set_fix(finding, status == Status::Gone && fix->safe, std::move(fix->edits));
    }
  }
}

} // namespace

extern constinit const Rule kRemovedMethod = {
    .info = {.code = "DP304",
             .name = "removed-method",
             .summary = "a method of Keras or `tf.data` that newer versions do not have",
             .root_cause = "Library: Mismatched Library Version",
             .symptoms = "Program Crash",
             .stage = "Environment Setting",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`fit_generator`, `evaluate_generator`, `predict_generator`, `predict_classes` and `predict_proba` of a Keras model,
`reset_states` of a metric, `make_one_shot_iterator` and `make_initializable_iterator` of a `tf.data.Dataset`, where the project's requirements ask for a TensorFlow that does not have them. Where the version is unknown, it is a
hint.

## Why it is wrong

The program fails with an `AttributeError` when it gets there. Keras 3, the default since TensorFlow 2.16, also has no
`workers`, `use_multiprocessing` and `max_queue_size` in `fit`: pass them to the constructor of a
`keras.utils.PyDataset` instead.

## Bad

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.fit_generator(batches)
```

## Good

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.fit(batches)
```

## When it is wrong

Where the program runs with an old version on purpose; state it in the requirements.

## References

- Release notes of TensorFlow 2.1, 2.6 and 2.16
)"},
    .calls = "KerasModel.fit_generator KerasModel.evaluate_generator KerasModel.predict_generator "
             "KerasModel.predict_classes "
             "KerasModel.predict_proba Dataset.make_one_shot_iterator Dataset.make_initializable_iterator "
             "KerasMetric.reset_states",
    .on_call = check};

} // namespace deepperf::rules::removed_method
