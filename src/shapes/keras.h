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

} // namespace deepperf::shapes
