#include "model/classes.h"
#include "rules/keras.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

namespace deepperf::rules::keras_training_flag {

using namespace python;
using model::Value;

namespace {

// Layers that do something else in training than in inference.
bool is_two_faced(std::string_view api) {
  if (!api.starts_with("tensorflow.keras.layers.")) {
    return false;
  }
  const std::string_view name = api.substr(api.rfind('.') + 1);
  return name == "BatchNormalization" || name.ends_with("Dropout") || name.starts_with("SpatialDropout") ||
         name == "GaussianNoise" || name == "SyncBatchNormalization";
}

// Dropout(0) drops nothing.
bool is_idle(const model::Project &project, const Call &layer) {
  const model::FunctionInfo *function = project.caller_of(&layer);
  const Expr *rate = argument(layer, 0, "rate");
  if (function == nullptr || rate == nullptr) {
    return false;
  }
  const std::optional<model::ConstantValue> value = model::constant_of(model::scope_of(project, *function), rate);
  return value.has_value() && value->as_number() == 0.0;
}

// A layer of that kind that the code makes whatever its settings are: not under `if use_dropout`.
const Call *two_faced_in(const model::Project &project, const Node *node) {
  if (node->kind == NodeKind::If || node->kind == NodeKind::IfExp || node->kind == NodeKind::BoolOp) {
    return nullptr;
  }
  const auto *call = as<Call>(node);
  const Value callee = call != nullptr ? project.callee_of(call) : Value{};
  if (callee.is(Value::Tag::Api) && is_two_faced(callee.name().text()) && !is_idle(project, *call)) {
    return call;
  }
  const Call *found = nullptr;
  for_each_child(node, [&](const Node *child) { found = found != nullptr ? found : two_faced_in(project, child); });
  return found;
}

// The first layer of that kind that the code of a function makes, itself or in what it calls. Null also where
// somebody tells layers in which mode they are.
struct TwoFaced {
  const Call *layer = nullptr;
  const model::Module *module = nullptr;
  bool is_given = false; // `bn(x, training=True)`

  void look(const model::Project &project, const model::FunctionInfo &function) {
    if (function.definition() == nullptr) {
      return;
    }
    is_given |= has_word(rules::text_of(function), {"training=True", "training = True", "training=1"});
    if (layer == nullptr) {
      layer = two_faced_in(project, function.definition());
      module = layer != nullptr ? function.module : nullptr;
    }
  }

  void look_with_callees(const model::Project &project, const model::FunctionInfo &function) {
    if (function.definition() == nullptr) {
      return;
    }
    look(project, function);
    for (const model::FunctionInfo *reached : reached_functions(function, *function.definition())) {
      look(project, *reached);
    }
  }
};

// Of a Sequential or functional model by the call that made it.
TwoFaced layers_of_made(const Site &site, const Call &maker, std::string_view api) {
  return site.memory.recall<TwoFaced>(&maker, [&] {
    TwoFaced result;
    const model::FunctionInfo *function = site.project.caller_of(&maker);
    if (function == nullptr) {
      return result;
    }
    if (api.ends_with(".Sequential")) {
      const Value made = Value::made_by(Kind::KerasModel, &maker, intern(api));
      for (const Value &layer : layers_of_sequential(site, made)) {
        if (result.layer == nullptr && layer.is(Value::Tag::Instance) && layer.maker() != nullptr && layer.name() &&
            is_two_faced(layer.name().text())) {
          result.layer = layer.maker();
          const model::FunctionInfo *place = site.project.caller_of(layer.maker());
          result.module = place != nullptr ? place->module : function->module;
        }
      }
      if (result.layer == nullptr) { // not all of them are known
        result.layer = two_faced_in(site.project, &maker);
        result.module = function->module;
      }
    } else if (function->node != nullptr) {
      result.look_with_callees(site.project, *function);
    }
    return result;
  });
}

// Does `call` of the class run what the attribute holds?
bool is_run_by(const model::ClassInfo &type, Symbol attribute) {
  const model::FunctionInfo *const method = model::find_method_of(type, intern("call"));
  const FunctionDef *definition = method != nullptr ? method->definition() : nullptr;
  return definition != nullptr && any_node(definition->body, [attribute](const Node *node) {
           const auto *call = as<Call>(node);
           const auto *callee = call != nullptr ? as<Attribute>(call->func) : nullptr;
           const auto *object = callee != nullptr ? as<Name>(callee->value) : nullptr;
           return callee != nullptr && callee->attr == attribute && object != nullptr && object->id.text() == "self";
         });
}

// Of a class of the project, with the models that its objects are given: `self.encoder = encoder`.
TwoFaced find_layers_of_class(const Site &site, const model::ClassInfo &type, u32 depth) {
  constexpr u32 kMostDepth = 3;
  TwoFaced result;
  for (const model::ClassInfo *at : type.mro) {
    for (const auto &[name, member] : at->members) {
      if (!member.is(Value::Tag::Function)) {
        continue;
      }
      result.look_with_callees(site.project, *member.function);
      for (const Param *param : member.function->params) { // call(self, x, is_training=True)
        result.is_given |=
            param->name && param->name.text() == "training" && is_constant(param->default_value, ConstantKind::True);
      }
    }
    for (const auto &[name, cell] : at->attributes) {
      const Value &held = cell.value;
      const bool is_made = held.is_kind(Kind::KerasModel) && held.maker() != nullptr && held.name();
      const bool is_object = held.is(Value::Tag::Object) && held.alternatives == nullptr &&
                             (held.type->kind == Kind::KerasModel || held.type->kind == Kind::KerasLayer);
      if (result.layer != nullptr || depth > kMostDepth || (!is_made && !is_object) || !is_run_by(*at, Symbol{name})) {
        continue;
      }
      const TwoFaced inner = is_object ? find_layers_of_class(site, *held.type, depth + 1)
                                       : layers_of_made(site, *held.maker(), held.name().text());
      result.layer = inner.layer;
      result.module = inner.module;
      result.is_given |= inner.is_given;
    }
  }
  return result;
}

TwoFaced layers_of_class(const Site &site, const model::ClassInfo &type) {
  return site.memory.recall<TwoFaced>(&type, [&] { return find_layers_of_class(site, type, 0); });
}

// Inside `with tf.GradientTape()`, or in a function that is called from there. That evaluation calls it too is no
// excuse: without an argument the model does the same in both.
bool under_tape(const Site &site) {
  return inside_with(site, Kind::GradientTape) ||
         (site.function != nullptr &&
          std::ranges::any_of(site.function->called_by, [](const model::CallSite *call) { return call->in_tape; }));
}

// Does the function, or one that calls it under a tape, compute gradients of the model's variables?
bool is_trained_by(const Site &site, const std::string &model) {
  const std::array<std::string, 3> trained = {model + ".trainable_variables", model + ".trainable_weights",
                                              model + ".variables"};
  const std::array<std::string_view, 3> words = {trained[0], trained[1], trained[2]};
  return function_has_word(site, words) ||
         std::ranges::any_of(site.function->called_by, [&](const model::CallSite *call) {
           return call->in_tape && has_word(rules::text_of(*call->caller), words);
         });
}

// The models that were pointed at in a function: one place each is enough.
struct Reported {
  mutable std::vector<std::string> models;
};

// `self.model(x, **options)` in a function that hands on what it is called with.
bool hands_on_options(const Site &site, const Call &call) {
  const auto *options =
      call.keywords.size() == 1 && !call.keywords[0]->name ? as<Name>(call.keywords[0]->value) : nullptr;
  return options != nullptr && site.function != nullptr &&
         std::ranges::any_of(site.function->params, [&](const Param *param) {
           return param->name == options->id && param->param_kind() == ParamKind::KwArgs;
         });
}

// A call of such a function under a tape that says nothing about the mode; null if there is none.
const model::CallSite *caller_without_mode(const Site &site) {
  const auto found = std::ranges::find_if(site.function->called_by, [](const model::CallSite *caller) {
    return caller->in_tape && !caller->caller->module->is_test && !has_hidden_arguments(*caller->call) &&
           keyword_argument(*caller->call, "training") == nullptr;
  });
  return found != site.function->called_by.end() ? *found : nullptr;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || !site.module->tensorflow || call.args.size() != 1 || !under_tape(site)) {
    return;
  }
  const model::CallSite *caller =
      !call.keywords.empty() && hands_on_options(site, call) ? caller_without_mode(site) : nullptr;
  if (!call.keywords.empty() && caller == nullptr) {
    return;
  }
  const Value callee = site.project.callee_of(&call);
  const bool is_object = callee.is(Value::Tag::Object) && callee.type->kind == Kind::KerasModel;
  const bool is_made = callee.is_kind(Kind::KerasModel) && callee.maker() != nullptr && callee.name();
  if ((!is_object && !is_made) || callee.alternatives != nullptr) {
    return;
  }
  // It is this model that is trained here, and not one that only helps.
  const std::string model(text_of(site, call.func));
  if (!is_trained_by(site, model) || file_has_word(site, {"set_learning_phase", "learning_phase_scope"})) {
    return;
  }
  const TwoFaced layers =
      is_object ? layers_of_class(site, *callee.type) : layers_of_made(site, *callee.maker(), callee.name().text());
  if (layers.layer == nullptr || layers.is_given) {
    return;
  }
  const Reported &reported = site.memory.recall<Reported>(site.function, [] { return Reported{}; });
  if (std::ranges::find(reported.models, model) != reported.models.end()) {
    return;
  }
  reported.models.push_back(model);
  Site place = caller != nullptr ? site_of_origin(site, *caller->caller) : site;
  Finding &finding =
      report(place, caller != nullptr ? *caller->call : call,
             fmt::format("`{}` is trained in inference mode, because it is called without `training=True`", model),
             caller != nullptr ? "pass `training=True` here"
                               : fmt::format("pass it: `{}({}, training=True)`", model, text_of(site, call.args[0])));
  finding.notes.push_back({layers.module->file, layers.layer->func->span(),
                           "this layer behaves differently in training, but only with `training=True`"});
}

} // namespace

extern constinit const Rule kKerasTrainingFlag = {
    .info = {.code = "DP853",
             .name = "keras-training-flag",
             .summary =
                 "a Keras model with Dropout or BatchNormalization that a custom loop trains without `training=True`",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model(x)` under a `GradientTape`, without `training=True`, of a model that has `Dropout`, `BatchNormalization` or another layer with two
modes, where the same function, or its caller, computes gradients of `model.trainable_variables`. Layers that are created inside an `if` do
not count. A function that passes its `**options` on to the model is reported where it is called without `training`.

## Why it is wrong

Outside `fit()` Keras runs a model in inference mode unless `training=True` is passed. Dropout then drops nothing, and batch normalization
uses its moving averages, which are never updated and stay at mean 0 and variance 1. The model trains without an error, but worse.

## Bad

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(64), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam()


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss
```

## Good

```python
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(64), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam()


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss
```

## When it is wrong

Where a frozen model is fine-tuned in inference mode on purpose; pass `training=False` to make that explicit.

## References

- TensorFlow guide "Writing a training loop from scratch"
- Keras documentation of `BatchNormalization`
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::keras_training_flag
