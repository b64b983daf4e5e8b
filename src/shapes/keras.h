// What the files about Keras share.
#pragma once

#include "shapes/libraries.h"

namespace deepperf::shapes {

// The shape that a first layer says its input has (input_shape, input_dim, batch_input_shape), or that an Input has.
// Nothing if it says none; sizes that are None are not known.
std::optional<Shape> keras_input_shape(Interpreter &interpreter, const Object &layer);
// Of (28, None, 1), with a batch before it if `with_batch`.
std::optional<Shape> keras_shape(Interpreter &interpreter, const Value &value, bool with_batch);
// An argument of a layer's constructor; unknown if it has none of that name.
Value keras_argument(Interpreter &interpreter, const Object &layer, std::string_view name);
bool is_keras(const Value &value); // a layer or model

// What an object was given by us: `input` and `output` of a model, `*element` of a dataset. Unknown if nothing was.
Value keras_get(const Object &object, std::string_view name);
void keras_set(Interpreter &interpreter, Object &object, std::string_view name, const Value &value);
// Runs the layers of a Sequential on a tensor. Unknown if they are not known.
Value keras_run_layers(Operation &operation, Object &model, const Tensor &input);
void keras_make_model(Operation &operation);
// Runs build() of a layer of the program's own, once, before it is called; and makes tensors of arrays that it gets.
void keras_prepare(Interpreter &interpreter, Object &layer, Arguments &arguments);
// Whether the module proves that it runs with a Keras before 2.4 (TensorFlow before 2.2), which takes arrays of the
// exact shape alone: later versions add and drop dimensions of 1, and broadcast labels.
bool keras_is_strict(const Interpreter &interpreter);
// Renames the arguments that Keras 1 had for a layer or model.
void keras_modernize(Interpreter &interpreter, Symbol api, Arguments &arguments);

// ---- Losses
// In small letters without underscores; empty if it is not known.
std::string keras_loss_name(const Value &loss);
struct LabelsAndOutput {
  const Tensor &labels;
  const Tensor &output;
  Dim batch;                // how many examples one step has
  bool adds_column = false; // labels of one dimension become a column
  bool is_strict = false;   // they need the shape of the output
};
// Reports labels that a loss does not take.
void keras_check_labels(Operation &operation, std::string_view loss, const LabelsAndOutput &both,
                        std::string_view place);

} // namespace deepperf::shapes
