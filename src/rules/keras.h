// What a Keras model ends in: the last layer, as far as it is written down.
#pragma once

#include "rules/site.h"

#include <optional>

namespace deepperf::rules {

enum class Activation : u8 { Unknown, Linear, Softmax, Sigmoid, Other };

// A layer as it is made: Dense(10, activation="softmax").
struct LayerInfo {
  const python::Call *call = nullptr;
  std::string_view api; // canonical, as tensorflow.keras.layers.Dense
  Activation activation = Activation::Unknown;
  std::optional<i64> units; // or filters
};

// What the call of a layer's class says; `call` may stand in any file.
LayerInfo layer_of(const Site &site, const python::Call &call, std::string_view api);

// The last layer of a model, or the layer or activation that a tensor comes from. No call: not known.
LayerInfo ending_of(const Site &site, const model::Value &value);

// All layers of a Sequential, where they are all known; empty if not.
std::vector<model::Value> layers_of_sequential(const Site &site, const model::Value &model);

// What the argument of a loss or model is, where it stands.
model::Value argument_value(const Site &site, const python::Expr *expr);

// A loss as compile() or a call gives it.
struct LossInfo {
  // Several: one of these cross-entropies, and which one is chosen while the program runs.
  enum class Family : u8 { Unknown, Binary, Categorical, Sparse, Several, Other };
  Family family = Family::Unknown;
  std::optional<bool> from_logits; // nothing: not known
};
LossInfo loss_of(const Site &site, const python::Expr *expr); // what stands for it in compile(loss=…)
// The loss of a compile(…), also from a dictionary of options. `*place`, if given, is where it is written, or the call
// if that is in another file.
LossInfo compiled_loss(const Site &site, const python::Call &compile, const python::Node **place = nullptr);
LossInfo called_loss(const Site &site, const python::Call &call); // loss(labels, predictions)
// What such a call gets as predictions.
const python::Expr *predictions_of(const python::Call &call);

// The model that a method is called on.
model::Value model_of(const Site &site, const python::Call &call);

} // namespace deepperf::rules
