// tf.nn: convolutions and pooling with weights that are given, losses, and recurrent networks of TensorFlow 1.
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace tf_nn {
namespace {

Value unknown(Operation &op, const Tensor *input = nullptr) { return made(op, {}, Dtype::Unknown, {input}); }

enum class Layout : u8 { Unknown, Last, First };
Layout layout_of(Operation &op) {
  const Value format = op.arg("data_format");
  if (format.is(Tag::None)) {
    return Layout::Last;
  }
  if (!format.is(Tag::Str) || format.number == 0) {
    return Layout::Unknown;
  }
  return format.text().starts_with("NC") ? Layout::First : Layout::Last;
}

// Steps or windows of the spatial dimensions: a number, one for each of them, or one for each dimension of the input.
bool spatial(Operation &op, std::string_view name, u32 count, Layout layout, std::vector<Dim> &sizes) {
  const Value given = op.arg(name);
  if (given.is(Tag::None)) {
    sizes.assign(count, Dim::of(1));
    return true;
  }
  if (given.is(Tag::Int)) {
    sizes.assign(count, given.dim());
    return true;
  }
  if (!op.in.as_dims(given, sizes)) {
    return false;
  }
  if (sizes.size() == 1) {
    sizes.assign(count, sizes[0]);
  }
  if (sizes.size() == count) {
    return true;
  }
  if (sizes.size() == count + 2) {
    const u32 first = layout == Layout::First ? 2 : 1;
    sizes = std::vector<Dim>(sizes.begin() + first, sizes.begin() + first + count);
    return true;
  }
  if (Problem *problem = op.report(Fault::WrongRank, fmt::format("{} of {} has {} values, but must have {}", name,
                                                                 op.short_name(), sizes.size(), count + 2))) {
    problem->advice = fmt::format("give one value for each dimension: [1, height, width, 1]");
  }
  return false;
}

// Windows that slide over the spatial dimensions; `dims` is the shape of the input, and becomes that of the output.
bool slide(Operation &op, const Tensor &input, u32 count, Layout layout, const std::vector<Dim> &windows,
           const std::vector<Dim> &steps, const std::vector<Dim> &dilations, std::vector<Dim> &dims) {
  const Value padding = op.arg("padding");
  const bool is_named = padding.is(Tag::Str) && padding.number != 0;
  const bool is_same = is_named && (padding.text() == "SAME" || padding.text() == "same");
  const bool is_valid = is_named && (padding.text() == "VALID" || padding.text() == "valid");
  Terms &terms = op.in.terms;
  for (u32 i = 0; i < count; ++i) {
    Dim &dim = dims[i + (layout == Layout::First ? 2 : 1)];
    const Dim before = dim;
    const bool is_known = windows[i].is_constant() && steps[i].is_constant() && steps[i].value > 0 &&
                          dilations[i].is_constant() && before.is_known();
    if (!is_known || (!is_same && !is_valid)) {
      dim = {};
      continue;
    }
    if (is_same) {
      dim = terms.floor_divide(terms.add(before, Dim::of(steps[i].value - 1)), steps[i]);
      continue;
    }
    const i64 reach = (windows[i].value - 1) * dilations[i].value + 1;
    dim = terms.add(terms.floor_divide(terms.subtract(before, Dim::of(reach)), steps[i]), Dim::of(1));
    if (before.is_constant() && before.value < reach) {
      if (Problem *problem =
              op.report(Fault::MapVanishes,
                        fmt::format("{} leaves nothing of {}: its window of {} is larger than the remaining {}",
                                    op.short_name(), op.in.text_of(input), reach, before.value))) {
        op.in.add_chain(*problem, input);
        problem->advice = "use padding=\"SAME\", fewer layers that shrink the map, or a larger input";
      }
      return false;
    }
  }
  return true;
}

Value convolve(Operation &op, u32 count) {
  const Tensor *const input = converted(op, first_given(op, {"input", "value"}));
  const Tensor *const weights = converted(op, first_given(op, {"filters", "filter"}));
  const Layout layout = layout_of(op);
  if (input == nullptr || weights == nullptr) {
    return unknown(op, input);
  }
  if (!check_same_dtype(op.in, op.node, *input, *weights, op.short_name()) ||
      !check_rank_is(op, *input, count + 2, input->shape.rank() < count + 2,
                     "its input is [batch, …, channels]: add what is missing with tf.expand_dims or tf.reshape") ||
      !check_rank_is(op, *weights, count + 2, true, "filters are [height, width, in_channels, out_channels]")) {
    return unknown(op, input);
  }
  if (!input->shape.has_rank(count + 2) || !weights->shape.has_rank(count + 2) || layout == Layout::Unknown) {
    return unknown(op, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  const u32 channels = layout == Layout::First ? 1 : count + 1;
  const Dim wanted = weights->shape.from_end(1);
  const Dim got = dims[channels];
  // Groups of channels are allowed: what the filters take must divide what there is.
  if (wanted.is_constant() && got.is_constant() && wanted.value > 0 && got.value % wanted.value != 0) {
    if (Problem *problem =
            op.report(Fault::LayerInputSize,
                      fmt::format("{} with filters of {} takes {} channels, but gets {} of {}", op.short_name(),
                                  op.in.text_of(*weights), wanted.value, got.value, op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *weights);
      problem->advice = fmt::format("the last but one size of the filters must be {}", got.value);
    }
    return unknown(op, input);
  }
  const Dim filters = weights->shape.from_end(0);
  const i64 groups =
      wanted.is_constant() && got.is_constant() && wanted.value > 0 && got.value > 0 ? got.value / wanted.value : 1;
  if (filters.is_constant() && filters.value % groups != 0) {
    if (Problem *problem = op.report(
            Fault::LayerInputSize,
            fmt::format("{} with filters of {} takes {} of the {} channels of {} in each of {} groups, and {} "
                        "outputs cannot be divided among these",
                        op.short_name(), op.in.text_of(*weights), wanted.value, got.value, op.in.text_of(*input),
                        groups, filters.value))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *weights);
      problem->advice = fmt::format("the last but one size of the filters must be {}", got.value);
    }
    return unknown(op, input);
  }
  std::vector<Dim> steps;
  std::vector<Dim> dilations;
  if (!spatial(op, "strides", count, layout, steps) || !spatial(op, "dilations", count, layout, dilations)) {
    return unknown(op, input);
  }
  std::vector<Dim> windows;
  for (u32 i = 0; i < count; ++i) {
    windows.push_back(weights->shape.dims[i]);
  }
  if (!slide(op, *input, count, layout, windows, steps, dilations, dims)) {
    return unknown(op, input);
  }
  dims[channels] = weights->shape.from_end(0);
  return made(op, op.in.heap.shape(dims), input->dtype, {input, weights});
}

Value call_conv1d(Operation &op) { return convolve(op, 1); }
Value call_conv2d(Operation &op) { return convolve(op, 2); }
Value call_conv3d(Operation &op) { return convolve(op, 3); }

// conv2d_transpose(x, filters, output_shape, strides): filters are [height, width, out_channels, in_channels]
Value call_conv2d_transpose(Operation &op) {
  const Tensor *const input = converted(op, first_given(op, {"input", "value"}));
  const Tensor *const weights = converted(op, first_given(op, {"filters", "filter"}));
  if (input == nullptr || weights == nullptr || layout_of(op) != Layout::Last || !input->shape.has_rank(4) ||
      !weights->shape.has_rank(4)) {
    return unknown(op, input);
  }
  const Dim wanted = weights->shape.dims[3];
  const Dim got = input->shape.dims[3];
  if (op.in.terms.differ(wanted, got)) {
    if (Problem *problem = op.report(Fault::LayerInputSize,
                                     fmt::format("{} with filters of {} takes {} channels, but gets {} of {}",
                                                 op.short_name(), op.in.text_of(*weights), op.in.terms.text(wanted),
                                                 op.in.terms.text(got), op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *weights);
      problem->advice = "filters of a transposed convolution are [height, width, out_channels, in_channels]";
    }
    return unknown(op, input);
  }
  std::vector<Dim> dims;
  const Value shape = op.arg("output_shape");
  if (!shape.is_sequence() || !op.in.as_dims(shape, dims) || dims.size() != 4) {
    dims = {input->shape.dims[0], Dim{}, Dim{}, weights->shape.dims[2]};
  }
  return made(op, op.in.heap.shape(dims), input->dtype, {input, weights});
}

Value pool(Operation &op, u32 count) {
  const Tensor *const input = converted(op, first_given(op, {"input", "value"}));
  const Layout layout = layout_of(op);
  if (input == nullptr || layout == Layout::Unknown) {
    return unknown(op, input);
  }
  if (!check_rank_is(op, *input, count + 2, true,
                     "its input is [batch, …, channels]: add what is missing with tf.expand_dims or tf.reshape") ||
      !input->shape.is_known()) {
    return unknown(op, input);
  }
  std::vector<Dim> windows;
  std::vector<Dim> steps;
  if (!spatial(op, "ksize", count, layout, windows) || !spatial(op, "strides", count, layout, steps)) {
    return unknown(op, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  if (!slide(op, *input, count, layout, windows, steps, std::vector<Dim>(count, Dim::of(1)), dims)) {
    return unknown(op, input);
  }
  return made(op, op.in.heap.shape(dims), input->dtype, {input});
}

Value call_pool1d(Operation &op) { return pool(op, 1); }
Value call_pool2d(Operation &op) { return pool(op, 2); }
// avg_pool and max_pool of TensorFlow 2 take maps of one to three dimensions, unless the window has four sizes.
Value call_pool_any(Operation &op) {
  const Tensor *const input = converted(op, first_given(op, {"input", "value"}));
  const Value window = op.arg("ksize");
  const bool is_plane = window.is_sequence() && !window.list->content.is_open && window.list->content.items.size() == 4;
  const bool fits = input != nullptr && input->shape.is_known() && input->shape.rank() >= 3 && input->shape.rank() <= 5;
  return pool(op, !is_plane && fits ? input->shape.rank() - 2 : 2);
}
Value call_pool3d(Operation &op) { return pool(op, 3); }

Value call_bias_add(Operation &op) {
  const Tensor *const input = converted(op, "value");
  const Tensor *const bias = converted(op, "bias");
  if (input == nullptr || bias == nullptr) {
    return unknown(op, input);
  }
  if (!check_rank_is(op, *bias, 1, true, "a bias has one dimension") ||
      !check_same_dtype(op.in, op.node, *input, *bias, op.short_name())) {
    return unknown(op, input);
  }
  const Dim last = input->shape.is_known() && input->shape.rank() > 1 ? input->shape.from_end(0) : Dim{};
  if (bias->shape.has_rank(1) && layout_of(op) == Layout::Last && op.in.terms.differ(last, bias->shape.dims[0])) {
    if (Problem *problem = op.report(Fault::ShapesDoNotFit,
                                     fmt::format("bias_add of {} and {} is invalid: {} is not {}",
                                                 op.in.text_of(*input), op.in.text_of(*bias), op.in.terms.text(last),
                                                 op.in.terms.text(bias->shape.dims[0])))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *bias);
      problem->advice = "a bias has one value for each channel";
    }
    return unknown(op, input);
  }
  return made(op, input->shape, input->dtype, {input});
}

// contrib.layers.fully_connected
Value call_fully_connected(Operation &op) {
  return run_as(op, "keras_dense", {{"inputs", op.arg("inputs")}, {"units", op.arg("num_outputs")}});
}

// xw_plus_b(x, weights, biases)
Value call_xw_plus_b(Operation &op) {
  const Tensor *const x = converted(op, "x");
  const Tensor *const weights = converted(op, "weights");
  if (x == nullptr || weights == nullptr) {
    return unknown(op);
  }
  return retyped(op, run_as(op, "matmul", {{"input", op.in.plain_tensor(*x)}, {"other", op.in.plain_tensor(*weights)}}),
                 Library::TensorFlow, x->dtype);
}

// ---- Losses

bool report_labels(Operation &op, const Tensor &labels, const Tensor &logits, std::string message, std::string advice) {
  if (Problem *problem = op.report(Fault::LossTargetShape, std::move(message))) {
    op.in.add_chain(*problem, logits);
    op.in.add_chain(*problem, labels);
    problem->advice = std::move(advice);
  }
  return false;
}

bool has_same_shape(Operation &op, const Tensor &a, const Tensor &b, bool ones_fit) {
  if (!a.shape.is_known() || !b.shape.is_known()) {
    return true;
  }
  if (a.shape.rank() != b.shape.rank()) {
    return false;
  }
  for (u32 i = 0; i < a.shape.rank(); ++i) {
    const Dim x = a.shape.dims[i];
    const Dim y = b.shape.dims[i];
    if (op.in.terms.differ(x, y) && !(ones_fit && (x.is(1) || y.is(1)))) {
      return false;
    }
  }
  return true;
}

Value per_example(Operation &op, const Tensor *logits) {
  if (logits == nullptr || !logits->shape.is_known() || logits->shape.rank() == 0) {
    return unknown(op, logits);
  }
  std::vector<Dim> dims = dims_in(logits->shape);
  dims.pop_back();
  return made(op, op.in.heap.shape(dims), logits->dtype, {logits});
}

// As many rows of logits as of labels: decided by what is fed.
void check_rows_when_fed(Operation &op, const Tensor &labels, const Tensor &logits) {
  if (!labels.shape.is_known() || !logits.shape.is_known() || labels.shape.rank() == 0 || logits.shape.rank() == 0) {
    return;
  }
  const Dim left = logits.shape.dims[0];
  const Dim right = labels.shape.dims[0];
  if (left.is_known() && right.is_known() && left != right && !op.in.terms.differ(left, right)) {
    op.in.later.push_back({Fault::LossTargetShape, op.in.module(), op.node, &logits, left, right, false});
  }
}

Value call_softmax_loss(Operation &op) {
  const Tensor *const logits = converted(op, "logits");
  const Tensor *const labels = converted(op, first_given(op, {"labels", "onehot_labels"}));
  if (logits == nullptr || labels == nullptr) {
    return per_example(op, logits);
  }
  check_floating(op, *logits);
  check_rows_when_fed(op, *labels, *logits);
  // A size of 1 is repeated by some versions.
  if (!has_same_shape(op, *labels, *logits, true) && labels->shape.rank() == logits->shape.rank()) {
    report_labels(op, *labels, *logits,
                  fmt::format("{} takes labels and logits of the same shape, but gets {} and {}", op.short_name(),
                              op.in.text_of(*labels), op.in.text_of(*logits)),
                  "the last layer needs as many outputs as the labels have columns");
  }
  return op.short_name() == "softmax_cross_entropy" ? unknown(op, logits) : per_example(op, logits);
}

Value call_sparse_loss(Operation &op) {
  const Tensor *const logits = converted(op, "logits");
  const Tensor *const labels = converted(op, "labels");
  if (logits == nullptr || labels == nullptr) {
    return per_example(op, logits);
  }
  const bool is_nn = op.short_name() == "sparse_softmax_cross_entropy_with_logits";
  check_rows_when_fed(op, *labels, *logits);
  if (is_nn && !check_integer(op, *labels, "the labels")) {
    return per_example(op, logits);
  }
  if (labels->shape.is_known() && logits->shape.is_known() && logits->shape.rank() > 0) {
    const u32 wanted = logits->shape.rank() - 1;
    const bool has_column = labels->shape.rank() == wanted + 1 && labels->shape.from_end(0).is(1);
    bool fits = labels->shape.rank() == wanted || (!is_nn && has_column);
    for (u32 i = 0; fits && i < wanted && labels->shape.rank() == wanted; ++i) {
      fits = !op.in.terms.differ(labels->shape.dims[i], logits->shape.dims[i]);
    }
    if (!fits && (is_nn || (labels->shape.rank() == wanted + 1 && labels->shape.from_end(0).is_constant()))) {
      report_labels(op, *labels, *logits,
                    fmt::format("{} takes one class index for each row of logits, but gets labels {} for logits {}",
                                op.short_name(), op.in.text_of(*labels), op.in.text_of(*logits)),
                    has_column ? "remove the last dimension of the labels: tf.squeeze(labels, axis=-1)"
                               : "use softmax_cross_entropy_with_logits for one-hot labels, or tf.argmax of them");
    }
  }
  return is_nn ? per_example(op, logits) : unknown(op, logits);
}

// Element by element, of two tensors of one shape.
Value call_paired_loss(Operation &op) {
  const Tensor *const logits = converted(op, first_given(op, {"logits", "predictions"}));
  const Tensor *const labels = converted(op, first_given(op, {"labels", "targets", "multi_class_labels"}));
  if (logits == nullptr || labels == nullptr) {
    return unknown(op, logits);
  }
  const bool is_sigmoid = op.short_name() == "sigmoid_cross_entropy_with_logits";
  const bool same_dtype = !is_sigmoid || check_same_dtype(op.in, op.node, *labels, *logits, op.short_name());
  if (same_dtype && !has_same_shape(op, *labels, *logits, false)) {
    report_labels(op, *labels, *logits,
                  fmt::format("{} compares values one by one, but gets labels {} for {}", op.short_name(),
                              op.in.text_of(*labels), op.in.text_of(*logits)),
                  "reshape one of them, so that both have the same shape");
  }
  return is_sigmoid ? made(op, logits->shape, logits->dtype, {logits}) : unknown(op, logits);
}

// ---- Recurrent networks of TensorFlow 1

// What a cell gives for each step; unknown if it is not known.
Dim units_of(Operation &op, const Value &cell, u32 depth = 0) {
  if (!cell.is(Tag::Object) || !cell.object->content.api || depth > 4 || cell.object->content.args.empty()) {
    return {};
  }
  const Value first = cell.object->content.args[0];
  const std::string_view api = cell.object->content.api.text();
  if (api.ends_with("Wrapper")) {
    return units_of(op, first, depth + 1);
  }
  if (api.ends_with("MultiRNNCell")) {
    std::vector<Value> cells;
    return op.in.iterate(first, cells) && !cells.empty() ? units_of(op, cells.back(), depth + 1) : Dim{};
  }
  for (std::size_t i = 1; i < cell.object->content.args.size(); ++i) {
    if (!cell.object->content.args[i].is(Tag::None)) {
      return {}; // a projection, or something else that changes the size
    }
  }
  return op.in.as_dim(first);
}

Value call_dynamic_rnn(Operation &op) {
  const Tensor *const input = converted(op, "inputs");
  const Value nothing;
  if (input == nullptr) {
    return op.in.heap.new_list({unknown(op), nothing}, Tag::Tuple);
  }
  if (!check_rank_is(op, *input, 3, false, "its input is [batch, time, features]")) {
    return op.in.heap.new_list({unknown(op), nothing}, Tag::Tuple);
  }
  Shape shape;
  if (input->shape.has_rank(3)) {
    shape = op.in.heap.shape({input->shape.dims[0], input->shape.dims[1], units_of(op, op.arg("cell"))});
  }
  return op.in.heap.new_list({made(op, shape, input->dtype, {input}), nothing}, Tag::Tuple);
}

Value call_static_rnn(Operation &op) {
  std::vector<Value> inputs;
  const Value given = op.arg("inputs");
  const bool is_exact = given.is_sequence() && op.in.iterate(given, inputs);
  std::vector<Value> outputs;
  const Dim units = units_of(op, op.arg("cell"));
  for (const Value &value : inputs) {
    const Tensor *const input = converted(op, value);
    const Shape shape =
        input != nullptr && input->shape.has_rank(2) ? op.in.heap.shape({input->shape.dims[0], units}) : Shape{};
    outputs.push_back(made(op, shape, input != nullptr ? input->dtype : Dtype::Unknown, {input}));
  }
  const Value list = is_exact ? op.in.heap.new_list(std::move(outputs))
                              : op.in.heap.new_open_list(outputs.empty() ? unknown(op) : outputs[0]);
  return op.in.heap.new_list({list, Value()}, Tag::Tuple);
}

Value call_cell(Operation &) { return {}; }

constexpr TransferEntry kTable[] = {
    {"tf_conv1d", call_conv1d},
    {"tf_conv2d", call_conv2d},
    {"tf_conv3d", call_conv3d},
    {"tf_pool1d", call_pool1d},
    {"tf_conv2d_transpose", call_conv2d_transpose},
    {"tf_pool2d", call_pool2d},
    {"tf_pool_any", call_pool_any},
    {"tf_pool3d", call_pool3d},
    {"tf_bias_add", call_bias_add},
    {"tf_fully_connected", call_fully_connected},
    {"tf_xw_plus_b", call_xw_plus_b},
    {"tf_softmax_loss", call_softmax_loss},
    {"tf_sparse_loss", call_sparse_loss},
    {"tf_paired_loss", call_paired_loss},
    {"tf_dynamic_rnn", call_dynamic_rnn},
    {"tf_static_rnn", call_static_rnn},
    {"tf_cell", call_cell},
};

} // namespace
} // namespace tf_nn

std::span<const TransferEntry> tf_nn_transfers() { return tf_nn::kTable; }

} // namespace deepperf::shapes
