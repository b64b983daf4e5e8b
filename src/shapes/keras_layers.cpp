// Layers of Keras. Sizes that are None are not known; the batch is a symbol. Only what every version of Keras refuses
// is reported.
#include "shapes/keras_layers.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace keras_layers {

std::string_view class_of(const Operation &op) {
  const std::string_view api = op.layer != nullptr && op.layer->content.api ? op.layer->content.api.text()
                               : op.layer == nullptr && op.api              ? op.api.text()
                                                                            : std::string_view("layer");
  return api.substr(api.rfind('.') + 1);
}

Value answer(Operation &op, const Tensor &input, const std::vector<Dim> &dims) {
  Tensor tensor;
  tensor.library = input.library == Library::Torch ? Library::Torch : Library::TensorFlow; // PyTorch as backend
  tensor.shape = op.in.heap.shape(dims);
  return op.result(tensor, {&input});
}

Value nothing_known(Operation &op, const Tensor *input) {
  Tensor tensor;
  tensor.library = Library::TensorFlow;
  return op.result(tensor, {input});
}

// Whether what a layer gets has so many dimensions, the batch among them; reports it if it has fewer, or more where
// that is refused as well.
bool check_rank(Operation &op, const Tensor &input, u32 rank, bool is_exact) {
  const u32 got = input.shape.rank();
  if (!input.shape.is_known() || got == rank) {
    return input.shape.is_known();
  }
  if (got < rank || is_exact) {
    if (Problem *problem = op.report(
            Fault::WrongRank,
            fmt::format("{} takes {} dimensions, including the batch, but gets {}", class_of(op),
                        is_exact ? std::to_string(rank) : fmt::format("at least {}", rank), op.in.text_of(input)))) {
      op.in.add_chain(*problem, input);
      problem->advice =
          class_of(op).ends_with("LSTM") || class_of(op).ends_with("GRU") || class_of(op) == "SimpleRNN"
              ? "give the layer before it return_sequences=True, or reshape its input to [batch, time, features]"
              : "reshape its input, or use a layer for as many dimensions as it has";
    }
  }
  return false;
}

// The weights of a layer are made for the first input that it gets.
bool check_built(Operation &op, const Tensor &input, Dim size) {
  if (op.layer == nullptr || !size.is_constant()) {
    return true;
  }
  const u32 key = intern("*built").id;
  const auto known = op.layer->content.attributes.find(key);
  if (known == op.layer->content.attributes.end()) {
    op.in.heap.change(*op.layer).attributes[key] = Value::of(size);
    return true;
  }
  const Dim before = known->second.dim();
  if (!before.is_constant() || before == size) {
    return true;
  }
  if (Problem *problem =
          op.report(Fault::LayerInputSize, fmt::format("{} was built for {} features, but gets {} of {}", class_of(op),
                                                       before.value, size.value, op.in.text_of(input)))) {
    op.in.add_chain(*problem, input);
    problem->advice = "a layer that is used twice must receive the same number of features each time";
  }
  return false;
}

} // namespace keras_layers

using namespace keras_layers;

namespace keras_layers {
namespace {

Value call_same(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  return input != nullptr && input->shape.is_known() ? answer(op, *input, dims_of(input->shape))
                                                     : nothing_known(op, input);
}

// What the layer's number of dimensions is: the digit in its name, and batch and channels.
u32 spatial_of(const Operation &op) {
  for (const char c : class_of(op)) {
    if (c >= '1' && c <= '3') {
      return static_cast<u32>(c - '0');
    }
  }
  return 0;
}

Value call_checked_same(Operation &op) { // SpatialDropout2D
  const Tensor *const input = op.tensor("inputs");
  if (input != nullptr) {
    check_rank(op, *input, spatial_of(op) + 2, true);
  }
  return call_same(op);
}

// Several tensors where a layer takes one: what LSTM with return_state gives.
void check_single(Operation &op) {
  const Value given = op.arg("inputs");
  if (!given.is_sequence() || given.list->content.is_open || given.list->content.items.size() < 2) {
    return;
  }
  const std::vector<Value> &items = given.list->content.items;
  if (!std::ranges::all_of(items, [](const Value &item) { return item.is(Tag::Tensor); })) {
    return;
  }
  if (Problem *problem = op.report(
          Fault::Arity, fmt::format("{} takes one tensor, but gets a list of {}", class_of(op), items.size()))) {
    op.in.add_chain(*problem, *items[0].tensor);
    problem->advice = "take one of them, or join them with Concatenate";
  }
}

Value call_dense(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  check_single(op);
  if (input == nullptr || !check_rank(op, *input, 2, false)) {
    if (input == nullptr || !input->shape.is_known() || input->shape.rank() < 2) {
      return nothing_known(op, input);
    }
  }
  std::vector<Dim> dims = dims_of(input->shape);
  if (!check_built(op, *input, dims.back())) {
    return nothing_known(op, input);
  }
  dims.back() = op.dim("units");
  return answer(op, *input, dims);
}

// A module that imports PyTorch runs Keras on it, and then the place of the channels is a matter of configuration.
bool runs_on_torch(Interpreter &in) {
  const Frame *frame = in.current_frame();
  while (frame != nullptr && frame->outer != nullptr) {
    frame = frame->outer;
  }
  return frame != nullptr && std::ranges::any_of(frame->content.names, [](const auto &name) {
           const Value &value = name.second;
           return value.is(Tag::Api) && (value.text() == "torch" || value.text().starts_with("torch."));
         });
}

// Where the channels are: last, unless the layer says otherwise. Nothing if that is not known.
std::optional<bool> has_channels_first(const Operation &op) {
  const Value format = op.arg("data_format");
  if (format.is(Tag::None)) {
    const Truth usual = runs_on_torch(op.in) ? Truth::Unknown : op.in.has_channels_first;
    return usual == Truth::Unknown ? std::nullopt : std::optional(usual == Truth::Yes);
  }
  if (format.is(Tag::Str) && format.number != 0) {
    return format.text() == "channels_first";
  }
  return {};
}

enum class Padding : u8 { Unknown, Valid, Same };
Padding padding_of(const Operation &op) {
  const Value padding = op.arg("padding");
  if (!padding.is(Tag::Str) || padding.number == 0) {
    return Padding::Unknown;
  }
  const std::string_view text = padding.text();
  return text == "valid" || text == "VALID"                     ? Padding::Valid
         : text == "same" || text == "SAME" || text == "causal" ? Padding::Same
                                                                : Padding::Unknown;
}

Dim windows(Operation &op, Dim size, Dim kernel, Dim stride, Dim dilation, Padding padding) {
  Terms &terms = op.in.terms;
  const auto all_known = size.is_known() && kernel.is_constant() && stride.is_constant() && stride.value > 0;
  if (!all_known || padding == Padding::Unknown) {
    return {};
  }
  if (padding == Padding::Same) {
    return terms.floor_divide(terms.add(size, Dim::of(stride.value - 1)), stride);
  }
  if (!dilation.is_constant()) {
    return {};
  }
  const i64 reach = (kernel.value - 1) * dilation.value + 1;
  return terms.add(terms.floor_divide(terms.subtract(size, Dim::of(reach)), stride), Dim::of(1));
}

} // namespace
} // namespace keras_layers

Value keras_layers::slide(Operation &op, const Tensor &input, std::string_view kernel_name,
                          std::string_view stride_name, bool is_pool) {
  const u32 count = keras_layers::spatial_of(op);
  // Keras 1 took Conv2D(32, 3, 3) for a kernel of 3 by 3.
  const bool is_ambiguous = !is_pool && count > 1 && op.layer != nullptr && op.layer->maker != nullptr &&
                            op.layer->maker->args.size() >= 3 && !op.arg(kernel_name).is_sequence();
  if (!check_rank(op, input, count + 2, is_pool) || count == 0) {
    return nothing_known(op, &input);
  }
  const auto channels_first = keras_layers::has_channels_first(op);
  if (!channels_first || is_ambiguous) {
    return nothing_known(op, &input);
  }
  const std::vector<Dim> kernel = op.sizes(kernel_name, count);
  std::vector<Dim> stride = op.sizes(stride_name, count);
  if (is_pool && op.arg(stride_name).is(Tag::None)) {
    stride = kernel;
  }
  const std::vector<Dim> dilation = is_pool ? std::vector<Dim>(count, Dim::of(1)) : op.sizes("dilation_rate", count);
  const keras_layers::Padding padding = keras_layers::padding_of(op);
  std::vector<Dim> dims = dims_of(input.shape);
  const u32 first = *channels_first ? 2 : 1;
  const u32 channels = *channels_first ? 1 : count + 1;
  for (u32 i = 0; i < count; ++i) {
    const Dim before = dims[first + i];
    const Dim after = keras_layers::windows(op, before, kernel[i], stride[i], dilation[i], padding);
    if (after.is_constant() && before.is_constant() && after.value < 1) {
      if (Problem *problem =
              op.report(Fault::MapVanishes,
                        fmt::format("{} leaves nothing of {}: its window of {} is larger than the remaining {}",
                                    class_of(op), op.in.text_of(input), kernel[i].value, before.value))) {
        op.in.add_chain(*problem, input);
        problem->advice = "use padding=\"same\", fewer layers that shrink the map, or a larger input";
      }
      return nothing_known(op, &input);
    }
    dims[first + i] = after;
  }
  if (!is_pool) {
    if (!check_built(op, input, dims[channels])) {
      return nothing_known(op, &input);
    }
    dims[channels] = op.dim("filters");
  }
  return answer(op, input, dims);
}

namespace keras_layers {
namespace {

Value call_conv(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  return input != nullptr ? slide(op, *input, "kernel_size", "strides", false) : nothing_known(op, nullptr);
}

Value call_depthwise(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  if (input == nullptr) {
    return nothing_known(op, nullptr);
  }
  const Value value = slide(op, *input, "kernel_size", "strides", false);
  const auto channels_first = has_channels_first(op);
  if (!value.is(Tag::Tensor) || !value.tensor->shape.has_rank(spatial_of(op) + 2) || !channels_first) {
    return value;
  }
  std::vector<Dim> dims = dims_of(value.tensor->shape);
  const u32 channels = *channels_first ? 1 : spatial_of(op) + 1;
  dims[channels] = op.in.terms.multiply(input->shape.dims[channels], op.dim("depth_multiplier"));
  Tensor tensor = *value.tensor;
  tensor.shape = op.in.heap.shape(dims);
  return op.in.make_tensor(tensor, op.api, op.node, {input}, op.layer);
}

Value call_pool(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  return input != nullptr ? slide(op, *input, "pool_size", "strides", true) : nothing_known(op, nullptr);
}

Value call_global_pool(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  const u32 count = spatial_of(op);
  const auto channels_first = has_channels_first(op);
  if (input == nullptr || !check_rank(op, *input, count + 2, true) || !channels_first ||
      op.truth("keepdims") != Truth::No) {
    return nothing_known(op, input);
  }
  return answer(op, *input, {input->shape.dims[0], input->shape.dims[*channels_first ? 1 : count + 1]});
}

Value call_flatten(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() == 0) {
    return nothing_known(op, input);
  }
  Dim product = Dim::of(1);
  for (u32 i = 1; i < input->shape.rank(); ++i) {
    product = op.in.terms.multiply(product, input->shape.dims[i]);
  }
  return answer(op, *input, {input->shape.dims[0], product});
}

Value call_reshape(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  const auto target = keras_shape(op.in, op.arg("target_shape"), false);
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() == 0 || !target) {
    return nothing_known(op, input);
  }
  Dim total = Dim::of(1);
  for (u32 i = 1; i < input->shape.rank(); ++i) {
    total = op.in.terms.multiply(total, input->shape.dims[i]);
  }
  std::vector<Dim> given;
  if (!op.in.as_dims(op.arg("target_shape"), given)) {
    return nothing_known(op, input);
  }
  Dim product = Dim::of(1);
  Dim *open = nullptr;
  for (Dim &dim : given) {
    if (dim.is(-1)) {
      open = &dim;
    } else {
      product = op.in.terms.multiply(product, dim);
    }
  }
  const bool is_wrong = total.is_constant() && product.is_constant() && product.value > 0 &&
                        (open != nullptr ? total.value % product.value != 0 : total != product);
  if (is_wrong) {
    if (Problem *problem =
            op.report(Fault::ReshapeSize, fmt::format("each of {} has {} elements, and {} cannot hold them",
                                                      op.in.text_of(*input), total.value, op.in.text_of(*target)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "the sizes must multiply to the same number";
    }
    return nothing_known(op, input);
  }
  if (open != nullptr) {
    *open = total.is_constant() && product.is_constant() && product.value > 0 ? Dim::of(total.value / product.value)
                                                                              : Dim{};
  }
  given.insert(given.begin(), input->shape.dims[0]);
  return answer(op, *input, given);
}

Value call_permute(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  std::vector<Dim> order;
  if (input == nullptr || !input->shape.is_known() || !op.in.as_dims(op.arg("dims"), order)) {
    return nothing_known(op, input);
  }
  if (!check_rank(op, *input, static_cast<u32>(order.size()) + 1, true)) {
    return nothing_known(op, input);
  }
  std::vector<Dim> dims = {input->shape.dims[0]};
  for (const Dim at : order) {
    if (!at.is_constant() || at.value < 1 || at.value >= static_cast<i64>(input->shape.rank())) {
      return nothing_known(op, input);
    }
    dims.push_back(input->shape.dims[static_cast<u32>(at.value)]);
  }
  return answer(op, *input, dims);
}

Value call_repeat_vector(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  if (input == nullptr || !check_rank(op, *input, 2, true)) {
    return nothing_known(op, input);
  }
  return answer(op, *input, {input->shape.dims[0], op.dim("n"), input->shape.dims[1]});
}

Value call_up_sampling(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  const u32 count = spatial_of(op);
  const auto channels_first = has_channels_first(op);
  if (input == nullptr || !check_rank(op, *input, count + 2, true) || !channels_first) {
    return nothing_known(op, input);
  }
  const std::vector<Dim> size = op.sizes("size", count);
  std::vector<Dim> dims = dims_of(input->shape);
  for (u32 i = 0; i < count; ++i) {
    Dim &dim = dims[i + (*channels_first ? 2 : 1)];
    dim = op.in.terms.multiply(dim, size[i]);
  }
  return answer(op, *input, dims);
}

Value call_conv_transpose(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  const u32 count = spatial_of(op);
  const auto channels_first = has_channels_first(op);
  if (input == nullptr || !check_rank(op, *input, count + 2, true) || !channels_first) {
    return nothing_known(op, input);
  }
  const bool is_ambiguous = op.layer != nullptr && op.layer->maker != nullptr && op.layer->maker->args.size() >= 4;
  const std::vector<Dim> kernel = op.sizes("kernel_size", count);
  const std::vector<Dim> stride = op.sizes("strides", count);
  const Padding padding = padding_of(op);
  std::vector<Dim> dims = dims_of(input->shape);
  const bool is_plain = op.arg("output_padding").is(Tag::None) && !is_ambiguous;
  for (u32 i = 0; i < count; ++i) {
    Dim &dim = dims[i + (*channels_first ? 2 : 1)];
    const bool is_known = is_plain && kernel[i].is_constant() && stride[i].is_constant() && dim.is_known();
    if (!is_known || padding == Padding::Unknown || !op.in.as_dim(op.arg("dilation_rate")).is(1)) {
      dim = {};
      continue;
    }
    dim = op.in.terms.multiply(dim, stride[i]);
    if (padding == Padding::Valid) {
      dim = op.in.terms.add(dim, Dim::of(std::max<i64>(kernel[i].value - stride[i].value, 0)));
    }
  }
  dims[*channels_first ? 1 : count + 1] = op.dim("filters");
  return answer(op, *input, dims);
}

// ZeroPadding2D, Cropping2D: one number, one for each dimension, or one for each side.
Value call_margin(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  const u32 count = spatial_of(op);
  const auto channels_first = has_channels_first(op);
  if (input == nullptr || !check_rank(op, *input, count + 2, true) || !channels_first) {
    return nothing_known(op, input);
  }
  const bool is_crop = class_of(op).starts_with("Crop");
  const Value margin = op.arg(is_crop ? "cropping" : "padding");
  std::vector<Dim> dims = dims_of(input->shape);
  for (u32 i = 0; i < count; ++i) {
    Dim more;
    Value one = margin;
    if (margin.is_sequence() && (count > 1 || margin.list->content.items.size() != 2)) {
      const ListContent &content = margin.list->content;
      one = !content.is_open && content.items.size() == count ? content.items[i] : Value();
    }
    std::vector<Dim> sides;
    if (one.is(Tag::Int)) {
      more = op.in.terms.multiply(one.dim(), Dim::of(2));
    } else if (one.is_sequence() && op.in.as_dims(one, sides) && sides.size() == 2) {
      more = op.in.terms.add(sides[0], sides[1]);
    }
    Dim &dim = dims[i + (*channels_first ? 2 : 1)];
    dim = is_crop ? op.in.terms.subtract(dim, more) : op.in.terms.add(dim, more);
    if (is_crop && dim.is_constant() && dim.value < 1) {
      if (Problem *problem = op.report(Fault::MapVanishes,
                                       fmt::format("{} leaves nothing of {}", class_of(op), op.in.text_of(*input)))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "crop less, or use a larger input";
      }
      return nothing_known(op, input);
    }
    if (!dim.is_known() || (dim.is_constant() && dim.value < 1)) {
      dim = {};
    }
  }
  return answer(op, *input, dims);
}

Value call_attention(Operation &op) { // MultiHeadAttention
  const Tensor *const query = op.tensor("query");
  if (query == nullptr || !query->shape.is_known() || op.truth("return_attention_scores") != Truth::No ||
      !op.arg("output_shape").is(Tag::None)) {
    return {};
  }
  return answer(op, *query, dims_of(query->shape));
}

Value call_resizing(Operation &op) {
  const Tensor *const input = op.tensor("inputs");
  if (input == nullptr || !input->shape.has_rank(4)) {
    return nothing_known(op, input);
  }
  return answer(op, *input, {input->shape.dims[0], op.dim("height"), op.dim("width"), input->shape.dims[3]});
}

// Lambda: the function that it was given, if that is the program's own.
Value call_lambda(Operation &op) {
  const Value function = op.arg("function");
  if (!function.is(Tag::Function) || !op.arg("arguments").is(Tag::None)) {
    return nothing_known(op, op.tensor("inputs"));
  }
  Arguments arguments;
  arguments.positional.push_back(op.arg("inputs"));
  const Value value = op.in.call(function, arguments, op.node);
  return value.is(Tag::Tensor) || value.is_sequence() ? value : nothing_known(op, op.tensor("inputs"));
}

// keras.backend.set_image_data_format("channels_first")
Value call_set_format(Operation &op) {
  const Value format = op.arg("data_format");
  const bool is_known = format.is(Tag::Str) && format.number != 0;
  const bool is_first = is_known && (format.text() == "channels_first" || format.text() == "th");
  op.in.has_channels_first = !is_known ? Truth::Unknown : is_first ? Truth::Yes : Truth::No;
  return Value::none();
}

Value call_unknown(Operation &op) { return nothing_known(op, op.tensor("inputs")); }

constexpr TransferEntry kTable[] = {
    {"keras_same", call_same},
    {"keras_checked_same", call_checked_same},
    {"keras_dense", call_dense},
    {"keras_conv", call_conv},
    {"keras_depthwise", call_depthwise},
    {"keras_pool", call_pool},
    {"keras_global_pool", call_global_pool},
    {"keras_flatten", call_flatten},
    {"keras_reshape", call_reshape},
    {"keras_permute", call_permute},
    {"keras_repeat_vector", call_repeat_vector},
    {"keras_up_sampling", call_up_sampling},
    {"keras_conv_transpose", call_conv_transpose},
    {"keras_margin", call_margin},
    {"keras_attention", call_attention},
    {"keras_resizing", call_resizing},
    {"keras_lambda", call_lambda},
    {"keras_set_format", call_set_format},
    {"keras_unknown", call_unknown},
};

} // namespace
} // namespace keras_layers

std::span<const TransferEntry> keras_layer_transfers() { return keras_layers::kTable; }

} // namespace deepperf::shapes
