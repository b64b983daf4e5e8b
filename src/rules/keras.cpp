#include "rules/keras.h"

#include "base/known_names.h"
#include "model/classes.h"
#include "rules/origins.h"
#include "rules/tables.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Value;

namespace {

constexpr u32 kMaxDepth = 8; // of models in models

std::string_view last_name(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

bool is_layer_api(std::string_view api) {
  return api.starts_with("tensorflow.keras.layers.") || api.starts_with("tensorflow.layers.");
}

bool is_sequential(std::string_view api) {
  return api == "tensorflow.keras.Sequential" || api == "tensorflow.keras.models.Sequential";
}

bool is_functional_model(std::string_view api) {
  return api == "tensorflow.keras.Model" || api == "tensorflow.keras.models.Model";
}

Activation activation_named(std::string_view name) {
  if (name == "softmax" || name == "Softmax") {
    return Activation::Softmax;
  }
  if (name == "sigmoid") {
    return Activation::Sigmoid;
  }
  return name == "linear" ? Activation::Linear : Activation::Other;
}

// What an argument names, which may come from a dictionary of options.
Activation activation_of(const Site &site, const model::Argument &given) {
  if (given.is_absent()) {
    return Activation::Linear;
  }
  if (const std::optional<model::ConstantValue> setting = setting_of(site, given, model::ConstantValue::none())) {
    return setting->is_none()                 ? Activation::Linear
           : setting->as_string().has_value() ? activation_named(setting->text)
                                              : Activation::Unknown;
  }
  if (given.unknown || given.may_be_absent || given.given.size() != 1) {
    return Activation::Unknown;
  }
  const Value value = model::value_of(given.given[0].scope, given.given[0].expr);
  return value.is(Value::Tag::Api) ? activation_named(last_name(value.name().text())) : Activation::Unknown;
}

// Where a layer's call has its activation and its width; -1: nowhere.
struct Positions {
  i32 activation = -1;
  i32 units = -1;
  bool named_units = false;
};

Positions positions_in(std::string_view api) {
  const std::string_view name = last_name(api);
  if (name == "Dense") {
    return {1, 0, true};
  }
  if (api == "tensorflow.layers.dense") {
    return {2, 1, true};
  }
  if (name == "EinsumDense") {
    return {2, -1, false};
  }
  if (name.find("Conv") != std::string_view::npos && name.find("LSTM") == std::string_view::npos) {
    return {64, name.find("Depthwise") == std::string_view::npos ? 0 : -1, false};
  }
  return {};
}

// Layers that hand through what a loss looks at.
bool hands_through(std::string_view api) {
  const std::string_view name = last_name(api);
  return name == "Reshape" || name == "Flatten" || name == "Permute" || name == "InputLayer";
}

// `Activation("linear", dtype="float32")` changes the type of the numbers, and nothing else.
bool is_cast(const LayerInfo &layer) {
  return last_name(layer.api) == "Activation" && layer.activation == Activation::Linear;
}

LayerInfo ending_at(const Site &site, const Value &value, u32 depth);

// The layer that is surely added last, where not all of them are known: a loop adds the blocks, and the head follows.
Value last_added(const Site &site, const Value &model) {
  const auto added =
      model.maker() != nullptr ? site.project.added_layers.find(model.maker()) : site.project.added_layers.end();
  if (added == site.project.added_layers.end()) {
    return {};
  }
  const std::vector<model::AddedLayer> &adds = added->second;
  const auto last = std::ranges::max_element(adds, {}, [](const model::AddedLayer &add) { return add.call->start; });
  const bool is_certain = std::ranges::all_of(
      adds, [&](const model::AddedLayer &add) { return add.function == last->function && add.layer != nullptr; });
  return is_certain && last->branch == nullptr ? last->value : Value{};
}

LayerInfo ending_of_layers(const Site &site, const Value &model, u32 depth) {
  std::vector<Value> layers = layers_of_sequential(site, model);
  if (layers.empty()) {
    layers.push_back(last_added(site, model));
  }
  for (std::size_t i = layers.size(); i-- > 0;) {
    const Value &layer = layers[i];
    if (layer.is(Value::Tag::Instance) && layer.name() && hands_through(layer.name().text())) {
      continue;
    }
    LayerInfo ending = ending_at(site, layer, depth + 1);
    const std::string_view name = last_name(ending.api);
    if (is_cast(ending)) {
      continue;
    }
    if (i > 0 && ending.call != nullptr && (name == "Activation" || name == "Softmax")) {
      ending.units = ending_at(site, layers[i - 1], depth + 1).units;
    }
    return ending;
  }
  return {};
}

LayerInfo ending_of_tensor(const Site &site, const Value &value, u32 depth) {
  if (value.maker() == nullptr || value.container) {
    return {};
  }
  const Value callee = site.project.callee_of(value.maker());
  if (callee.is(Value::Tag::Api)) {
    const std::string_view api = callee.name().text();
    if (is_layer_api(api)) { // tf.layers.dense(x, 10)
      return layer_of(site, *value.maker(), api);
    }
    const std::string_view name = last_name(api);
    if ((name == "softmax" || name == "sigmoid") && site.project.caller_of(value.maker()) != nullptr &&
        api.starts_with("tensorflow.")) {
      return {value.maker(), api, activation_named(name), {}};
    }
    return {};
  }
  if (!callee.is(Value::Tag::Instance)) {
    return {};
  }
  const LayerInfo ending = ending_at(site, callee, depth + 1);
  if (is_cast(ending)) {
    return ending_at(site, argument_value(site, argument(*value.maker(), 0, "inputs")), depth + 1);
  }
  return ending;
}

// A model of keras.applications with its classifier, which ends in a softmax unless it is told otherwise.
LayerInfo ending_of_application(const Site &site, const Value &value) {
  const Call &call = *value.maker();
  const Site there = site_of(site, call);
  const model::Argument top = argument_of(there, call, 0, "include_top");
  const std::optional<model::ConstantValue> has_top = setting_of(there, top, model::ConstantValue::of(true));
  if (has_hidden_arguments(call) || !has_top.has_value() || !has_top->is_true() || has_top->overridable) {
    return {};
  }
  const model::Argument given = argument_of(there, call, 64, "classifier_activation");
  const Activation activation = given.is_absent() ? Activation::Softmax : activation_of(there, given);
  return {&call, value.name().text(), activation, {}};
}

// HEADS[name](features): what the functions that it may be end in, if they all end alike.
LayerInfo ending_of_chosen(const Site &site, const Call &model, const Call &output, u32 depth) {
  const model::FunctionInfo *around = site.project.caller_of(&model);
  LayerInfo ending;
  for (const model::FunctionInfo *head :
       around != nullptr ? functions_chosen_by(site.project, model::scope_of(site.project, *around), output.func)
                         : std::vector<const model::FunctionInfo *>{}) {
    const LayerInfo one = ending_at(site, head->returns, depth + 1);
    if (one.call == nullptr || (ending.call != nullptr && one.activation != ending.activation)) {
      return {};
    }
    ending = ending.call == nullptr ? one : ending;
  }
  return ending;
}

LayerInfo ending_at(const Site &site, const Value &value, u32 depth) {
  if (depth > kMaxDepth) {
    return {};
  }
  if (value.is(Value::Tag::Object) && value.type->kind == Kind::KerasModel) {
    const model::FunctionInfo *const call = model::find_method_of(*value.type, known::sym_call);
    return call != nullptr ? ending_at(site, call->returns, depth + 1) : LayerInfo{};
  }
  if (!value.is(Value::Tag::Instance) || value.maker() == nullptr || !value.name() || value.kind == Kind::Dataset) {
    return {};
  }
  const std::string_view api = value.name().text();
  switch (value.kind) {
  case Kind::Tensor:
    return ending_of_tensor(site, value, depth);
  case Kind::KerasModel:
    if (is_sequential(api)) {
      return ending_of_layers(site, value, depth);
    }
    if (is_functional_model(api)) {
      const Expr *outputs = argument(*value.maker(), 1, "outputs");
      outputs = outputs != nullptr ? outputs : argument(*value.maker(), 1, "output");
      Value output = argument_value(site, outputs);
      if (output.is(Value::Tag::Tuple) && !output.uniform && output.number == 1) {
        output = output.items[0];
      }
      const auto *chosen = as<Call>(outputs);
      return output.is_unknown() && chosen != nullptr ? ending_of_chosen(site, *value.maker(), *chosen, depth)
                                                      : ending_at(site, output, depth + 1);
    }
    return api.starts_with("tensorflow.keras.applications.") ? ending_of_application(site, value) : LayerInfo{};
  case Kind::KerasLayer:
    if (last_name(api) == "TimeDistributed") {
      const Value inner = value_of(site_of(site, *value.maker()), argument(*value.maker(), 0, "layer"));
      return ending_at(site, inner, depth + 1);
    }
    return layer_of(site, *value.maker(), api);
  default:
    return {};
  }
}

} // namespace

LayerInfo layer_of(const Site &site, const Call &call, std::string_view api) {
  if (site.project.caller_of(&call) == nullptr) {
    return {};
  }
  LayerInfo layer{&call, api, Activation::Unknown, {}};
  if (!is_layer_api(api)) {
    return layer;
  }
  const Site there = site_of(site, call);
  const std::string_view name = last_name(api);
  if (name == "Activation") {
    const model::Argument given = argument_of(there, call, 0, "activation");
    layer.activation = given.is_absent() ? Activation::Unknown : activation_of(there, given);
    return layer;
  }
  if (name == "Softmax") {
    layer.activation = Activation::Softmax;
    return layer;
  }
  if (name == "ReLU" || name == "LeakyReLU" || name == "PReLU" || name == "ELU") {
    layer.activation = Activation::Other;
    return layer;
  }
  const Positions positions = positions_in(api);
  if (positions.activation < 0 || (positions.activation == 64 && call.args.size() > 6)) {
    return layer;
  }
  layer.activation =
      activation_of(there, argument_of(there, call, static_cast<u32>(positions.activation), "activation"));
  if (positions.units >= 0) {
    const model::Argument given =
        argument_of(there, call, static_cast<u32>(positions.units), positions.named_units ? "units" : "filters");
    const std::optional<model::ConstantValue> units = setting_of(there, given, model::ConstantValue::none());
    layer.units = units.has_value() ? units->as_integer() : std::nullopt;
  }
  return layer;
}

LayerInfo ending_of(const Site &site, const Value &value) { return ending_at(site, value, 0); }

std::vector<Value> layers_of_sequential(const Site &site, const Value &model) {
  if (!model.is_kind(Kind::KerasModel) || model.maker() == nullptr || !model.name() ||
      !is_sequential(model.name().text()) || has_hidden_arguments(*model.maker())) {
    return {};
  }
  std::vector<Value> layers;
  if (const Expr *given = argument(*model.maker(), 0, "layers"); given != nullptr && !is_none(given)) {
    const Value list = argument_value(site, given);
    const auto *written = as<List>(given);
    if (!list.is(Value::Tag::Tuple) || list.uniform || written == nullptr || written->elts.size() != list.number) {
      return {};
    }
    layers.assign(list.items, list.items + list.number);
  }
  const auto added = site.project.added_layers.find(model.maker());
  if (added == site.project.added_layers.end()) {
    return layers;
  }
  const std::vector<model::AddedLayer> &adds = added->second;
  // What one function adds before another does is a model of which there may be several.
  const bool certain = std::ranges::all_of(adds, [&](const model::AddedLayer &add) {
    return add.layer != nullptr && add.function == adds.front().function && add.branch == adds.front().branch;
  });
  if (!certain) {
    return {};
  }
  for (const model::AddedLayer &add : adds) {
    layers.push_back(add.value);
  }
  return layers;
}

Value argument_value(const Site &site, const Expr *expr) {
  const auto known = expr != nullptr ? site.project.argument_values.find(expr) : site.project.argument_values.end();
  return known != site.project.argument_values.end() ? known->second : Value{};
}

// ---- Losses ---------------------------------------------------------------------------------------------------------

namespace {

LossInfo::Family family_of(std::string_view name) {
  using Family = LossInfo::Family;
  if (name == "binary_crossentropy" || name == "BinaryCrossentropy" || name == "bce") {
    return Family::Binary;
  }
  if (name == "categorical_crossentropy" || name == "CategoricalCrossentropy") {
    return Family::Categorical;
  }
  if (name == "sparse_categorical_crossentropy" || name == "SparseCategoricalCrossentropy") {
    return Family::Sparse;
  }
  return Family::Other;
}

// TensorFlow's own, which all take logits.
LossInfo::Family logits_family_of(std::string_view api) {
  using Family = LossInfo::Family;
  if (!api.starts_with("tensorflow.") || api.find("cross_entropy") == std::string_view::npos) {
    return Family::Unknown;
  }
  const std::string_view name = last_name(api);
  if (name.starts_with("sparse_softmax_cross_entropy")) {
    return Family::Sparse;
  }
  if (name.starts_with("softmax_cross_entropy")) {
    return Family::Categorical;
  }
  return name.starts_with("sigmoid_cross_entropy") || name.starts_with("weighted_cross_entropy") ? Family::Binary
                                                                                                 : Family::Unknown;
}

// Written down, or the default of a setting; not that of a parameter, which callers pass for reasons of their own.
std::optional<bool> logits_argument(const Site &site, const Call &call, u32 position) {
  const model::Argument given = argument_of(site, call, position, "from_logits");
  const std::optional<model::ConstantValue> setting = setting_of(site, given, model::ConstantValue::of(false));
  if (!setting.has_value()) {
    return std::nullopt;
  }
  const bool is_parameter = setting->overridable && std::ranges::any_of(given.given, [](const auto &one) {
                              return one.expr->kind == NodeKind::Name;
                            });
  return is_parameter ? std::nullopt : setting->as_bool();
}

LossInfo loss_made_by_one(const Site &site, const Value &value) {
  if (!value.is_kind(Kind::KerasLoss) || value.maker() == nullptr || !value.name()) {
    return {};
  }
  const LossInfo::Family family = family_of(last_name(value.name().text()));
  return {family, logits_argument(site_of(site, *value.maker()), *value.maker(), 0)};
}

// Takes up one more of the losses that it may be. False if it expects something else than the others.
bool agree(LossInfo &all, const LossInfo &one) {
  if (one.family == LossInfo::Family::Unknown ||
      (all.family != LossInfo::Family::Unknown &&
       (all.from_logits != one.from_logits ||
        (all.family == LossInfo::Family::Other) != (one.family == LossInfo::Family::Other)))) {
    return false;
  }
  const bool differs = all.family != LossInfo::Family::Unknown && all.family != one.family;
  all = {differs ? LossInfo::Family::Several : one.family, one.from_logits};
  return true;
}

// One of several, as a branch chooses them, if they all expect the same of the model.
LossInfo loss_made_by(const Site &site, const Value &value) {
  if (value.alternatives == nullptr) {
    return loss_made_by_one(site, value);
  }
  LossInfo all;
  bool is_one = !value.open && !value.none;
  model::for_each_alternative(value,
                              [&](const Value &one) { is_one = is_one && agree(all, loss_made_by_one(site, one)); });
  return is_one ? all : LossInfo{};
}

// A loss that the project writes around another one: `lambda y, p: keras.losses.mse(y, p)`. The predictions are its
// second parameter and have to arrive at the other one as they are.
LossInfo loss_in_function(const Site &site, const model::FunctionInfo &function) {
  if (function.params.size() < 2 || function.type != nullptr || function.node == nullptr) {
    return {};
  }
  const Symbol predictions = function.params[1]->name;
  const Site there = site_of_origin(site, function);
  LossInfo all;
  bool is_one = true;
  any_node_inside(function.node, [&](const Node *node) {
    const auto *name = as<Name>(node);
    is_one = is_one && (name == nullptr || name->id != predictions || name->context == Context::Load);
    const auto *call = as<Call>(node);
    const LossInfo loss = call != nullptr ? called_loss(there, *call) : LossInfo{};
    if (loss.family != LossInfo::Family::Unknown && loss.family != LossInfo::Family::Other) {
      const auto *given = as<Name>(predictions_of(*call));
      is_one = is_one && given != nullptr && given->id == predictions && agree(all, loss);
    }
    return !is_one;
  });
  return is_one ? all : LossInfo{};
}

// functools.partial(keras.losses.categorical_crossentropy, from_logits=True)
LossInfo loss_of_partial(const Site &site, const Call &call) {
  if (called_api(site, call) != "functools.partial" || call.args.size() != 1) {
    return {};
  }
  const Value value = value_of(site, call.args[0]);
  if (!value.is(Value::Tag::Api) || !value.name().text().starts_with("tensorflow.keras.losses.")) {
    return {};
  }
  const Keyword *given = keyword_argument(call, "from_logits");
  return {family_of(last_name(value.name().text())),
          given != nullptr ? bool_of(site, given->value) : std::optional(false)};
}

} // namespace

const Expr *predictions_of(const Call &call) {
  return keyword_argument(call, "logits") != nullptr ? keyword_argument(call, "logits")->value
                                                     : argument(call, 1, "y_pred");
}

LossInfo loss_of(const Site &site, const Expr *expr) {
  if (expr == nullptr) {
    return {};
  }
  if (const std::optional<std::string> name = string_of(site, expr)) {
    return {family_of(*name), false};
  }
  const Value value = expr->kind == NodeKind::Lambda ? Value::of(site.project.function_at(expr)) : value_of(site, expr);
  if (value.is(Value::Tag::Api) && value.name().text().starts_with("tensorflow.keras.losses.")) {
    return {family_of(last_name(value.name().text())), false};
  }
  if (value.is(Value::Tag::Function) && !value.open && value.function != nullptr) {
    return loss_in_function(site, *value.function);
  }
  const auto *call = as<Call>(expr);
  if (const LossInfo partial = call != nullptr ? loss_of_partial(site, *call) : LossInfo{};
      partial.family != LossInfo::Family::Unknown) {
    return partial;
  }
  if (!value.is_unknown() || call == nullptr) {
    return loss_made_by(site, value);
  }
  // LOSSES[name](settings)
  LossInfo chosen;
  for (const model::FunctionInfo *maker : functions_chosen_by(site.project, scope_of(site), call->func)) {
    if (!agree(chosen, loss_made_by(site, maker->returns))) {
      return {};
    }
  }
  return chosen;
}

LossInfo compiled_loss(const Site &site, const Call &compile, const Node **place) {
  const model::Argument argument = argument_of(site, compile, 1, "loss");
  if (argument.given.size() != 1 || argument.unknown || argument.may_be_absent) {
    return {};
  }
  const model::Argument::Given &given = argument.given[0];
  const auto look_at = [&](const model::Argument::Given &one) {
    if (place != nullptr) {
      *place = one.scope.module == site.module ? static_cast<const Node *>(one.expr) : &compile;
    }
    Site there = site;
    there.module = one.scope.module;
    there.function = one.scope.function;
    there.ancestors.clear();
    return loss_of(there, one.expr);
  };
  // LOSSES[name]: the cross-entropies among them, if they all expect the same.
  LossInfo chosen;
  for (const model::Argument::Given &entry : entries_chosen_by(given.scope, given.expr)) {
    const LossInfo loss = look_at(entry);
    if (loss.family == LossInfo::Family::Unknown || loss.family == LossInfo::Family::Other) {
      continue;
    }
    if (chosen.family != LossInfo::Family::Unknown &&
        (loss.family != chosen.family || loss.from_logits != chosen.from_logits)) {
      return {};
    }
    chosen = loss;
  }
  const LossInfo written = look_at(given);
  return chosen.family != LossInfo::Family::Unknown ? chosen : written;
}

LossInfo called_loss(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  if (callee.is_kind(Kind::KerasLoss)) {
    return loss_made_by(site, callee);
  }
  if (!callee.is(Value::Tag::Api)) {
    return {};
  }
  const std::string_view api = callee.name().text();
  if (const LossInfo::Family family = logits_family_of(api); family != LossInfo::Family::Unknown) {
    return {family, true};
  }
  if (api.starts_with("tensorflow.keras.losses.") || api.starts_with("tensorflow.keras.backend.")) {
    return {family_of(last_name(api)), logits_argument(site, call, 2)};
  }
  return {};
}

Value model_of(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  if (callee.is(Value::Tag::ApiMethod)) {
    const Value &receiver = callee.receiver();
    if (receiver.is_kind(Kind::KerasModel) && receiver.maker() != nullptr) {
      return receiver;
    }
  }
  const Expr *receiver = receiver_of(call);
  const Value value = receiver != nullptr ? value_of(site, receiver) : Value{};
  return value.is(Value::Tag::Object) && value.type->kind == Kind::KerasModel ? value : Value{};
}

} // namespace deepperf::rules
