// Convolutions and pooling: kernels that go over pictures, sounds and volumes.
#include "shapes/torch.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace torch_convolutions {
namespace {

u32 spatial_in(std::string_view api) {
  for (std::size_t i = 0; i + 1 < api.size(); ++i) {
    if (api[i] >= '1' && api[i] <= '3' && api[i + 1] == 'd') {
      return static_cast<u32>(api[i] - '0');
    }
  }
  return 2;
}

// The input as [N, C, spatial...]; what comes from outside becomes that. Null if it is none, with a report if that is
// wrong.
const Tensor *picture(Operation &op, u32 spatial, Dim channels) {
  const Value value = op.arg("input");
  const Tensor *input = op.in.as_tensor(value);
  if (input == nullptr) {
    report_not_a_tensor(op, value);
    return nullptr;
  }
  if (!input->shape.is_known()) {
    std::vector<Dim> dims;
    static constexpr std::string_view kNames[] = {"D", "H", "W"};
    for (u32 i = 0; i < spatial + 2; ++i) {
      const Dim known = input->shape.from_end(spatial + 1 - i);
      if (known.is_known()) {
        dims.push_back(known);
      } else if (i == 1) {
        dims.push_back(channels.is_known() ? channels : op.in.size_at(value, *input, 1));
      } else if (i == 0) {
        dims.push_back(op.in.size_at(value, *input, 0));
      } else {
        dims.push_back(value.is(Tag::Opaque) ? op.in.fresh(spatial == 1 ? "L" : kNames[i - 2 + (3 - spatial)]) : Dim{});
      }
    }
    if (!value.is(Tag::Opaque)) {
      // It may be one example or a batch.
      for (Dim &dim : dims) {
        dim = {};
      }
    }
    Tensor refined = *input;
    refined.shape = value.is(Tag::Opaque) ? op.in.heap.shape(dims) : Shape{};
    op.in.refine(value, refined.shape);
    input = op.in.heap.arena.make<Tensor>(refined);
    return input;
  }
  const u32 rank = input->shape.rank();
  if (rank != spatial + 2 && rank != spatial + 1) {
    if (Problem *problem = op.report(Fault::WrongRank,
                                     fmt::format("{} takes {} dimensions, or {} without a batch, but gets {}",
                                                 op.short_name(), spatial + 2, spatial + 1, op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = rank > spatial + 2 ? "reshape the input"
                                           : "add the missing dimension with unsqueeze, or do not flatten before";
    }
    return nullptr;
  }
  return input;
}

// What is left of a size; reports when nothing is.
Dim slid(Operation &op, const Tensor &input, Dim size, Dim kernel, Dim stride, Dim padding, Dim dilation, Truth ceil) {
  Terms &terms = op.in.terms;
  const Dim reach = terms.add(terms.multiply(dilation, terms.subtract(kernel, Dim::of(1))), Dim::of(1));
  const Dim room = terms.subtract(terms.add(size, terms.multiply(Dim::of(2), padding)), reach);
  if (terms.compare(room, Dim::of(0)) == Sign::Negative && ceil != Truth::Yes) {
    if (Problem *problem = op.report(
            Fault::MapVanishes,
            fmt::format("{} needs {} pixels, but gets {} of {}", op.short_name(), op.in.terms.text(reach),
                        terms.text(terms.add(size, terms.multiply(Dim::of(2), padding))), op.in.text_of(input)))) {
      op.in.add_chain(*problem, input);
      problem->advice = "use a larger input, add padding, or remove a pooling layer before it";
    }
    return {};
  }
  if (ceil == Truth::Unknown) {
    return {};
  }
  if (ceil == Truth::No) {
    return terms.add(terms.floor_divide(room, stride), Dim::of(1));
  }
  Dim count = terms.add(terms.floor_divide(terms.add(room, terms.subtract(stride, Dim::of(1))), stride), Dim::of(1));
  // The last window must begin inside of the input or the padding before it.
  if (count.is_constant() && stride.is_constant() && size.is_constant() && padding.is_constant()) {
    if ((count.value - 1) * stride.value >= size.value + padding.value) {
      count = Dim::of(count.value - 1);
    }
  } else if (!padding.is(0) || !(stride.is_constant() && kernel.is_constant() && stride.value <= kernel.value)) {
    return {};
  }
  return count;
}

Value call_convolution(Operation &op) {
  const u32 spatial = spatial_in(op.api.text());
  const Dim channels = op.dim("in_channels");
  const Tensor *const input = picture(op, spatial, channels);
  if (input == nullptr) {
    return op.unknown_tensor(nullptr);
  }
  if (!check_layer(op, *input)) {
    return op.unknown_tensor(input);
  }
  Tensor result = layer_result(op, *input);
  if (!input->shape.is_known()) {
    return op.result(result, {input});
  }
  const bool has_batch = input->shape.rank() == spatial + 2;
  const u32 at = has_batch ? 1 : 0;
  if (op.in.terms.differ(channels, input->shape.dims[at])) {
    report_layer_size(op, *input, "in_channels", channels, input->shape.dims[at]);
    return op.unknown_tensor(input);
  }
  const bool is_transposed = op.api.text().find("Transpose") != std::string_view::npos;
  const std::vector<Dim> kernel = op.sizes("kernel_size", spatial);
  const std::vector<Dim> stride = op.sizes("stride", spatial);
  const std::vector<Dim> dilation = op.sizes("dilation", spatial);
  const Value padding_value = op.arg("padding");
  std::vector<Dim> padding = op.sizes("padding", spatial);
  std::vector<Dim> dims;
  if (has_batch) {
    dims.push_back(input->shape.dims[0]);
  }
  dims.push_back(op.dim("out_channels"));
  Terms &terms = op.in.terms;
  for (u32 i = 0; i < spatial; ++i) {
    const Dim size = input->shape.dims[at + 1 + i];
    if (is_transposed) {
      const std::vector<Dim> extra = op.sizes("output_padding", spatial);
      Dim out = terms.multiply(terms.subtract(size, Dim::of(1)), stride[i]);
      out = terms.subtract(out, terms.multiply(Dim::of(2), padding[i]));
      out = terms.add(out, terms.multiply(dilation[i], terms.subtract(kernel[i], Dim::of(1))));
      dims.push_back(op.is_given("output_size") ? Dim{} : terms.add(out, terms.add(extra[i], Dim::of(1))));
      continue;
    }
    if (padding_value.is(Tag::Str)) {
      dims.push_back(padding_value.text() == "same" ? size
                     : padding_value.text() == "valid"
                         ? slid(op, *input, size, kernel[i], stride[i], Dim::of(0), dilation[i], Truth::No)
                         : Dim{});
      continue;
    }
    dims.push_back(slid(op, *input, size, kernel[i], stride[i], padding[i], dilation[i], Truth::No));
  }
  result.shape = op.in.heap.shape(dims);
  const Value value = op.result(result, {input});
  if (value.tensor->step != Tensor::kNoStep) {
    Dim work = terms.floor_divide(channels, op.dim("groups"));
    for (const Dim side : kernel) {
      work = terms.multiply(work, side);
    }
    const Dim places =
        is_transposed ? terms.multiply(terms.floor_divide(numel(op.in, input->shape), channels), op.dim("out_channels"))
                      : numel(op.in, result.shape);
    op.in.steps[value.tensor->step].multiply_adds = terms.multiply(work, places);
  }
  return value;
}

void make_convolution(Operation &op) {
  const Dim groups = op.dim("groups");
  if (!groups.is_constant() || groups.value <= 1) {
    return;
  }
  for (const std::string_view name : {"in_channels", "out_channels"}) {
    const Dim channels = op.dim(name);
    if (channels.is_constant() && channels.value % groups.value != 0) {
      if (Problem *problem = op.report(Fault::ImpossibleLayer, fmt::format("{} of {} cannot be split into {} groups",
                                                                           name, channels.value, groups.value))) {
        problem->advice = "groups must divide in_channels and out_channels";
      }
      return;
    }
  }
}

Value call_convolution_function(Operation &op) {
  const u32 spatial = spatial_in(op.api.text());
  const Tensor *const weight = op.tensor("weight");
  const bool is_transposed = op.api.text().find("transpose") != std::string_view::npos;
  const Dim groups = op.dim("groups");
  Dim channels;
  if (weight != nullptr && weight->shape.has_rank(spatial + 2)) {
    channels = is_transposed ? weight->shape.dims[0] : op.in.terms.multiply(weight->shape.dims[1], groups);
  }
  const Tensor *const input = picture(op, spatial, channels);
  if (input == nullptr) {
    return op.unknown_tensor(nullptr);
  }
  if (weight == nullptr || !weight->shape.has_rank(spatial + 2) || !input->shape.is_known() || is_transposed) {
    return op.like(*input, {});
  }
  const bool has_batch = input->shape.rank() == spatial + 2;
  const u32 at = has_batch ? 1 : 0;
  if (op.in.terms.differ(channels, input->shape.dims[at])) {
    if (Problem *problem = op.report(Fault::LayerInputSize, fmt::format("{} takes {} channels, but gets {}",
                                                                        op.short_name(), op.in.terms.text(channels),
                                                                        op.in.terms.text(input->shape.dims[at])))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *weight);
      problem->advice = "the second size of the weight, times groups, must be the number of channels";
    }
    return op.like(*input, {});
  }
  std::vector<Dim> dims;
  if (has_batch) {
    dims.push_back(input->shape.dims[0]);
  }
  dims.push_back(weight->shape.dims[0]);
  const std::vector<Dim> stride = op.sizes("stride", spatial);
  const std::vector<Dim> padding = op.sizes("padding", spatial);
  const std::vector<Dim> dilation = op.sizes("dilation", spatial);
  const bool is_same = op.in.as_text(op.arg("padding")) == "same";
  for (u32 i = 0; i < spatial; ++i) {
    const Dim size = input->shape.dims[at + 1 + i];
    dims.push_back(
        is_same ? size
                : slid(op, *input, size, weight->shape.dims[2 + i], stride[i], padding[i], dilation[i], Truth::No));
  }
  Tensor result = *input;
  result.is_parameter = false;
  result.grad = weight->grad == Truth::Yes && op.in.records_gradients() ? Truth::Yes : input->grad;
  result.shape = op.in.heap.shape(dims);
  return op.result(result, {input, weight});
}

Value call_pool(Operation &op) {
  const u32 spatial = spatial_in(op.api.text());
  const Tensor *const input = picture(op, spatial, {});
  if (input == nullptr) {
    return op.unknown_tensor(nullptr);
  }
  // Average pooling has no places to give.
  const Value wants_places = op.arg("return_indices");
  const bool gives_places = op.in.truth(wants_places) == Truth::Yes;
  const auto finish = [&](const Value &value) {
    if (!gives_places || !value.is(Tag::Tensor)) {
      return value;
    }
    Tensor places = *value.tensor;
    places.dtype = Dtype::Int64;
    places.grad = Truth::No;
    return op.in.named_pair(value, op.in.plain_tensor(places));
  };
  if (wants_places.is(Tag::Bool) && wants_places.truth() == Truth::Unknown) {
    return {};
  }
  if (!input->shape.is_known()) {
    return finish(op.like(*input, {}));
  }
  const std::vector<Dim> kernel = op.sizes("kernel_size", spatial);
  const Value stride_value = op.arg("stride");
  const std::vector<Dim> stride = stride_value.is(Tag::None) ? kernel : op.sizes("stride", spatial);
  const std::vector<Dim> padding = op.sizes("padding", spatial);
  const Value dilation_value = op.arg("dilation");
  const std::vector<Dim> dilation =
      dilation_value.is_unknown() ? std::vector<Dim>(spatial, Dim::of(1)) : op.sizes("dilation", spatial);
  const Truth ceil = op.truth("ceil_mode");
  const u32 rank = input->shape.rank();
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  for (u32 i = 0; i < spatial; ++i) {
    Dim &size = dims[rank - spatial + i];
    if (padding[i].is_constant() && kernel[i].is_constant() && padding[i].value * 2 > kernel[i].value &&
        dilation[i].is(1)) {
      if (Problem *problem = op.report(Fault::ImpossibleLayer,
                                       fmt::format("{} has a padding of {}, more than half of its kernel of {}",
                                                   op.short_name(), padding[i].value, kernel[i].value))) {
        problem->advice = "padding may be at most half of the kernel";
      }
      return op.unknown_tensor(input);
    }
    size = slid(op, *input, size, kernel[i], stride[i], padding[i], dilation[i], ceil);
  }
  return finish(op.like(*input, op.in.heap.shape(dims)));
}

Value call_adaptive_pool(Operation &op) {
  const u32 spatial = spatial_in(op.api.text());
  const Tensor *const input = picture(op, spatial, {});
  if (input == nullptr) {
    return op.unknown_tensor(nullptr);
  }
  if (!input->shape.is_known()) {
    return op.like(*input, {});
  }
  const Value wanted = op.arg("output_size");
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  const u32 rank = input->shape.rank();
  for (u32 i = 0; i < spatial; ++i) {
    Dim &size = dims[rank - spatial + i];
    if (wanted.is_sequence() && !wanted.list->content.is_open && wanted.list->content.items.size() == spatial) {
      const Value &one = wanted.list->content.items[i];
      size = one.is(Tag::None) ? size : op.in.as_dim(one);
    } else if (wanted.is_sequence() && !wanted.list->content.is_open && wanted.list->content.items.size() == 1) {
      size = op.in.as_dim(wanted.list->content.items[0]);
    } else {
      size = wanted.is(Tag::None) ? size : op.in.as_dim(wanted);
    }
  }
  const Value value = op.like(*input, op.in.heap.shape(dims));
  return op.truth("return_indices") == Truth::Yes ? op.in.named_pair(value, value) : value;
}

// ReflectionPad2d and the like: the same on each side, or (left, right, top, bottom).
Value call_padding(Operation &op) {
  const u32 spatial = spatial_in(op.api.text());
  const Tensor *const input = picture(op, spatial, {});
  if (input == nullptr) {
    return op.unknown_tensor(nullptr);
  }
  if (!input->shape.is_known()) {
    return op.like(*input, {});
  }
  const std::vector<Dim> pads = op.sizes("padding", spatial * 2);
  std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
  for (u32 i = 0; i < spatial; ++i) {
    Dim &size = dims[dims.size() - 1 - i];
    size = op.in.terms.add(size, op.in.terms.add(pads[i * 2], pads[i * 2 + 1]));
  }
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_unfold(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  if (!input->shape.has_rank(4)) {
    return op.like(*input, {});
  }
  const std::vector<Dim> kernel = op.sizes("kernel_size", 2);
  const std::vector<Dim> stride = op.sizes("stride", 2);
  const std::vector<Dim> padding = op.sizes("padding", 2);
  const std::vector<Dim> dilation = op.sizes("dilation", 2);
  Dim places = Dim::of(1);
  for (u32 i = 0; i < 2; ++i) {
    places = op.in.terms.multiply(
        places, slid(op, *input, input->shape.dims[2 + i], kernel[i], stride[i], padding[i], dilation[i], Truth::No));
  }
  const Dim values = op.in.terms.multiply(input->shape.dims[1], op.in.terms.multiply(kernel[0], kernel[1]));
  return op.like(*input, op.in.heap.shape({input->shape.dims[0], values, places}));
}

constexpr TransferEntry kTable[] = {
    {"convolution", call_convolution, make_convolution},
    {"convolution_function", call_convolution_function},
    {"pool", call_pool},
    {"adaptive_pool", call_adaptive_pool},
    {"padding", call_padding},
    {"unfold", call_unfold},
};

} // namespace
} // namespace torch_convolutions

std::span<const TransferEntry> torch_convolution_transfers() { return torch_convolutions::kTable; }

} // namespace deepperf::shapes
