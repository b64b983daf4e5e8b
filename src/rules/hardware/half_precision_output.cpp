#include "base/known_names.h"
#include "model/classes.h"
#include "python/children.h"
#include "rules/site.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

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

bool is_layer(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  return call != nullptr && called_api(site, *call).starts_with("tensorflow.keras.layers.");
}

// The layers that the outputs of a model come from, as far as they are known.
using Layers = std::vector<const Call *>;

void add_makers(const Site &site, const model::Value &output, Layers &into) {
  if (output.is(model::Value::Tag::Tuple)) {
    for (u32 i = 0; i < output.number && !output.uniform; ++i) {
      add_makers(site, output.items[i], into);
    }
    return;
  }
  if (!output.is_kind(Kind::Tensor) || output.maker() == nullptr) {
    return;
  }
  const model::Value layer = site.project.callee_of(output.maker());
  if (layer.is(model::Value::Tag::Instance) && layer.kind == Kind::KerasLayer && layer.maker() != nullptr) {
    into.push_back(layer.maker());
  }
}

Layers last_layers(const Site &site, const Call &model) {
  const std::string_view api = called_api(site, model);
  Layers found;
  if (api.ends_with(".Sequential")) {
    if (const auto added = site.project.added_layers.find(&model); added != site.project.added_layers.end()) {
      const model::AddedLayer &last = added->second.back();
      if (const auto *layer = as<Call>(last.layer); last.branch == nullptr && layer != nullptr) {
        found.push_back(layer);
      }
      return found;
    }
  } else if (api.ends_with(".Model")) {
    const Expr *outputs = argument(model, 1, "outputs");
    if (const auto *named = as<Dict>(outputs)) {
      for (const DictItem &item : named->items) {
        add_makers(site, value_of(site_of(site, model), item.value), found);
      }
    } else if (const auto known = site.project.argument_values.find(outputs);
               known != site.project.argument_values.end()) {
      add_makers(site, known->second, found);
    }
  }
  return found;
}

// A list or call of nothing but layers: they are applied one after another.
const Call *last_of_stack(const Site &site, const Array<Expr *> &parts) {
  const bool is_stack =
      parts.size() > 1 && std::ranges::all_of(parts, [&](const Expr *part) { return is_layer(site, part); });
  return is_stack ? as<Call>(parts.back()) : nullptr;
}

// A model that is being looked for: under which policy, and whether that is certain to be in force.
struct Search {
  const Call &policy;
  const model::Module *module; // where the policy is set
  bool sure = false;
  Layers reported = {};
};

void lint(Site &site, const Call &layer, Search &search) {
  Site there = site_of(site, layer);
  if (std::ranges::find(search.reported, &layer) != search.reported.end() || !ends_in_half(there, layer)) {
    return;
  }
  search.reported.push_back(&layer);
  Finding &finding =
      report(there, layer, "the model's output is computed in float16, so small probabilities underflow to zero",
             "pass `dtype=\"float32\"` to the last layer");
  finding.notes.push_back({search.module->file, search.policy.span(), "layers compute in float16 from here on"});
  // Cells mostly run in their order.
  const bool comes_later = there.module->parsed->source.is_notebook && layer.start < search.policy.start;
  finding.tier = search.sure && !comes_later ? finding.tier : Tier::Hint;
  if (const std::optional<Edit> edit = add_argument(there, layer, "dtype=\"float32\"")) {
    set_fix(finding, false, {*edit});
  }
}

void look_for_models(Site &site, const Node *node, Search &search) {
  if (const auto *call = as<Call>(node)) {
    for (const Call *layer : last_layers(site, *call)) {
      lint(site, *layer, search);
    }
    if (const Call *layer = last_of_stack(site, call->args)) {
      lint(site, *layer, search);
    }
  } else if (const auto *list = as<List>(node)) {
    if (const Call *layer = last_of_stack(site, list->elts)) {
      lint(site, *layer, search);
    }
  } else if (const auto *type = node->kind == NodeKind::ClassDef ? site.project.class_at(node) : nullptr;
             type != nullptr && type->kind == Kind::KerasModel) {
    const model::FunctionInfo *const forward = model::find_method_of(*type, known::sym_call);
    Layers layers;
    if (forward != nullptr) {
      add_makers(site, forward->returns, layers);
    }
    for (const Call *layer : layers) {
      lint(site, *layer, search);
    }
  }
  for_each_child(node, [&](const Node *child) { look_for_models(site, child, search); });
}

// The files whose models were looked for already, under a policy that is certain to be in force or one that may be.
struct SearchedModules {
  mutable std::unordered_set<const model::Module *> surely;
  mutable std::unordered_set<const model::Module *> perhaps;
};

// The file that sets the policy, and those of the project that it imports; without those that an earlier policy of at
// least the same certainty led to.
std::vector<const model::Module *> with_imported(const Site &site, bool is_sure) {
  note_read_everything(); // whoever comes first searches
  const SearchedModules &searched =
      site.memory.recall<SearchedModules>(&site.memory, [] { return SearchedModules{}; }); // of this part
  std::vector<const model::Module *> all;
  const auto add = [&](const model::Module *module) {
    if (module != nullptr && !searched.surely.contains(module) &&
        (is_sure ? searched.surely : searched.perhaps).insert(module).second) {
      all.push_back(module);
    }
  };
  add(site.module);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto &[import, target] : all[i]->import_targets) {
      add(target);
    }
  }
  return all;
}

void check(Site &site, const Call &call) {
  if (call.args.empty() || !is_half_policy(site, call.args[0])) {
    return;
  }
  struct LookedForModels {};
  site.memory.recall<LookedForModels>(site.module, [&] { // what later calls find is the same
    Search search{call, site.module, enclosing(site, NodeKind::If) == nullptr};
    std::vector<const model::Module *> modules = with_imported(site, search.sure);
    std::ranges::sort(modules, {}, &model::Module::index);
    for (const model::Module *module : modules) {
      Site there = site;
      there.module = module;
      there.function = module->body;
      there.ancestors.clear();
      for (const Stmt *statement : module->parsed->tree.body) {
        look_for_models(there, statement, search);
      }
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

A file that sets the policy `mixed_float16` and, itself or in a module that it imports, builds a model whose last layer has a softmax or
sigmoid and no `dtype` of its own.

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
