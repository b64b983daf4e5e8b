// What the files about layers of Keras share.
#pragma once

#include "shapes/keras.h"
#include "shapes/tf.h"

namespace deepperf::shapes::keras_layers {

inline std::vector<Dim> dims_of(const Shape &shape) { return dims_in(shape); }
std::string_view class_of(const Operation &operation);
// What a layer gives for an input.
Value answer(Operation &operation, const Tensor &input, const std::vector<Dim> &dims);
Value nothing_known(Operation &operation, const Tensor *input);
// Whether what a layer gets has so many dimensions, the batch among them; reports it if it has fewer, or more where
// that is refused as well.
bool check_rank(Operation &operation, const Tensor &input, u32 rank, bool is_exact);
// The weights of a layer are made for the first input that it gets.
bool check_built(Operation &operation, const Tensor &input, Dim size);
// Windows that slide over a map: convolutions and pooling.
Value slide(Operation &operation, const Tensor &input, std::string_view kernel_name, std::string_view stride_name,
            bool is_pool);

} // namespace deepperf::shapes::keras_layers
