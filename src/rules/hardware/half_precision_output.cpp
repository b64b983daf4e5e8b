#include "python/children.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::half_precision_output {

using namespace python;

namespace {

// "mixed_float16", or a Policy of it, also under a name.
bool is_half_policy(const Site &site, const Expr *expr) {
  if (const auto *call = as<Call>(expr)) {
    return called_api(site, *call).ends_with("Policy") &&
           string_of(site, argument(*call, 0, "name")) == "mixed_float16";
  }
  if (string_of(site, expr) == "mixed_float16") {
    return true;
  }
  const auto *name = as<Name>(expr);
  const Expr *made = name != nullptr ? last_assigned(site, *name) : nullptr;
  return made != nullptr && made->kind == NodeKind::Call && is_half_policy(site, made);
}

// Does the layer's result run through softmax or sigmoid in half precision?
bool ends_in_half(const Site &site, const Call &layer) {
  const std::string_view api = called_api(site, layer);
  if (has_hidden_arguments(layer) || keyword_argument(layer, "dtype") != nullptr ||
      keyword_argument(layer, "dtype_policy") != nullptr) {
    return false;
  }
  if (api.ends_with("layers.Softmax")) {
    return true;
  }
  const bool is_activation = api.ends_with("layers.Activation");
  if (!api.starts_with("tensorflow.keras.layers.")) {
    return false;
  }
  const Expr *activation = is_activation ? argument(layer, 0, "activation") : nullptr;
  if (!is_activation) {
    const Keyword *given = keyword_argument(layer, "activation");
    activation = given != nullptr ? given->value : api.ends_with("Dense") ? argument(layer, 1, "activation") : nullptr;
  }
  const std::optional<std::string> name = string_of(site, activation);
  return name == "softmax" || name == "sigmoid";
}

// The layer that a model's output comes from; null where that is not known.
const Call *last_layer(const Site &site, const Call &model) {
  const std::string_view api = called_api(site, model);
  if (api.ends_with(".Sequential")) {
    if (const auto added = site.project.added_layers.find(&model); added != site.project.added_layers.end()) {
      const model::AddedLayer &last = added->second.back();
      return last.branch == nullptr ? as<Call>(last.layer) : nullptr;
    }
    const auto *layers = as<List>(argument(model, 0, "layers"));
    return layers != nullptr && !layers->elts.empty() ? as<Call>(layers->elts.back()) : nullptr;
  }
  if (!api.ends_with(".Model")) {
    return nullptr;
  }
  const auto known = site.project.argument_values.find(argument(model, 1, "outputs"));
  if (known == site.project.argument_values.end() || !known->second.is_kind(Kind::Tensor) ||
      known->second.call == nullptr) {
    return nullptr;
  }
  const model::Value layer = site.project.callee_of(known->second.call);
  return layer.is(model::Value::Tag::Instance) && layer.kind == Kind::KerasLayer ? layer.call : nullptr;
}

void look_for_models(Site &site, const Node *node, const Call &policy, bool sure) {
  if (const auto *call = as<Call>(node)) {
    const Call *layer = last_layer(site, *call);
    if (layer != nullptr && ends_in_half(site, *layer)) {
      Finding &finding =
          report(site, *layer, "the model's output is computed in float16, so small probabilities underflow to zero",
                 "pass `dtype=\"float32\"` to the last layer");
      add_note(finding, site, policy, "layers compute in float16 from here on");
      // Cells mostly run in their order.
      const bool comes_later = site.module->parsed->source.is_notebook && layer->start < policy.start;
      finding.tier = sure && !comes_later ? finding.tier : Tier::Hint;
      if (const std::optional<Edit> edit = add_argument(site, *layer, "dtype=\"float32\"")) {
        set_fix(finding, false, {*edit});
      }
    }
  }
  for_each_child(node, [&](const Node *child) { look_for_models(site, child, policy, sure); });
}

void check(Site &site, const Call &call) {
  if (call.args.empty() || !is_half_policy(site, call.args[0])) {
    return;
  }
  const bool sure = enclosing(site, NodeKind::If) == nullptr;
  struct LookedForModels {};
  site.memory.recall<LookedForModels>(site.module, [&] { // what later calls find is the same
    for (const Stmt *statement : site.module->parsed->tree.body) {
      look_for_models(site, statement, call, sure);
    }
    return LookedForModels{};
  });
}

} // namespace

extern constinit const Rule kHalfPrecisionOutput = {
    .info = {.code = "DP503",
             .name = "half-precision-output",
             .summary = "a model under `mixed_float16` whose last softmax or sigmoid is computed in float16",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .posts = "",
             .documentation = R"(## What it finds

A file that sets the policy `mixed_float16` and builds a model whose last layer has a softmax or sigmoid and no `dtype`
of its own.

## Why it costs

float16 has about three decimal digits and nothing below 6e-8. Probabilities underflow to zero, their logarithm in the
loss becomes infinite, and training diverges or needs more steps. The output is small, so computing it in float32 costs
next to nothing.

## Bad

```python
from tensorflow import keras

keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential([keras.layers.Dense(512, activation="relu"), keras.layers.Dense(10, activation="softmax")])
```

## Good

```python
from tensorflow import keras

keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential(
    [keras.layers.Dense(512, activation="relu"), keras.layers.Dense(10, activation="softmax", dtype="float32")]
)
```

## When it is wrong

Where the model is part of another one, and its softmax is an inner one.

## References

- TensorFlow guide, "Mixed precision": building the model
)"},
    .calls = "tensorflow.keras.mixed_precision.set_global_policy tensorflow.keras.mixed_precision.set_dtype_policy "
             "tensorflow.keras.mixed_precision.experimental.set_policy tensorflow.keras.config.set_dtype_policy",
    .on_call = check};

} // namespace deepperf::rules::half_precision_output
