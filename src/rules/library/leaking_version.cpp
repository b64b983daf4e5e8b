#include "project/requirements.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::leaking_version {

using namespace python;

namespace {

// Keras in TensorFlow 2.0 to 2.2 keeps something of every call of fit, predict and evaluate; 2.3 fixed it.
constexpr project::Version kFirst{2, 0, 0};
constexpr project::Version kMended{2, 3, 0};

void check(Site &site, const Call &call) {
  if (long_loop_around(site) == nullptr && (site.function == nullptr || !site.function->in_loop)) {
    return;
  }
  const project::Requirements &requirements = project::requirements_of(site.module->parsed->path);
  const auto range = requirements.find("tensorflow");
  if (range == requirements.end() || !range->second.at_least.has_value() || !range->second.below.has_value() ||
      *range->second.at_least < kFirst || *range->second.below > kMended) {
    return;
  }
  report(site, call,
         fmt::format(
             "repeated calls of `{}` leak memory in the TensorFlow version that this project requires (2.0 to 2.2)",
             called_method(call)),
         "require TensorFlow 2.3 or later, or call the model itself or `predict_on_batch`");
}

} // namespace

extern constinit const Rule kLeakingVersion = {
    .info = {.code = "DP305",
             .name = "leaking-version",
             .summary = "`fit` or `predict` in a loop, with a required TensorFlow version in which that leaks memory",
             .root_cause = "Library: Buggy Library Version",
             .symptoms = "Memory Leak, Increasing Time Over Time",
             .stage = "Environment Setting",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "62917349 63258249 61715631 56910950",
             .documentation = R"(## What it finds

`fit`, `predict` or `evaluate` of a Keras model in a loop, in a project whose requirements only allow TensorFlow 2.0 to
2.2.

## Why it costs

In these versions each call leaves memory allocated, so memory grows with every iteration until none is left. TensorFlow
2.3 fixed it.

## Bad

```python
# requirements.txt: tensorflow==2.1.0
from tensorflow import keras


def act(states):
    model = keras.models.load_model("policy.h5")
    for state in states:
        yield model.predict(state)
```

## Good

```python
# requirements.txt: tensorflow>=2.3
from tensorflow import keras


def act(states):
    model = keras.models.load_model("policy.h5")
    for state in states:
        yield model(state)
```

## When it is wrong

Where the program runs with another version than its requirements say.

## References

- TensorFlow issues 33030, 35835 and 38598 on GitHub
- DLPerf, root cause "Buggy Library Version"
)"},
    .calls = "KerasModel.fit KerasModel.predict KerasModel.evaluate",
    .on_call = check};

} // namespace deepperf::rules::leaking_version
