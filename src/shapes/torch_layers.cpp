// Layers of PyTorch: what all of them check, and those that no pattern describes.
#include "shapes/torch.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

const Expr *argument_of_maker(const Object &layer, const Spec &spec, std::string_view parameter) {
  if (layer.maker == nullptr || layer.type != nullptr) {
    return nullptr;
  }
  for (const Keyword *keyword : layer.maker->keywords) {
    if (!keyword->name) {
      return nullptr;
    }
    if (keyword->name.text() == parameter) {
      return keyword->value;
    }
  }
  for (u32 i = 0; i < spec.make.size() && i < layer.maker->args.size(); ++i) {
    if (layer.maker->args[i]->kind == NodeKind::Starred) {
      return nullptr;
    }
    if (spec.make[i].name.text() == parameter) {
      return layer.maker->args[i];
    }
  }
  return nullptr;
}

void report_layer_size(Operation &op, const Tensor &input, std::string_view parameter, Dim wanted, Dim got) {
  const std::string_view what = parameter.find("channels") != std::string_view::npos   ? "channels"
                                : parameter.find("features") != std::string_view::npos ? "features"
                                                                                       : "values";
  Problem *const problem =
      op.report(Fault::LayerInputSize, fmt::format("{} takes {} {}, but gets {}", op.short_name(),
                                                   op.in.terms.text(wanted), what, op.in.terms.text(got)));
  if (problem == nullptr) {
    return;
  }
  op.in.add_chain(*problem, input);
  if (op.layer == nullptr || op.layer->maker == nullptr || op.layer->module == nullptr) {
    problem->advice = fmt::format("the layer's {} must be {}", parameter, op.in.terms.text(got));
    return;
  }
  problem->notes.push_back({op.layer->module, op.layer->maker->span(),
                            fmt::format("{} is created here for {}", op.short_name(), op.in.terms.text(wanted))});
  const Expr *const argument = argument_of_maker(*op.layer, op.spec, parameter);
  const std::string wanted_text = op.in.terms.text(got);
  problem->advice = fmt::format("create the layer for its input: {}={}", parameter, wanted_text);
  // One number decides, where it is written as one and nobody else uses the layer for something else.
  if (argument != nullptr && got.is_constant() && op.layer->module == problem->module &&
      argument->kind == NodeKind::Constant) {
    problem->fix = Problem::Edit{argument->span(), wanted_text};
  }
}

void report_not_a_tensor(Operation &op, const Value &value) {
  if (!value.is(Tag::Tuple) && !value.is(Tag::List)) {
    return;
  }
  if (op.layer == nullptr || value.list->content.is_open || value.list->holder.tag != Tag::Unknown) {
    return;
  }
  const bool are_tensors = std::ranges::any_of(
      value.list->content.items, [](const Value &item) { return item.is(Tag::Tensor) || item.is_sequence(); });
  if (!are_tensors) {
    return;
  }
  if (Problem *problem = op.report(Fault::Arity, fmt::format("{} takes a tensor, but gets a {} of {}", op.short_name(),
                                                             value.is(Tag::Tuple) ? "tuple" : "list",
                                                             value.list->content.items.size()))) {
    problem->advice = "pass one of its elements: an LSTM or GRU returns (output, state)";
    if (!value.list->content.items.empty() && value.list->content.items[0].is(Tag::Tensor)) {
      op.in.add_chain(*problem, *value.list->content.items[0].tensor);
    }
  }
}

Tensor layer_result(Operation &op, const Tensor &input) {
  Tensor result = input;
  result.is_parameter = false;
  result.library = Library::Torch;
  if (op.layer != nullptr && !op.spec.weights.empty()) {
    result.grad = op.in.records_gradients() ? Truth::Yes : Truth::No;
    result.device = op.layer->content.device.kind != Device::Kind::Unknown ? op.layer->content.device : input.device;
    if (input.dtype == Dtype::Unknown && op.layer->content.dtype == Dtype::Unknown) {
      result.dtype = op.in.is_changed_default_dtype ? Dtype::Unknown : Dtype::Float32;
    } else if (op.layer->content.dtype != Dtype::Unknown) {
      result.dtype = op.layer->content.dtype;
    }
    // Parameters that are frozen record nothing.
    if (result.grad == Truth::Yes &&
        (op.in.is_frozen_somewhere || op.layer->content.attributes.contains(intern("*frozen").id))) {
      result.grad = Truth::Unknown;
    }
  } else if (!op.in.records_gradients()) {
    result.grad = Truth::No;
  }
  if (op.in.in_autocast()) {
    result.dtype = Dtype::Unknown;
  }
  return result;
}

bool check_layer(Operation &op, const Tensor &input) {
  if (op.layer == nullptr || op.spec.weights.empty()) {
    return true;
  }
  const Device device = op.layer->content.device;
  if (input.library == Library::Torch && are_apart(device, input.device)) {
    const bool is_input = input.device.kind == Device::Kind::Cpu;
    const Device other = is_input ? device : input.device;
    const std::string where = other.kind == Device::Kind::Variable ? "the program's device" : text_of(other);
    if (Problem *problem =
            op.report(Fault::DeviceMismatch,
                      is_input ? fmt::format("{} is on {}, but gets a tensor on the CPU", op.short_name(), where)
                               : fmt::format("{} is on the CPU, but gets a tensor on {}", op.short_name(), where))) {
      op.in.add_chain(*problem, input);
      problem->advice = is_input ? "move the input: .to(device)" : "move the model: model.to(device)";
    }
    return false;
  }
  const bool takes_indices = op.spec.transfer == "embedding" || op.spec.transfer == "embedding_bag";
  if (takes_indices || op.in.in_autocast() || input.dtype == Dtype::Unknown || op.in.is_changed_default_dtype ||
      input.library != Library::Torch) {
    return true;
  }
  const Dtype wanted = op.layer->content.dtype != Dtype::Unknown ? op.layer->content.dtype : Dtype::Float32;
  if (input.dtype == wanted || op.layer->content.attributes.contains(intern("*dtype").id)) {
    return true;
  }
  const std::string_view transfer = op.spec.transfer;
  if ((transfer == "batch_norm" || transfer == "layer_norm" || transfer == "group_norm") && is_floating(input.dtype)) {
    return true; // some of these mix float16 and float32
  }
  if (Problem *problem =
          op.report(Fault::DtypeMismatch, fmt::format("{} has weights of {}, but gets {}", op.short_name(),
                                                      name_of(wanted), name_of(input.dtype)))) {
    op.in.add_chain(*problem, input);
    problem->advice = wanted == Dtype::Float32 ? "cast the input: .float()"
                                               : fmt::format("cast the input: .to(torch.{})", name_of(wanted));
  }
  return false;
}

// `weight` and `bias` of a layer, by what its constructor was given.
Value Interpreter::weight_of(Object &object, Symbol name) {
  const std::string_view text = name.text();
  if ((text != "weight" && text != "bias") || !object.content.api || object.content.is_open) {
    return {};
  }
  const Spec *const spec = spec_of(object.content.api);
  if (spec == nullptr || spec->weights.empty()) {
    return {};
  }
  const Operation op{*this, *spec, object.content.api, nullptr, &object};
  const std::string_view api = object.content.api.text();
  Tensor tensor;
  tensor.library = Library::Torch;
  tensor.dtype = object.content.dtype != Dtype::Unknown ? object.content.dtype
                 : is_changed_default_dtype             ? Dtype::Unknown
                                                        : Dtype::Float32;
  tensor.device = object.content.device;
  tensor.grad = object.content.attributes.contains(intern("*frozen").id) ? Truth::Unknown : Truth::Yes;
  tensor.is_parameter = tensor.is_of_layer = true;
  if (text == "bias" && truth(op.arg("bias")) == Truth::No) {
    return Value::none();
  }
  if (api == "torch.nn.Linear") {
    tensor.shape = text == "weight" ? heap.shape({op.dim("out_features"), op.dim("in_features")})
                                    : heap.shape({op.dim("out_features")});
  } else if (api == "torch.nn.Embedding" && text == "weight") {
    tensor.shape = heap.shape({op.dim("num_embeddings"), op.dim("embedding_dim")});
  }
  return plain_tensor(tensor);
}

namespace torch_layers {
namespace {

Value call_norm_of_channels(Operation &op, u32 least, u32 most, std::string_view parameter) {
  const Value value = op.arg("input");
  const Tensor *input = op.in.as_tensor(value);
  if (input == nullptr) {
    report_not_a_tensor(op, value);
    return {};
  }
  if (!check_layer(op, *input)) {
    return op.unknown_tensor(input);
  }
  const Dim wanted = op.dim(parameter);
  if (!input->shape.is_known()) {
    if (least == most && value.is(Tag::Opaque)) {
      std::vector<Dim> dims;
      for (u32 i = 0; i < least; ++i) {
        const Dim known = input->shape.from_end(least - 1 - i);
        dims.push_back(i == 1 ? wanted : known.is_known() ? known : op.in.size_at(value, *input, static_cast<i64>(i)));
      }
      op.in.refine(value, op.in.heap.shape(dims));
      input = op.in.as_tensor(value);
    } else {
      Tensor result = layer_result(op, *input);
      return op.result(result, {input});
    }
  }
  const u32 rank = input->shape.rank();
  if (rank < least || rank > most) {
    if (Problem *problem = op.report(
            Fault::WrongRank, fmt::format("{} takes {} dimensions, but gets {}", op.short_name(),
                                          least == most ? std::to_string(least) : fmt::format("{} or {}", least, most),
                                          op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "use the layer for this number of dimensions (BatchNorm1d, 2d or 3d)";
    }
    return op.unknown_tensor(input);
  }
  if (op.in.terms.differ(wanted, input->shape.dims[1])) {
    report_layer_size(op, *input, parameter, wanted, input->shape.dims[1]);
    return op.unknown_tensor(input);
  }
  const Tensor result = layer_result(op, *input);
  return op.result(result, {input});
}

u32 digit_in(std::string_view api) {
  const std::size_t at = api.find_last_of("123");
  return at != std::string_view::npos && at + 1 < api.size() && api[at + 1] == 'd' ? static_cast<u32>(api[at] - '0')
                                                                                   : 0;
}

Value call_batch_norm(Operation &op) {
  const u32 spatial = digit_in(op.api.text());
  return spatial == 1 ? call_norm_of_channels(op, 2, 3, "num_features")
                      : call_norm_of_channels(op, spatial + 2, spatial + 2, "num_features");
}

Value call_instance_norm(Operation &op) {
  const u32 spatial = digit_in(op.api.text());
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  const Truth affine = op.truth("affine");
  if (affine != Truth::Yes || !input->shape.has_rank(spatial + 2)) {
    return op.result(layer_result(op, *input), {input});
  }
  return call_norm_of_channels(op, spatial + 2, spatial + 2, "num_features");
}

Value call_group_norm(Operation &op) { return call_norm_of_channels(op, 2, 8, "num_channels"); }

void make_group_norm(Operation &op) {
  const Dim groups = op.dim("num_groups");
  const Dim channels = op.dim("num_channels");
  if (groups.is_constant() && channels.is_constant() && groups.value > 0 && channels.value % groups.value != 0) {
    if (Problem *problem =
            op.report(Fault::ImpossibleLayer,
                      fmt::format("GroupNorm cannot split {} channels into {} groups", channels.value, groups.value))) {
      problem->advice = "num_groups must divide num_channels";
    }
  }
}

Value call_layer_norm(Operation &op) {
  const Value value = op.arg("input");
  const Tensor *input = op.in.as_tensor(value);
  if (input == nullptr) {
    report_not_a_tensor(op, value);
    return {};
  }
  if (!check_layer(op, *input)) {
    return op.unknown_tensor(input);
  }
  std::vector<Dim> wanted;
  const Value shape = op.arg("normalized_shape");
  if (shape.is(Tag::Opaque)) {
    wanted.push_back(Dim{}); // a number or a list
  } else if (!op.in.as_dims(shape, wanted)) {
    return op.result(layer_result(op, *input), {input});
  }
  if (input->shape.is_known() && input->shape.rank() < wanted.size()) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("{} takes at least {} dimensions, but gets {}", op.short_name(),
                                                    wanted.size(), op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
    }
    return op.unknown_tensor(input);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Dim size = input->shape.from_end(static_cast<u32>(i));
    const Dim expected = wanted[wanted.size() - 1 - i];
    if (op.in.terms.differ(expected, size)) {
      report_layer_size(op, *input, "normalized_shape", expected, size);
      return op.unknown_tensor(input);
    }
  }
  if (input->shape.kind == Shape::Kind::Unknown && !wanted.empty() && wanted.back().is_known()) {
    op.in.refine(value, op.in.heap.shape(wanted, Shape::Kind::Tail));
    if (value.is(Tag::Opaque)) {
      input = op.in.as_tensor(value);
    }
  }
  return op.result(layer_result(op, *input), {input});
}

Value call_embedding(Operation &op) {
  const Value value = op.arg("input");
  const Tensor *const input = op.in.as_tensor(value);
  if (input == nullptr) {
    return {};
  }
  if (input->library == Library::Torch && (is_floating(input->dtype) || input->dtype == Dtype::Bool)) {
    if (Problem *problem = op.report(Fault::DtypeMismatch, fmt::format("{} takes integers, but gets {}",
                                                                       op.short_name(), name_of(input->dtype)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "cast the indices: .long()";
    }
  }
  if (!check_layer(op, *input)) {
    return op.unknown_tensor(input);
  }
  op.in.refine_dtype(value, Dtype::Int64);
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  dims.push_back(op.dim("embedding_dim"));
  Tensor result = layer_result(op, *input);
  result.dtype = op.layer != nullptr && op.layer->content.dtype != Dtype::Unknown ? op.layer->content.dtype
                 : op.in.is_changed_default_dtype                                 ? Dtype::Unknown
                                                                                  : Dtype::Float32;
  result.shape = op.in.heap.shape(dims, input->shape.is_known() ? Shape::Kind::Known : Shape::Kind::Tail);
  return op.result(result, {input});
}

// Activations, dropout: what goes in comes out.
Value call_layer_same(Operation &op) {
  const Value value = op.arg("input");
  const Tensor *const input = op.in.as_tensor(value);
  if (input == nullptr) {
    report_not_a_tensor(op, value);
    return {};
  }
  if (const auto at = op.integer("dim")) {
    axis_of(op, *input, *at, "dim");
  }
  const std::string_view api = op.api.text();
  const bool is_softmax = api.find("oftmax") != std::string_view::npos && api.find("gumbel") == std::string_view::npos;
  const Value wanted = op.arg("dtype");
  if (is_softmax && (wanted.is(Tag::None) || wanted.is_unknown()) && input->library == Library::Torch &&
      (is_integer(input->dtype) || input->dtype == Dtype::Bool)) {
    if (Problem *problem = op.report(Fault::DtypeMismatch, fmt::format("{} takes floating-point numbers, but gets {}",
                                                                       op.short_name(), name_of(input->dtype)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "cast it first: .float()";
    }
  }
  return op.like(*input, input->shape, wanted.is(Tag::Dtype) ? wanted.dtype() : input->dtype);
}

Value call_glu(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto at = op.integer("dim");
  if (input == nullptr) {
    return {};
  }
  const auto axis = at ? axis_of(op, *input, *at, "dim") : std::nullopt;
  if (!axis || input->shape.rank() == 0) {
    if (at && *at == -1 && input->shape.rank() > 0) {
      return op.like(*input, op.in.heap.shape({op.in.terms.floor_divide(input->shape.from_end(0), Dim::of(2))},
                                              Shape::Kind::Tail));
    }
    return op.like(*input, {});
  }
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  if (dims[*axis].is_constant() && dims[*axis].value % 2 != 0) {
    if (Problem *problem =
            op.report(Fault::LayerInputSize, fmt::format("{} halves {}, but dimension {} has size {}", op.short_name(),
                                                         op.in.text_of(*input), *at, dims[*axis].value))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "the layer before it must return an even number of features";
    }
    return op.like(*input, {});
  }
  dims[*axis] = op.in.terms.floor_divide(dims[*axis], Dim::of(2));
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_pixel_shuffle(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Dim by = op.dim("factor");
  if (input == nullptr) {
    return {};
  }
  if (!input->shape.is_known() || input->shape.rank() < 3) {
    return op.like(*input, {});
  }
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  const std::size_t last = dims.size() - 1;
  Terms &terms = op.in.terms;
  const Dim square = terms.multiply(by, by);
  if (op.api.text().find("Unshuffle") != std::string_view::npos || op.api.text().ends_with("pixel_unshuffle")) {
    dims[last - 2] = terms.multiply(dims[last - 2], square);
    dims[last - 1] = terms.floor_divide(dims[last - 1], by);
    dims[last] = terms.floor_divide(dims[last], by);
  } else {
    const Dim channels = dims[last - 2];
    if (channels.is_constant() && square.is_constant() && square.value > 0 && channels.value % square.value != 0) {
      if (Problem *problem =
              op.report(Fault::LayerInputSize, fmt::format("{} takes a multiple of {} channels, but gets {}",
                                                           op.short_name(), square.value, channels.value))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "the layer before it must return channels * factor * factor";
      }
      return op.unknown_tensor(input);
    }
    dims[last - 2] = terms.floor_divide(channels, square);
    dims[last - 1] = terms.multiply(dims[last - 1], by);
    dims[last] = terms.multiply(dims[last], by);
  }
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_interpolate(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  const Value mode = op.arg("mode");
  const std::string_view how = mode.is(Tag::Str) ? mode.text() : std::string_view{};
  const u32 wanted = how == "linear" ? 3 : how == "bilinear" || how == "bicubic" ? 4 : how == "trilinear" ? 5 : 0;
  if (wanted != 0 && input->shape.is_known() && input->shape.rank() != wanted) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("{} with mode=\"{}\" takes {} dimensions, but gets {}",
                                                    op.short_name(), how, wanted, op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "linear is for [N, C, L], bilinear and bicubic for [N, C, H, W], trilinear for [N, C, D, H, W]";
    }
    return op.like(*input, {});
  }
  if (!input->shape.is_known() || input->shape.rank() < 3) {
    return op.like(*input, {});
  }
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  const u32 spatial = input->shape.rank() - 2;
  const Value size = op.arg("size");
  const Value factor = op.arg("scale_factor");
  if (!size.is(Tag::None) && !size.is_unknown()) {
    const bool has_others = size.is_sequence() && !size.list->content.is_open &&
                            size.list->content.items.size() != spatial && size.list->content.items.size() > 1;
    if (has_others) {
      if (Problem *problem = op.report(Fault::WrongRank,
                                       fmt::format("{} sizes are given for the {} dimensions of {} after the channels",
                                                   size.list->content.items.size(), spatial, op.in.text_of(*input)))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "give a size for each dimension after batch and channels";
      }
      return op.like(*input, {});
    }
    const std::vector<Dim> sizes = op.sizes("size", spatial);
    std::copy(sizes.begin(), sizes.end(), dims.begin() + 2);
  } else if (factor.is(Tag::Int)) {
    for (u32 i = 0; i < spatial; ++i) {
      dims[i + 2] = op.in.terms.multiply(dims[i + 2], factor.dim());
    }
  } else if (factor.is(Tag::Float) && factor.small != 0) {
    for (u32 i = 0; i < spatial; ++i) {
      Dim &dim = dims[i + 2];
      if (dim.is_constant()) {
        dim = Dim::of(static_cast<i64>(static_cast<double>(dim.value) * factor.real));
      } else if (factor.real == static_cast<double>(static_cast<i64>(factor.real))) {
        dim = op.in.terms.multiply(dim, Dim::of(static_cast<i64>(factor.real)));
      } else if (factor.real == 0.5) {
        dim = op.in.terms.floor_divide(dim, Dim::of(2));
      } else {
        dim = {};
      }
    }
  } else {
    for (u32 i = 0; i < spatial; ++i) {
      dims[i + 2] = {};
    }
  }
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_linear_function(Operation &op) {
  const Value value = op.arg("input");
  const Tensor *const input = op.in.as_tensor(value);
  const Tensor *const weight = op.tensor("weight");
  if (input == nullptr || weight == nullptr) {
    return op.unknown_tensor(input);
  }
  if (!weight->shape.has_rank(2)) {
    return op.like(*input, {});
  }
  if (op.in.terms.differ(input->shape.from_end(0), weight->shape.dims[1])) {
    if (Problem *problem = op.report(Fault::LayerInputSize, fmt::format("linear takes {} features, but gets {}",
                                                                        op.in.terms.text(weight->shape.dims[1]),
                                                                        op.in.terms.text(input->shape.from_end(0))))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *weight);
      problem->advice = "the weight is [out_features, in_features]";
    }
    return op.unknown_tensor(input);
  }
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  if (dims.empty()) {
    dims.emplace_back();
  }
  dims.back() = weight->shape.dims[0];
  Tensor result = *input;
  result.is_parameter = false;
  result.grad = !op.in.records_gradients() ? Truth::No : weight->grad == Truth::Yes ? Truth::Yes : input->grad;
  result.shape = op.in.heap.shape(dims, input->shape.is_known() ? Shape::Kind::Known : Shape::Kind::Tail);
  return op.result(result, {input, weight});
}

Value call_embedding_function(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const weight = op.tensor("weight");
  if (input == nullptr || weight == nullptr) {
    return op.unknown_tensor(input);
  }
  if (weight->shape.is_known() && weight->shape.rank() != 2) {
    if (Problem *problem = op.report(Fault::WrongRank,
                                     "embedding takes a table with 2 dimensions, but gets " + op.in.text_of(*weight))) {
      op.in.add_chain(*problem, *weight);
      problem->advice = "the indices come first, then the table of [count, size]";
    }
    return op.unknown_tensor(input);
  }
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  dims.push_back(weight->shape.from_end(0));
  Tensor result = *weight;
  result.is_parameter = false;
  result.shape = op.in.heap.shape(dims, input->shape.is_known() ? Shape::Kind::Known : Shape::Kind::Tail);
  return op.result(result, {input, weight});
}

Value call_buffer(Operation &op) { return op.arg("data"); }

constexpr TransferEntry kTable[] = {
    {"linear_function", call_linear_function}, {"embedding_function", call_embedding_function},
    {"identity_buffer", call_buffer},          {"batch_norm", call_batch_norm},
    {"instance_norm", call_instance_norm},     {"group_norm", call_group_norm, make_group_norm},
    {"layer_norm", call_layer_norm},           {"embedding", call_embedding},
    {"layer_same", call_layer_same},           {"glu", call_glu},
    {"pixel_shuffle", call_pixel_shuffle},     {"interpolate", call_interpolate},
};

} // namespace
} // namespace torch_layers

std::span<const TransferEntry> torch_layer_transfers() { return torch_layers::kTable; }

} // namespace deepperf::shapes
