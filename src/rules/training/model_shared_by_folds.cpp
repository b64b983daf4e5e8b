#include "rules/jax.h"
#include "rules/reach.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::model_shared_by_folds {

using namespace python;

namespace {

// `for train, test in KFold(5).split(x):`
bool goes_over_folds(const Site &site, const model::Loop &loop) {
  const auto *call = as<Call>(iterated_by(site, loop));
  const Expr *splitter = call != nullptr && called_method(*call) == "split" ? receiver_of(*call) : nullptr;
  if (splitter == nullptr) {
    return false;
  }
  const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), splitter);
  const auto is_fold = [&](const Expr *expr) {
    const auto *made = as<Call>(expr);
    const std::string_view api = made != nullptr ? called_api(site, *made) : std::string_view{};
    return api.starts_with("sklearn.") && api.ends_with("Fold");
  };
  return is_fold(splitter) ||
         (!written.empty() &&
          std::ranges::all_of(written, [&](const model::Argument::Given &given) { return is_fold(given.expr); }));
}

void check(Site &site, const Call &call) {
  const auto *model = as<Name>(receiver_of(call));
  if (model == nullptr || site.module->is_test) {
    return;
  }
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    if (!goes_over_folds(site, *loop)) {
      continue;
    }
    static constexpr std::string_view kResets[] = {"set_weights", "load_weights", "clone_model", "load_model",
                                                   "reset",       "initializer",  "from_config"};
    if (is_bound_in(*loop, model->id) || node_has_word(site, *loop->node, kResets) ||
        reaches_word(site, *loop->node, kResets)) {
      return;
    }
    Finding &finding =
        report(site, call,
               fmt::format("`{}` goes on training in every fold, so it has already seen the data that it is tested on",
                           model->id.text()),
               "create the model inside the loop, or restore its first weights at the start of each fold");
    add_note(finding, site, *loop->node, "the folds");
    finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 3);
    return;
  }
}

} // namespace

extern constinit const Rule kModelSharedByFolds = {
    .info = {.code = "DP955",
             .name = "model-shared-by-folds",
             .summary = "a Keras model that all folds of a cross-validation go on training",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "Keras, TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`fit()` of a Keras model in a loop over the folds of scikit-learn's `KFold` or the like, where the model is created before the loop and its weights are
never reset.

## Why it is wrong

A second `fit()` of a Keras model continues from the weights that it has. From the second fold on, the test data of the fold was part of the
training data of an earlier one, so the scores rise from fold to fold and mean nothing.

## Bad

```python
from sklearn.model_selection import KFold
from tensorflow import keras

def cross_validate(x, y):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("adam", "mse")
    scores = []
    for train, test in KFold(5).split(x):
        model.fit(x[train], y[train], epochs=10)
        scores.append(model.evaluate(x[test], y[test]))
    return scores
```

## Good

```python
from sklearn.model_selection import KFold
from tensorflow import keras

def cross_validate(x, y):
    scores = []
    for train, test in KFold(5).split(x):
        keras.backend.clear_session()
        model = keras.Sequential([keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(x[train], y[train], epochs=10)
        scores.append(model.evaluate(x[test], y[test]))
    return scores
```

## When it is wrong

Where a function that the rule does not see resets the model.

## References

- Keras documentation of `Model.fit`
)"},
    .calls = "KerasModel.fit",
    .on_call = check};

} // namespace deepperf::rules::model_shared_by_folds
