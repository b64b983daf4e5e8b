// LSTM, GRU, RNN, their cells, and attention.
#include "shapes/torch.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace torch_recurrent {
namespace {

bool is_lstm(const Operation &op) { return op.api.text().find("LSTM") != std::string_view::npos; }

bool fits(Operation &op, const Shape &got, const std::vector<Dim> &wanted) {
  bool is_same = got.rank() == wanted.size();
  for (u32 i = 0; is_same && i < got.rank(); ++i) {
    is_same = !op.in.terms.differ(got.dims[i], wanted[i]);
  }
  return is_same;
}

// A PackedSequence is a batch whose lengths differ: its features must be right, and its states are those of the batch.
Value call_with_packed(Operation &op, const Object &sequence) {
  const Value *const data = find_name(sequence.content.attributes, intern("data").id);
  const Value *const batch = find_name(sequence.content.attributes, intern("*batch").id);
  if (data == nullptr || !data->is(Tag::Tensor) || batch == nullptr || op.arg("proj_size").is_unknown() ||
      !op.arg("proj_size").is_number(0)) {
    return {};
  }
  const Tensor &input = *data->tensor;
  const Dim features = op.dim("input_size");
  const Dim got = input.shape.from_end(0);
  if (!check_layer(op, input)) {
    return {};
  }
  if (op.in.terms.differ(features, got)) {
    report_layer_size(op, input, "input_size", features, got);
    return {};
  }
  const Truth both_ways = op.truth("bidirectional");
  const Dim directions = both_ways == Truth::Yes ? Dim::of(2) : both_ways == Truth::No ? Dim::of(1) : Dim{};
  const Dim hidden = op.dim("hidden_size");
  Tensor output = layer_result(op, input);
  Tensor state = output;
  output.shape = op.in.heap.shape({Dim{}, op.in.terms.multiply(directions, hidden)});
  state.shape = op.in.heap.shape({op.in.terms.multiply(directions, op.dim("num_layers")), batch->dim(), hidden});
  Object *const packed = op.in.heap.new_object(nullptr, sequence.content.api);
  const Value outputs = op.result(output, {&input});
  packed->content.attributes[intern("data").id] = outputs;
  packed->content.attributes[intern("*batch").id] = *batch;
  packed->content.is_open = true;
  state.step = outputs.tensor->step;
  const Value one = op.in.plain_tensor(state);
  return op.in.heap.new_list({Value::of(packed), is_lstm(op) ? op.in.heap.new_list({one, one}, Tag::Tuple) : one},
                             Tag::Tuple);
}

Value call_recurrent(Operation &op) {
  const Value value = op.arg("input");
  if (value.is(Tag::Object) && value.object->content.api &&
      value.object->content.api.text() == "torch.nn.utils.rnn.PackedSequence") {
    return call_with_packed(op, *value.object);
  }
  const Tensor *input = op.in.as_tensor(value);
  if (input == nullptr) {
    return {};
  }
  if (!check_layer(op, *input)) {
    return {};
  }
  const Dim features = op.dim("input_size");
  Tensor output = layer_result(op, *input);
  Tensor state = output;
  output.shape = state.shape = {};
  const Truth batch_first = op.truth("batch_first");
  const Truth both_ways = op.truth("bidirectional");
  const Dim directions = both_ways == Truth::Yes ? Dim::of(2) : both_ways == Truth::No ? Dim::of(1) : Dim{};
  Dim hidden = op.dim("hidden_size");
  const Dim projected = op.dim("proj_size");
  const Dim layers = op.dim("num_layers");
  const Dim out = projected.is_constant() && projected.value > 0 ? projected : hidden;
  if (input->shape.kind == Shape::Kind::Unknown && value.is(Tag::Opaque)) {
    op.in.refine(value, op.in.heap.shape({features}, Shape::Kind::Tail));
    input = op.in.as_tensor(value);
  }
  if (input->shape.is_known() && input->shape.rank() != 2 && input->shape.rank() != 3) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("{} takes 3 dimensions, or 2 without a batch, but gets {}",
                                                    op.short_name(), op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "its input is [length, batch, features], or [batch, length, features] with batch_first=True";
    }
    return {};
  }
  const Dim got = input->shape.from_end(0);
  if (op.in.terms.differ(features, got)) {
    report_layer_size(op, *input, "input_size", features, got);
    return {};
  }
  const Dim last = op.in.terms.multiply(directions, out);
  const Dim first_of_state = op.in.terms.multiply(directions, layers);
  Tensor cell = state;
  if (input->shape.is_known()) {
    std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
    dims.back() = last;
    output.shape = op.in.heap.shape(dims);
    if (input->shape.rank() == 3) {
      const Dim batch = batch_first == Truth::Yes  ? input->shape.dims[0]
                        : batch_first == Truth::No ? input->shape.dims[1]
                                                   : Dim{};
      state.shape = op.in.heap.shape({first_of_state, batch, out});
      cell.shape = op.in.heap.shape({first_of_state, batch, hidden});
    } else {
      state.shape = op.in.heap.shape({first_of_state, out});
      cell.shape = op.in.heap.shape({first_of_state, hidden});
    }
    // The state that it is given must be of that shape.
    const Value given = op.arg("hx");
    const Value &one = given.is_sequence() && !given.list->content.is_open && !given.list->content.items.empty()
                           ? given.list->content.items[0]
                           : given;
    const Tensor *const before = one.is(Tag::Tensor) ? one.tensor : nullptr;
    if (before != nullptr && !check_devices(op.in, op.node, *input, *before, op.short_name())) {
      return {};
    }
    if (before != nullptr && before->shape.is_known()) {
      bool fits = before->shape.rank() == state.shape.rank();
      for (u32 i = 0; fits && i < state.shape.rank(); ++i) {
        fits = !op.in.terms.differ(before->shape.dims[i], state.shape.dims[i]);
      }
      if (!fits) {
        const Fault fault = before->shape.rank() == state.shape.rank() ? Fault::LayerInputSize : Fault::WrongRank;
        if (Problem *problem = op.report(fault, fmt::format("{} takes a state of {}, but gets {}", op.short_name(),
                                                            op.in.text_of(state.shape), op.in.text_of(*before)))) {
          op.in.add_chain(*problem, *input);
          op.in.add_chain(*problem, *before);
          problem->advice = "the state is [layers * directions, batch, hidden_size]";
        }
        return {};
      }
    }
  } else {
    output.shape = op.in.heap.shape({last}, Shape::Kind::Tail);
    state.shape = op.in.heap.shape({out}, Shape::Kind::Tail);
    cell.shape = op.in.heap.shape({hidden}, Shape::Kind::Tail);
  }
  const Value outputs = op.result(output, {input});
  if (outputs.tensor->step != Tensor::kNoStep && input->shape.is_known()) {
    const Dim places = op.in.terms.floor_divide(numel(op.in, input->shape), got);
    const i64 gates = is_lstm(op) ? 4 : op.api.text().find("GRU") != std::string_view::npos ? 3 : 1;
    if (layers.is(1)) {
      const Dim each = op.in.terms.multiply(Dim::of(gates), op.in.terms.multiply(hidden, op.in.terms.add(got, out)));
      op.in.steps[outputs.tensor->step].multiply_adds =
          op.in.terms.multiply(places, op.in.terms.multiply(each, directions));
    } else {
      op.in.steps[outputs.tensor->step].multiply_adds = {};
    }
  }
  state.step = cell.step = outputs.tensor->step;
  const Value states = is_lstm(op)
                           ? op.in.heap.new_list({op.in.plain_tensor(state), op.in.plain_tensor(cell)}, Tag::Tuple)
                           : op.in.plain_tensor(state);
  return op.in.heap.new_list({outputs, states}, Tag::Tuple);
}

Value call_cell(Operation &op) {
  const Value value = op.arg("input");
  const Tensor *const input = op.in.as_tensor(value);
  if (input == nullptr) {
    return {};
  }
  if (!check_layer(op, *input)) {
    return {};
  }
  const Dim features = op.dim("input_size");
  const Dim got = input->shape.from_end(0);
  if (op.in.terms.differ(features, got)) {
    report_layer_size(op, *input, "input_size", features, got);
    return {};
  }
  Tensor state = layer_result(op, *input);
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  const Dim hidden = op.dim("hidden_size");
  if (input->shape.is_known() && !dims.empty()) {
    dims.back() = hidden;
    state.shape = op.in.heap.shape(dims);
  } else {
    state.shape = op.in.heap.shape({hidden}, Shape::Kind::Tail);
  }
  const Value given = op.arg("hx");
  std::vector<Value> states;
  if (given.is(Tag::Tuple)) {
    op.in.iterate(given, states);
  } else {
    states.push_back(given);
  }
  for (const Value &one : states) {
    const Tensor *const before = one.is(Tag::Tensor) ? one.tensor : nullptr;
    const bool is_comparable = before != nullptr && before->shape.is_known() && state.shape.is_known();
    if (!is_comparable || fits(op, before->shape, {state.shape.dims.begin(), state.shape.dims.end()})) {
      continue;
    }
    const Fault fault = before->shape.rank() == state.shape.rank() ? Fault::LayerInputSize : Fault::WrongRank;
    if (Problem *problem = op.report(fault, fmt::format("{} takes a state of {}, but gets {}", op.short_name(),
                                                        op.in.text_of(state.shape), op.in.text_of(*before)))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *before);
      problem->advice = "the state of a cell is [batch, hidden_size]";
    }
    return {};
  }
  const Value made = op.result(state, {input});
  return is_lstm(op) ? op.in.heap.new_list({made, made}, Tag::Tuple) : made;
}

void make_attention(Operation &op) {
  const Dim size = op.dim("embed_dim");
  const Dim heads = op.dim("num_heads");
  if (size.is_constant() && heads.is_constant() && heads.value > 0 && size.value % heads.value != 0) {
    if (Problem *problem =
            op.report(Fault::ImpossibleLayer,
                      fmt::format("attention of {} values cannot be split into {} heads", size.value, heads.value))) {
      problem->advice = "the number of heads must divide embed_dim";
    }
  }
}

void make_transformer_layer(Operation &op) {
  const Dim size = op.dim("d_model");
  const Dim heads = op.dim("nhead");
  if (size.is_constant() && heads.is_constant() && heads.value > 0 && size.value % heads.value != 0) {
    if (Problem *problem =
            op.report(Fault::ImpossibleLayer,
                      fmt::format("attention of {} values cannot be split into {} heads", size.value, heads.value))) {
      problem->advice = "nhead must divide d_model";
    }
  }
}

// Length, batch and features of a sequence.
struct Sequence {
  Dim length;
  Dim batch = Dim::of(1);
  bool has_batch = false;
};

std::optional<Sequence> sequence_of(const Tensor *tensor, Truth batch_first) {
  if (tensor == nullptr || batch_first == Truth::Unknown) {
    return {};
  }
  if (tensor->shape.has_rank(2)) {
    return Sequence{tensor->shape.dims[0]};
  }
  if (!tensor->shape.has_rank(3)) {
    return {};
  }
  const u32 batch = batch_first == Truth::Yes ? 0 : 1;
  return Sequence{tensor->shape.dims[1 - batch], tensor->shape.dims[batch], true};
}

// A mask of [queries, keys], or one for each head; or of [batch, keys] if it marks padding. False if it does not fit.
bool check_mask(Operation &op, std::string_view name, const Sequence &query, const Sequence &key, Dim heads,
                bool is_padding, const Tensor &input) {
  const Value value = op.arg(name);
  const Tensor *const mask = value.is(Tag::Tensor) ? value.tensor : nullptr;
  if (mask == nullptr || !mask->shape.is_known()) {
    return true;
  }
  std::vector<Dim> wanted = {query.length, key.length};
  if (is_padding) {
    wanted = query.has_batch ? std::vector<Dim>{key.batch, key.length} : std::vector<Dim>{key.length};
  } else if (mask->shape.rank() == 3) {
    wanted.insert(wanted.begin(), op.in.terms.multiply(query.batch, heads));
  }
  if (fits(op, mask->shape, wanted)) {
    return true;
  }
  if (Problem *problem =
          op.report(Fault::ShapesDoNotFit,
                    fmt::format("{} of {} must be {} for an input of {}, but is {}", name, op.short_name(),
                                op.in.text_of(op.in.heap.shape(wanted)), op.in.text_of(input), op.in.text_of(*mask)))) {
    op.in.add_chain(*problem, input);
    op.in.add_chain(*problem, *mask);
    const bool is_turned = !is_padding && op.truth("batch_first") == Truth::No && query.has_batch &&
                           mask->shape.rank() == 2 && fits(op, mask->shape, {query.batch, query.batch});
    const bool is_padding_turned = is_padding && query.has_batch && fits(op, mask->shape, {key.length, key.batch});
    problem->advice =
        is_turned || (is_padding_turned && op.truth("batch_first") == Truth::No)
            ? "the layer takes [length, batch, features]: pass batch_first=True to it, or transpose its input"
        : is_padding ? "a padding mask is [batch, length], whatever batch_first is"
                     : "a mask is [queries, keys], or [batch * heads, queries, keys]";
  }
  return false;
}

Value call_attention(Operation &op) {
  const Value value = op.arg("query");
  const Tensor *const query = op.in.as_tensor(value);
  const Tensor *const key = op.tensor("key");
  if (query == nullptr) {
    return {};
  }
  if (!check_layer(op, *query)) {
    return {};
  }
  const Dim wanted = op.dim("embed_dim");
  if (op.in.terms.differ(wanted, query->shape.from_end(0))) {
    report_layer_size(op, *query, "embed_dim", wanted, query->shape.from_end(0));
    return {};
  }
  for (const auto &[name, size_name] : {std::pair("key", "kdim"), std::pair("value", "vdim")}) {
    const Tensor *const given = op.tensor(name);
    const Value own = op.arg(size_name);
    const Dim expected = own.is(Tag::None) ? wanted : op.in.as_dim(own);
    if (given != nullptr && op.in.terms.differ(expected, given->shape.from_end(0))) {
      report_layer_size(op, *given, own.is(Tag::None) ? "embed_dim" : size_name, expected, given->shape.from_end(0));
      return {};
    }
  }
  const u32 batch_at = op.truth("batch_first") == Truth::Yes ? 0 : 1;
  if (op.truth("batch_first") != Truth::Unknown && query->shape.has_rank(3) && key != nullptr &&
      key->shape.has_rank(3) && op.in.terms.differ(query->shape.dims[batch_at], key->shape.dims[batch_at])) {
    if (Problem *problem =
            op.report(Fault::ShapesDoNotFit,
                      fmt::format("{} takes a query and a key of one batch size, in dimension {}, but gets {} and {}",
                                  op.short_name(), batch_at, op.in.text_of(*query), op.in.text_of(*key)))) {
      op.in.add_chain(*problem, *query);
      op.in.add_chain(*problem, *key);
      problem->advice = batch_at == 0 ? "give both the same first size"
                                      : "give both the same second size, or pass batch_first=True to the layer";
    }
    return {};
  }
  const auto queries = sequence_of(query, op.truth("batch_first"));
  const auto keys = sequence_of(key, op.truth("batch_first"));
  if (queries && keys && op.truth("add_bias_kv") == Truth::No && op.truth("add_zero_attn") == Truth::No) {
    check_mask(op, "attn_mask", *queries, *keys, op.dim("num_heads"), false, *query);
    check_mask(op, "key_padding_mask", *queries, *keys, op.dim("num_heads"), true, *key);
  }
  const Tensor output = layer_result(op, *query);
  const Value made = op.result(output, {query});
  Tensor weights = output;
  weights.shape = {};
  const Truth batch_first = op.truth("batch_first");
  if (op.truth("need_weights") == Truth::No) {
    return op.in.heap.new_list({made, Value::none()}, Tag::Tuple);
  }
  if (query->shape.has_rank(3) && key != nullptr && key->shape.has_rank(3) && batch_first != Truth::Unknown &&
      op.truth("average_attn_weights") == Truth::Yes) {
    const u32 batch = batch_first == Truth::Yes ? 0 : 1;
    weights.shape =
        op.in.heap.shape({query->shape.dims[batch], query->shape.dims[1 - batch], key->shape.dims[1 - batch]});
  }
  return op.in.heap.new_list({made, op.in.plain_tensor(weights)}, Tag::Tuple);
}

// Of two inputs, the one that has another size than the model: another d_model would no longer fit the other input.
void report_one_of_two(Operation &op, const Tensor &input, std::string_view what, Dim wanted) {
  Problem *const problem = op.report(Fault::LayerInputSize,
                                     fmt::format("{} takes a {} of {} values, but gets {}", op.short_name(), what,
                                                 op.in.terms.text(wanted), op.in.terms.text(input.shape.from_end(0))));
  if (problem != nullptr) {
    op.in.add_chain(*problem, input);
    problem->advice = fmt::format("project the {} to {} values", what, op.in.terms.text(wanted));
  }
}

// What a decoder attends to: features of the model's size, and the same batch.
bool check_memory(Operation &op, const Tensor &input, const Tensor &memory, Dim wanted) {
  if (op.in.terms.differ(wanted, memory.shape.from_end(0))) {
    report_one_of_two(op, memory, "memory", wanted);
    return false;
  }
  const Truth batch_first = op.truth("batch_first");
  const auto ours = sequence_of(&input, batch_first);
  const auto theirs = sequence_of(&memory, batch_first);
  if (!ours || !theirs || !ours->has_batch || !theirs->has_batch || !op.in.terms.differ(ours->batch, theirs->batch)) {
    return true;
  }
  if (Problem *problem = op.report(
          Fault::ShapesDoNotFit,
          fmt::format("{} takes sequences of one batch size, in dimension {}, but gets {} and {}", op.short_name(),
                      batch_first == Truth::Yes ? 0 : 1, op.in.text_of(input), op.in.text_of(memory)))) {
    op.in.add_chain(*problem, input);
    op.in.add_chain(*problem, memory);
    problem->advice = batch_first == Truth::Yes
                          ? "give both the same first size"
                          : "give both the same second size, or pass batch_first=True to the layer";
  }
  return false;
}

// TransformerEncoderLayer and the like: what goes in comes out.
Value call_transformer_layer(Operation &op) {
  const bool is_decoder = op.is_given("tgt");
  const Tensor *const input = op.tensor(is_decoder ? "tgt" : "src");
  const Tensor *const memory = is_decoder ? op.tensor("memory") : input;
  if (input == nullptr) {
    return {};
  }
  if (!check_layer(op, *input)) {
    return op.unknown_tensor(input);
  }
  const Dim wanted = op.dim("d_model");
  if (op.in.terms.differ(wanted, input->shape.from_end(0))) {
    report_layer_size(op, *input, "d_model", wanted, input->shape.from_end(0));
    return op.unknown_tensor(input);
  }
  if (is_decoder && memory != nullptr && !check_memory(op, *input, *memory, wanted)) {
    return op.unknown_tensor(input);
  }
  const auto own = sequence_of(input, op.truth("batch_first"));
  const auto other = sequence_of(memory, op.truth("batch_first"));
  const Dim heads = op.dim("nhead");
  if (own) {
    check_mask(op, is_decoder ? "tgt_mask" : "src_mask", *own, *own, heads, false, *input);
    check_mask(op, is_decoder ? "tgt_key_padding_mask" : "src_key_padding_mask", *own, *own, heads, true, *input);
  }
  if (own && other && is_decoder) {
    check_mask(op, "memory_mask", *own, *other, heads, false, *input);
    check_mask(op, "memory_key_padding_mask", *own, *other, heads, true, *memory);
  }
  return op.result(layer_result(op, *input), {input});
}

Value call_transformer_stack(Operation &op) {
  const Value layer = op.arg("encoder_layer");
  const bool is_decoder = op.is_given("tgt");
  const Value given = op.arg(is_decoder ? "tgt" : "src");
  const Tensor *const input = op.in.as_tensor(given);
  if (layer.is(Tag::Object)) {
    Arguments arguments;
    arguments.positional.push_back(given);
    if (is_decoder && op.is_given("memory")) {
      arguments.positional.push_back(op.arg("memory"));
    }
    constexpr std::pair<std::string_view, std::string_view> kMasks[] = {
        {"mask", "src_mask"},
        {"src_key_padding_mask", "src_key_padding_mask"},
        {"tgt_mask", "tgt_mask"},
        {"memory_mask", "memory_mask"},
        {"tgt_key_padding_mask", "tgt_key_padding_mask"},
        {"memory_key_padding_mask", "memory_key_padding_mask"}};
    const bool is_own = layer.object->type != nullptr;
    for (const auto &[name, of_layer] : kMasks) {
      if (!is_own && op.is_given(name)) {
        arguments.keywords.emplace_back(intern(of_layer), op.arg(name));
      }
    }
    arguments.is_open = is_own;
    return op.in.call_object(*layer.object, arguments, op.node);
  }
  return input != nullptr ? op.unknown_tensor(input) : Value();
}

// nn.Transformer: an encoder, and a decoder that attends to what it gives.
Value call_transformer(Operation &op) {
  const Tensor *const source = op.tensor("src");
  const Tensor *const target = op.tensor("tgt");
  if (source == nullptr || target == nullptr || !check_layer(op, *source)) {
    return op.unknown_tensor(target);
  }
  const Dim wanted = op.dim("d_model");
  if (op.in.terms.differ(wanted, target->shape.from_end(0))) {
    const bool is_both = op.in.terms.differ(wanted, source->shape.from_end(0));
    if (is_both) {
      report_layer_size(op, *target, "d_model", wanted, target->shape.from_end(0));
    } else {
      report_one_of_two(op, *target, "target", wanted);
    }
    return op.unknown_tensor(target);
  }
  if (!check_memory(op, *target, *source, wanted)) {
    return op.unknown_tensor(target);
  }
  const auto from = sequence_of(source, op.truth("batch_first"));
  const auto to = sequence_of(target, op.truth("batch_first"));
  const Dim heads = op.dim("nhead");
  if (from && to) {
    check_mask(op, "src_mask", *from, *from, heads, false, *source);
    check_mask(op, "src_key_padding_mask", *from, *from, heads, true, *source);
    check_mask(op, "tgt_mask", *to, *to, heads, false, *target);
    check_mask(op, "tgt_key_padding_mask", *to, *to, heads, true, *target);
    check_mask(op, "memory_mask", *to, *from, heads, false, *target);
    check_mask(op, "memory_key_padding_mask", *to, *from, heads, true, *source);
  }
  return op.result(layer_result(op, *target), {source, target});
}

Value call_scaled_attention(Operation &op) {
  const Tensor *const query = op.tensor("query");
  const Tensor *const key = op.tensor("key");
  const Tensor *const values = op.tensor("value");
  if (query == nullptr) {
    return {};
  }
  if (key != nullptr && op.in.terms.differ(query->shape.from_end(0), key->shape.from_end(0))) {
    if (Problem *problem = op.report(Fault::ShapesDoNotFit,
                                     fmt::format("attention of {} and {} is invalid: the last sizes are not equal",
                                                 op.in.text_of(*query), op.in.text_of(*key)))) {
      op.in.add_chain(*problem, *query);
      op.in.add_chain(*problem, *key);
      problem->advice = "query and key must have the same number of features per head";
    }
    return op.unknown_tensor(query);
  }
  if (!query->shape.is_known() || values == nullptr || !values->shape.is_known() || query->shape.rank() == 0) {
    return op.unknown_tensor(query);
  }
  std::vector<Dim> dims(query->shape.dims.begin(), query->shape.dims.end());
  dims.back() = values->shape.from_end(0);
  return op.like(*query, op.in.heap.shape(dims));
}

constexpr TransferEntry kTable[] = {
    {"recurrent", call_recurrent},
    {"cell", call_cell},
    {"attention", call_attention, make_attention},
    {"transformer_layer", call_transformer_layer, make_transformer_layer},
    {"transformer_stack", call_transformer_stack},
    {"transformer", call_transformer, make_transformer_layer},
    {"scaled_attention", call_scaled_attention},
};

} // namespace
} // namespace torch_recurrent

std::span<const TransferEntry> torch_recurrent_transfers() { return torch_recurrent::kTable; }

} // namespace deepperf::shapes
