// Layers of Keras for sequences.
#include "shapes/keras_layers.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using namespace keras_layers;
using Tag = Value::Tag;

namespace keras_recurrent {
namespace {

// Embedding(1000, 50, weights=[matrix]), embedding.set_weights([matrix])
void check_table(Operation &op, Dim rows, Dim columns) {
  const Value weights = op.arg("weights");
  if (!weights.is_sequence() || weights.list->content.is_open || weights.list->content.items.size() != 1) {
    return;
  }
  const Tensor *const table = op.in.as_tensor(weights.list->content.items[0]);
  if (table == nullptr || !table->shape.has_rank(2)) {
    return;
  }
  if (!op.in.terms.differ(table->shape.dims[0], rows) && !op.in.terms.differ(table->shape.dims[1], columns)) {
    return;
  }
  if (Problem *problem =
          op.report(Fault::LayerInputSize,
                    fmt::format("Embedding has a table of {}, but is given weights of {}",
                                op.in.text_of(op.in.heap.shape({rows, columns})), op.in.text_of(*table)))) {
    op.in.add_chain(*problem, *table);
    problem->advice = "set input_dim and output_dim to the sizes of the weights";
  }
}

Value call_set_table(Operation &op) {
  const Value layer = op.arg("self");
  if (layer.is(Tag::Object)) {
    check_table(op, op.in.as_dim(keras_argument(op.in, *layer.object, "input_dim")),
                op.in.as_dim(keras_argument(op.in, *layer.object, "output_dim")));
  }
  return Value::none();
}

Value call_embedding(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  check_table(op, op.dim("input_dim"), op.dim("output_dim"));
  if (input == nullptr || !input->shape.is_known()) {
    return nothing_known(op, input);
  }
  std::vector<Dim> dims = dims_of(input->shape);
  dims.push_back(op.dim("output_dim"));
  return answer(op, *input, dims);
}

// A state that the layer begins with must have its number of units.
bool check_state(Operation &op) {
  const Value given = op.arg("initial_state");
  std::vector<Value> states;
  if (given.is_sequence()) {
    op.in.iterate(given, states);
  } else {
    states.push_back(given);
  }
  const Dim units = op.dim("units");
  for (const Value &state : states) {
    if (!state.is(Tag::Tensor) || !state.tensor->shape.has_rank(2) ||
        !op.in.terms.differ(state.tensor->shape.dims[1], units)) {
      continue;
    }
    if (Problem *problem =
            op.report(Fault::ShapesDoNotFit, fmt::format("{} has {} units, but its initial state is {}", class_of(op),
                                                         op.in.terms.text(units), op.in.text_of(*state.tensor)))) {
      op.in.add_chain(*problem, *state.tensor);
      problem->advice = "give both layers the same number of units, or put a Dense layer between them";
    }
    return false;
  }
  return true;
}

Value call_recurrent(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  if (input == nullptr || !check_rank(op, *input, 3, true)) {
    return nothing_known(op, input);
  }
  const Truth with_state = op.truth("return_state");
  if (with_state == Truth::Unknown || op.truth("time_major") == Truth::Yes) {
    return {};
  }
  if (!check_built(op, *input, input->shape.dims[2]) || !check_state(op)) {
    return nothing_known(op, input);
  }
  const Dim units = op.dim("units");
  const Truth keeps_time = op.truth("return_sequences");
  const Value output = keeps_time == Truth::Yes
                           ? answer(op, *input, {input->shape.dims[0], input->shape.dims[1], units})
                       : keeps_time == Truth::No ? answer(op, *input, {input->shape.dims[0], units})
                                                 : nothing_known(op, input);
  if (with_state == Truth::No) {
    return output;
  }
  std::vector<Value> all = {output};
  const u32 states = class_of(op).ends_with("LSTM") ? 2 : 1;
  for (u32 i = 0; i < states; ++i) {
    all.push_back(answer(op, *input, {input->shape.dims[0], units}));
  }
  return op.in.heap.new_list(std::move(all));
}

Value call_bidirectional(Operation &op) {
  const Value layer = op.arg("layer");
  const Tensor *const input = op.tensor("inputs");
  if (!is_keras(layer) || input == nullptr) {
    return {};
  }
  Arguments arguments;
  arguments.positional.push_back(op.arg("inputs"));
  const Value given = op.in.call_object(*layer.object, arguments, op.node);
  const Value mode = op.arg("merge_mode");
  // With return_state, the states of both directions follow the output.
  const bool has_states =
      given.is(Tag::List) && !given.list->content.is_open && !given.list->content.items.empty() && mode.is(Tag::Str);
  const Value value = has_states ? given.list->content.items[0] : given;
  const auto with_states = [&](const Value &output) {
    if (!has_states) {
      return output;
    }
    std::vector<Value> all = {output};
    const std::vector<Value> &items = given.list->content.items;
    for (int direction = 0; direction < 2; ++direction) {
      all.insert(all.end(), items.begin() + 1, items.end());
    }
    return op.in.heap.new_list(std::move(all));
  };
  if (!value.is(Tag::Tensor) || !value.tensor->shape.is_known() || !mode.is(Tag::Str)) {
    return value.is(Tag::Tensor) ? with_states(nothing_known(op, input)) : Value();
  }
  std::vector<Dim> dims = dims_of(value.tensor->shape);
  if (mode.text() == "concat") {
    dims.back() = op.in.terms.multiply(dims.back(), Dim::of(2));
  }
  return with_states(answer(op, *value.tensor, dims));
}

Value call_time_distributed(Operation &op) {
  const Value layer = op.arg("layer");
  const Tensor *const input = op.tensor("inputs");
  if (input == nullptr || !input->shape.is_known()) {
    return nothing_known(op, input);
  }
  if (input->shape.rank() < 3) {
    check_rank(op, *input, 3, false);
    return nothing_known(op, input);
  }
  if (!layer.is(Tag::Object)) {
    return nothing_known(op, input);
  }
  std::vector<Dim> dims = dims_of(input->shape);
  const Dim time = dims[1];
  dims.erase(dims.begin() + 1);
  Arguments arguments;
  arguments.positional.push_back(answer(op, *input, dims));
  const Value value = op.in.call_object(*layer.object, arguments, op.node);
  if (!value.is(Tag::Tensor) || !value.tensor->shape.is_known() || value.tensor->shape.rank() == 0) {
    return nothing_known(op, input);
  }
  dims = dims_of(value.tensor->shape);
  dims.insert(dims.begin() + 1, time);
  return answer(op, *value.tensor, dims);
}

// ConvLSTM2D: a convolution of each picture of a sequence
Value call_conv_recurrent(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  if (input == nullptr) {
    return nothing_known(op, nullptr);
  }
  const char digit = class_of(op)[class_of(op).size() - 2];
  const u32 spatial = static_cast<u32>(digit - '0');
  if (!check_rank(op, *input, spatial + 3, true) || op.truth("return_state") != Truth::No) {
    return op.truth("return_state") == Truth::No ? nothing_known(op, input) : Value();
  }
  std::vector<Dim> dims = dims_of(input->shape);
  const Dim time = dims[1];
  dims.erase(dims.begin() + 1);
  const Tensor &picture = *answer(op, *input, dims).tensor;
  const Value one = slide(op, picture, "kernel_size", "strides", false);
  const Truth keeps_time = op.truth("return_sequences");
  if (!one.is(Tag::Tensor) || !one.tensor->shape.is_known() || keeps_time == Truth::Unknown) {
    return nothing_known(op, input);
  }
  dims = dims_of(one.tensor->shape);
  if (keeps_time == Truth::Yes) {
    dims.insert(dims.begin() + 1, time);
  }
  return answer(op, *input, dims);
}

constexpr TransferEntry kTable[] = {
    {"keras_set_table", call_set_table},
    {"keras_embedding", call_embedding},
    {"keras_recurrent", call_recurrent},
    {"keras_bidirectional", call_bidirectional},
    {"keras_time_distributed", call_time_distributed},
    {"keras_conv_recurrent", call_conv_recurrent},
};

} // namespace
} // namespace keras_recurrent

std::span<const TransferEntry> keras_recurrent_transfers() { return keras_recurrent::kTable; }

} // namespace deepperf::shapes
