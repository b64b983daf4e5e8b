#include "rules/keras.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::layer_not_adapted {

using namespace python;
using model::Value;

namespace {

struct Adapts {
  bool anything = false; // x.adapt(…), x.set_vocabulary(…), or weights from a file
};

// Does the project adapt any layer, or load a model that was adapted before?
bool adapts_somewhere(const Site &site) {
  return site.memory
      .recall<Adapts>(&site.project,
                      [&] {
                        return Adapts{project_has_word(site, {".adapt(", "set_vocabulary", "load_weights", "load_model",
                                                              "from_config", "set_weights", "load_assets",
                                                              "StringLookup.adapt", "finalize_state"})};
                      })
      .anything;
}

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const std::string_view name = api.substr(api.rfind('.') + 1);
  const bool is_norm = name == "Normalization";
  if (site.module->is_test || !site.module->tensorflow || site.function == nullptr || has_hidden_arguments(call) ||
      keyword_argument(call, is_norm ? "mean" : "vocabulary") != nullptr || call.args.size() > 1 ||
      adapts_somewhere(site)) {
    return;
  }
  // Only where this project trains with it: a library leaves that to its users.
  if (!project_has_word(site, {".fit("})) {
    return;
  }
  report(site, call,
         is_norm ? "this `Normalization` layer is never adapted, so it returns its input as it is"
                 : "this `TextVectorization` layer is never adapted, so its vocabulary is empty",
         "call `adapt()` on the training data before `fit()`");
}

} // namespace

extern constinit const Rule kLayerNotAdapted = {
    .info = {.code = "DP968",
             .name = "layer-not-adapted",
             .summary = "a Keras preprocessing layer that is used without `adapt()`",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A layer `Normalization` without `mean` and `variance`, or `TextVectorization` without `vocabulary`, in a project that trains with `fit()` and
calls `adapt()` nowhere.

## Why it is wrong

These layers learn from data in `adapt()`, not in `fit()`. Without it, `Normalization` has the mean 0 and the variance 1 and changes nothing,
and a text layer maps every word to the same unknown token.

## Bad

```python
import keras

normalization = keras.layers.Normalization()
model = keras.Sequential([normalization, keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y)
```

## Good

```python
import keras

normalization = keras.layers.Normalization()
normalization.adapt(x)
model = keras.Sequential([normalization, keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y)
```

## When it is wrong

Where the weights of the layer come from a place that the rule does not see.

## References

- Keras guide "Working with preprocessing layers": the `adapt()` method
)"},
    .calls = "tensorflow.keras.layers.Normalization tensorflow.keras.layers.TextVectorization "
             "tensorflow.keras.layers.experimental.preprocessing.Normalization "
             "tensorflow.keras.layers.experimental.preprocessing.TextVectorization",
    .on_call = check};

} // namespace deepperf::rules::layer_not_adapted
