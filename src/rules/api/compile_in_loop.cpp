#include "model/bind.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::compile_in_loop {

using namespace python;

namespace {

bool holds(const std::vector<Symbol> &names, Symbol name) { return std::ranges::find(names, name) != names.end(); }

// The model is another one in each iteration, or was made for this iteration.
bool is_new_model(const model::Loop &loop, const Expr *receiver) {
  if (const auto *name = as<Name>(receiver)) {
    return holds(loop.assigned, name->id);
  }
  const auto *attribute = as<Attribute>(receiver);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  return object == nullptr || holds(loop.assigned, object->id) || holds(loop.attributes, attribute->attr);
}

bool varies(const Site &site, const model::Loop &loop, const Call &call) {
  return std::ranges::any_of(call.args, [&](const Expr *arg) { return model::varies(site.project, loop, arg); }) ||
         std::ranges::any_of(call.keywords, [&](const Keyword *keyword) {
           // A new optimizer or loss object in each iteration is the same in each iteration.
           const auto *made = as<Call>(keyword->value);
           return made == nullptr
                      ? model::varies(site.project, loop, keyword->value)
                      : std::ranges::any_of(made->args,
                                            [&](const Expr *arg) { return model::varies(site.project, loop, arg); }) ||
                            std::ranges::any_of(made->keywords, [&](const Keyword *inner) {
                              return model::varies(site.project, loop, inner->value);
                            });
         });
}

// Does it mention what the loop binds? The layers of a model stay the same, also if their weights do not.
bool mentions_bound(const model::Loop &loop, const Node *node) {
  if (const auto *name = as<Name>(node)) {
    return holds(loop.assigned, name->id);
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || mentions_bound(loop, child); });
  return found;
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || loop->makes_graph) {
    return;
  }
  if (called_method(call) == "compile") {
    if (is_new_model(*loop, receiver_of(call)) || (!loop->steps && varies(site, *loop, call))) {
      return; // one more configuration
    }
    Finding &finding = report(
        site, call,
        fmt::format("`{}` compiles the same model in every iteration, so its training function is rebuilt each time",
                    text_of(site, call.func)),
        "compile once before the loop; to alternate frozen layers, compile a second model that shares them");
    if (!runs_every_iteration(site, *loop)) {
      finding.tier = Tier::Hint;
    }
    return;
  }
  const std::string_view api = called_api(site, call);
  if (!runs_every_iteration(site, *loop) || (api.ends_with(".function") && mentions_bound(*loop, &call))) {
    return;
  }
  if (api.ends_with(".function")) {
    report(site, call, fmt::format("`{}` builds a new backend function in every iteration", text_of(site, call.func)),
           "build the function once before the loop, and call it in the loop");
    return;
  }
  Finding &finding = report(site, call,
                            fmt::format("`{}` waits for the device and copies a value to the host in every iteration",
                                        text_of(site, call.func)),
                            "read the value once after the loop, or compute it as a metric");
  finding.tier = loop->steps && finding.tier == Tier::On && api.ends_with(".eval") ? Tier::On : Tier::Hint;
}

} // namespace

extern constinit const Rule kCompileInLoop = {
    .info = {.code = "DP111",
             .name = "compile-in-loop",
             .summary =
                 "a Keras model that is compiled, or a backend function that is built, in every iteration of a loop",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "54052953",
             .documentation = R"(## What it finds

`model.compile(…)` in a loop, on a model created before the loop, with the same arguments or in a loop that also trains;
`K.function(…)` in a loop; and `K.eval` or `K.get_value` in every iteration.

## Why it costs

`compile` discards the training, test and predict functions, and the next call traces and builds them again. A new
optimizer also starts without its state, and the metrics are reset. In TensorFlow 1 every iteration adds to the graph,
so each one takes longer than the last. `K.eval` waits for the device, and in TensorFlow 1 it adds operations as well.

## Bad

```python
from tensorflow import keras

discriminator = keras.models.load_model("discriminator.h5")

def train(batches):
    for x, y in batches:
        discriminator.trainable = True
        discriminator.compile(loss="binary_crossentropy", optimizer="adam")
        discriminator.train_on_batch(x, y)
```

## Good

```python
from tensorflow import keras

discriminator = keras.models.load_model("discriminator.h5")
discriminator.compile(loss="binary_crossentropy", optimizer="adam")

def train(batches):
    for x, y in batches:
        discriminator.train_on_batch(x, y)
```

## When it is wrong

The rule is silent for a loop over configurations that compiles with different arguments, and for one that creates its
model in the loop.

## References

- DLPerf, post 54052953: a GAN whose discriminator is compiled for every batch
)"},
    .calls = "KerasModel.compile tensorflow.keras.backend.eval tensorflow.keras.backend.get_value "
             "tensorflow.keras.backend.function",
    .on_call = check};

} // namespace deepperf::rules::compile_in_loop
