// The tables of transfer functions of libraries beside PyTorch, and what they share with those of PyTorch.
#pragma once

#include "shapes/registry.h"

namespace deepperf::shapes {

std::span<const TransferEntry> join_transfers();
std::span<const TransferEntry> array_maker_transfers();
std::span<const TransferEntry> array_join_transfers();
std::span<const TransferEntry> keras_layer_transfers();
std::span<const TransferEntry> keras_model_transfers();
std::span<const TransferEntry> keras_fit_transfers();
std::span<const TransferEntry> keras_loss_transfers();
std::span<const TransferEntry> keras_recurrent_transfers();
std::span<const TransferEntry> keras_generator_transfers();
std::span<const TransferEntry> keras_application_transfers();
std::span<const TransferEntry> keras_merge_transfers();
std::span<const TransferEntry> tf_operation_transfers();
std::span<const TransferEntry> tf_layout_transfers();
std::span<const TransferEntry> tf_nn_transfers();
std::span<const TransferEntry> tf_session_transfers();
std::span<const TransferEntry> jax_transfers();
std::span<const TransferEntry> keras_op_transfers();
std::span<const TransferEntry> flax_transfers();
std::span<const TransferEntry> frame_transfers();
std::span<const TransferEntry> picture_transfers();

// The shape and dtype of nested lists of numbers, floats as float32. False if that is not known.
bool measure(Interpreter &in, const Value &value, std::vector<Dim> &dims, Dtype &dtype, u32 depth);

} // namespace deepperf::shapes
