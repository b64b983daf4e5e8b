#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::monitor_never_logged {

using namespace python;

namespace {

// The callbacks that fit() gets, as they are made.
std::vector<model::Argument::Given> callbacks_of(const Site &site, const Expr *given) {
  std::vector<model::Argument::Given> found;
  const auto *name = as<Name>(given);
  const Expr *near = name != nullptr ? last_assigned(site, *name) : given;
  std::vector<model::Argument::Given> lists = model::written_as(scope_of(site), near != nullptr ? near : given);
  const auto *written = lists.size() == 1 ? as<List>(lists[0].expr) : nullptr;
  for (const Expr *one : written != nullptr ? written->elts : Array<Expr *>{}) {
    const auto *part = as<Name>(one);
    const Expr *made_near = part != nullptr && near == written ? last_assigned(site, *part) : nullptr;
    const std::vector<model::Argument::Given> made =
        model::written_as(lists[0].scope, made_near != nullptr ? made_near : one);
    if (made.size() == 1) { // a name that is used for several callbacks tells nothing
      found.push_back(made[0]);
    }
  }
  return found;
}

// What depends on the monitored value: without it, the callback does nothing.
bool needs_monitor(const model::Project &project, const model::Argument::Given &given, const Call &call,
                   std::string_view name) {
  if (name == "EarlyStopping" || name == "ReduceLROnPlateau") {
    return true;
  }
  if (name != "ModelCheckpoint") {
    return false;
  }
  const std::optional<model::ConstantValue> best = model::constant_of(
      project, model::argument_of(given.scope, call, 3, "save_best_only"), model::ConstantValue::of(false));
  return best.has_value() && best->is_true();
}

void check(Site &site, const Call &call) {
  const Keyword *callbacks = keyword_argument(call, "callbacks");
  if (callbacks == nullptr || has_hidden_arguments(call) || keyword_argument(call, "validation_data") != nullptr ||
      keyword_argument(call, "validation_split") != nullptr || call.args.size() > 5 || site.module->is_test) {
    return;
  }
  for (const model::Argument::Given &given : callbacks_of(site, callbacks->value)) {
    const auto *made = as<Call>(given.expr);
    const model::Value callee = made != nullptr ? site.project.callee_of(made) : model::Value{};
    const std::string_view api = callee.is(model::Value::Tag::Api) ? callee.name().text() : std::string_view{};
    constexpr std::string_view kPackage = "tensorflow.keras.callbacks.";
    if (!api.starts_with(kPackage)) {
      continue;
    }
    const std::string_view name = api.substr(kPackage.size());
    if (!needs_monitor(site.project, given, *made, name)) {
      continue;
    }
    const std::optional<model::ConstantValue> monitor = model::constant_of(
        site.project, model::argument_of(given.scope, *made, name == "ModelCheckpoint" ? 1 : 0, "monitor"),
        model::ConstantValue::of(std::string("val_loss")));
    if (!monitor.has_value() || !monitor->text.starts_with("val_")) {
      continue;
    }
    Finding &finding = report(site, call,
                              fmt::format("`{}` waits for `{}`, but this `fit()` has no validation data, so the "
                                          "callback never acts",
                                          name, monitor->text),
                              "pass `validation_data` or `validation_split`, or monitor a training value");
    finding.notes.push_back({given.scope.module->file, made->span(), "the callback"});
    return;
  }
}

} // namespace

extern constinit const Rule kMonitorNeverLogged = {
    .info = {.code = "DP916",
             .name = "monitor-never-logged",
             .summary = "a Keras callback that monitors a validation value that `fit` never computes",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`fit` with `EarlyStopping`, `ReduceLROnPlateau` or `ModelCheckpoint(save_best_only=True)` that monitor `val_loss` (the default) or another
`val_…` value, and without `validation_data` or `validation_split`.

## Why it is wrong

The value does not exist. Keras prints a warning in every epoch and the callback does nothing: training never stops early, the learning rate
never falls, and the best model is never saved.

## Bad

```python
from tensorflow import keras


def train(model: keras.Model, x, y):
    stop = keras.callbacks.EarlyStopping(patience=3)
    model.fit(x, y, epochs=100, callbacks=[stop])
```

## Good

```python
from tensorflow import keras


def train(model: keras.Model, x, y):
    stop = keras.callbacks.EarlyStopping(patience=3)
    model.fit(x, y, epochs=100, validation_split=0.1, callbacks=[stop])
```

## When it is wrong

Where another callback adds the value to the logs.

## References

- Keras documentation of `EarlyStopping` and `ModelCheckpoint`: `monitor`
)"},
    .calls = "KerasModel.fit KerasModel.fit_generator",
    .on_call = check};

} // namespace deepperf::rules::monitor_never_logged
