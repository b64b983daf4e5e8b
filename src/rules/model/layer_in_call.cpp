#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::layer_in_call {

using namespace python;
using model::FunctionInfo;

namespace {

bool is_keras_class(const model::ClassInfo *type) {
  return type != nullptr && (type->kind == Kind::KerasLayer || type->kind == Kind::KerasModel);
}

// call() of a layer or model, or a method that its call() leads to.
bool runs_in_call(const FunctionInfo *function, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  if (function == nullptr || !is_keras_class(function->type) || depth > kMostDepth || !function->name) {
    return false;
  }
  const std::string_view name = function->name.text();
  if (name == "call" || name == "train_step" || name == "test_step") {
    return true;
  }
  return name != "__init__" && name != "build" && !function->called_by.empty() &&
         std::ranges::all_of(function->called_by, [&](const model::CallSite *site) {
           return site->caller != function && site->caller->type == function->type &&
                  runs_in_call(site->caller, depth + 1);
         });
}

// Is the name only called, and kept nowhere?
bool is_only_called(const Site &site, Symbol name) {
  const FunctionDef *definition = site.function->definition();
  u32 mentioned = 0;
  u32 called = 0;
  any_node(definition->body, [&](const Node *node) {
    const auto *plain = as<Name>(node);
    mentioned += plain != nullptr && plain->id == name && plain->context == Context::Load ? 1 : 0;
    const auto *call = as<Call>(node);
    const auto *callee = call != nullptr ? as<Name>(call->func) : nullptr;
    called += callee != nullptr && callee->id == name ? 1 : 0;
    return false;
  });
  return called > 0 && mentioned == called;
}

bool is_used_here(const Site &site, const Call &call) {
  const Node *parent = site.ancestors.back();
  if (const auto *outer = as<Call>(parent)) {
    if (outer->func == &call) {
      return true;
    }
    // Bidirectional(LSTM(64))(x): the wrapper is reported.
    return false;
  }
  const auto *assignment = as<Assign>(parent);
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  return name != nullptr && is_only_called(site, name->id);
}

// The call of Keras in a function of the project that makes what the function returns: `Dense(…)`, or a Sequential of
// layers with weights.
const Call *made_by_function(const Site &site, const model::Value &callee) {
  const bool is_function = callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method);
  const FunctionDef *definition = is_function ? callee.function->definition() : nullptr;
  const model::Value made = definition != nullptr ? callee.function->returns : model::Value{};
  if ((!made.is_kind(Kind::KerasLayer) && !made.is_kind(Kind::KerasModel)) || made.maker() == nullptr ||
      made.container || !definition->decorators.empty() || site.project.caller_of(made.maker()) != callee.function) {
    return nullptr;
  }
  const ApiInfo *info = find_api(made.name());
  const bool has_weights = any_node(static_cast<const Node *>(made.maker()), [&](const Node *node) {
    const auto *layer = as<Call>(node);
    const model::Value api = layer != nullptr ? site.project.callee_of(layer) : model::Value{};
    const ApiInfo *one = api.is(model::Value::Tag::Api) ? find_api(api.name()) : nullptr;
    return one != nullptr && one->has(kWeights);
  });
  return info != nullptr && has_weights ? made.maker() : nullptr;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || !site.module->tensorflow || site.ancestors.empty() || site.function == nullptr ||
      site.function->definition() == nullptr) {
    return;
  }
  const model::Value callee = site.project.callee_of(&call);
  const Call *made = made_by_function(site, callee);
  if (made != nullptr && runs_in_call(site.function) && enclosing(site, NodeKind::If) == nullptr &&
      is_used_here(site, call)) {
    Finding &finding = report(site, call,
                              fmt::format("`{}` creates layers in every call of `{}`, so they start with new weights "
                                          "each time, which are never trained or saved",
                                          text_of(site, call.func), site.function->type->name.text()),
                              "call it in `__init__`, keep the result as an attribute, and call that here");
    finding.notes.push_back({callee.function->module->file, made->span(), "created here"});
    return;
  }
  const ApiInfo *info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
  if (info == nullptr || info->returns != Kind::KerasLayer || !info->has(kWeights) || !runs_in_call(site.function) ||
      enclosing(site, NodeKind::If) != nullptr || !is_used_here(site, call)) {
    return;
  }
  std::string_view name = callee.name().text();
  name.remove_prefix(name.rfind('.') + 1);
  report(site, call,
         fmt::format("`{}` is created in every call of `{}`, so it starts with new weights each time, which are never "
                     "trained or saved",
                     name, site.function->type->name.text()),
         "create it in `__init__` or `build`, keep it as an attribute, and call that here");
}

} // namespace

extern constinit const Rule kLayerInCall = {
    .info = {.code = "DP248",
             .name = "layer-in-call",
             .summary = "a Keras layer with weights that is created inside `call`",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result, Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A layer with weights (`Dense`, `Conv2D`, `LSTM`, `BatchNormalization`, …) that is created and called inside `call` of a Keras layer or
model, or in a method that only `call` uses. Also a function of the project that creates and returns layers and is called there.

## Why it is wrong

The layer is not an attribute, so Keras does not track its weights: no optimizer updates them, and no checkpoint has them. Each call, or
each trace of a compiled step, starts with new random weights. Inside a `tf.function` TensorFlow stops with an error, because it allows
variables in the first call only.

## Bad

```python
from tensorflow import keras


class Gate(keras.layers.Layer):
    def call(self, x):
        return x * keras.layers.Dense(64, activation="sigmoid")(x)
```

## Good

```python
from tensorflow import keras


class Gate(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.gate = keras.layers.Dense(64, activation="sigmoid")

    def call(self, x):
        return x * self.gate(x)
```

## When it is wrong

Where a branch creates the layer the first time only; under an `if` nothing is reported.

## References

- Keras guide "Making new layers and models via subclassing"
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::layer_in_call
