// Sums, means, maxima: what takes dimensions away.
#include "shapes/registry.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace reductions {
namespace {

// The shape without the dimensions that `dim` names; nothing if that is not known.
std::optional<Shape> reduced(Operation &op, const Tensor &input) {
  const Value which = op.arg("dim");
  const Truth keep = op.truth("keepdim");
  if (!input.shape.is_known()) {
    return which.is(Tag::None) && keep == Truth::No && op.is_given("input") ? std::optional(op.in.heap.shape({}))
                                                                            : std::nullopt;
  }
  std::vector<bool> is_gone(input.shape.rank());
  if (which.is(Tag::None)) {
    is_gone.assign(input.shape.rank(), true);
  } else {
    std::vector<Dim> axes;
    if (!op.in.as_dims(which, axes)) {
      return {};
    }
    if (axes.empty()) {
      is_gone.assign(input.shape.rank(), true);
    }
    for (const Dim at : axes) {
      const auto axis = at.is_constant() ? axis_of(op, input, at.value, "dim") : std::nullopt;
      if (!axis) {
        return {};
      }
      if (input.shape.rank() > 0) {
        is_gone[*axis] = true;
      }
    }
  }
  if (keep == Truth::Unknown) {
    return {};
  }
  std::vector<Dim> dims;
  for (u32 i = 0; i < input.shape.rank(); ++i) {
    if (!is_gone[i]) {
      dims.push_back(input.shape.dims[i]);
    } else if (keep == Truth::Yes) {
      dims.push_back(Dim::of(1));
    }
  }
  return op.in.heap.shape(dims);
}

Value reduce(Operation &op, Dtype (*convert)(Dtype)) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  Dtype dtype = convert(input->dtype);
  if (const Value wanted = op.arg("dtype"); !wanted.is_unknown() && !wanted.is(Tag::None)) {
    dtype = op.in.as_dtype(wanted);
  }
  const auto shape = reduced(op, *input);
  return op.like(*input, shape ? *shape : Shape{}, dtype);
}

Dtype same(Dtype dtype) { return dtype; }
Dtype summed(Dtype dtype) { return dtype == Dtype::Bool || is_integer(dtype) ? Dtype::Int64 : dtype; }
Dtype boolean(Dtype) { return Dtype::Bool; }
Dtype integral(Dtype) { return Dtype::Int64; }

// np.prod(x.shape[1:]): a number.
Value product_of_list(Operation &op) {
  const Value list = op.arg("input");
  const bool is_product = op.api.text() == "numpy.prod" || op.api.text() == "numpy.product";
  if (!is_product || !list.is_sequence() || list.list->content.is_open || !op.arg("dim").is(Tag::None)) {
    return {};
  }
  Dim product = Dim::of(1);
  for (const Value &item : list.list->content.items) {
    if (!item.is(Tag::Int)) {
      return {};
    }
    product = op.in.terms.multiply(product, item.dim());
  }
  return Value::of(product);
}

Value call_sum(Operation &op) {
  if (const Value product = product_of_list(op); product.is(Tag::Int)) {
    return product;
  }
  return reduce(op, summed);
}

Value call_mean(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input != nullptr && input->library == Library::Torch &&
      (is_integer(input->dtype) || input->dtype == Dtype::Bool) && (op.arg("dtype").is(Tag::None))) {
    if (Problem *problem = op.report(Fault::DtypeMismatch, fmt::format("{} takes floating-point numbers, but gets {}",
                                                                       op.short_name(), name_of(input->dtype)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "cast it first: .float()";
    }
    return op.like(*input, {}, Dtype::Unknown);
  }
  return reduce(op, same);
}

bool check_float_reduction(Operation &op, const Tensor *input) {
  if (input == nullptr || input->library != Library::Torch ||
      (!is_integer(input->dtype) && input->dtype != Dtype::Bool)) {
    return true;
  }
  if (Problem *problem = op.report(Fault::DtypeMismatch, fmt::format("{} takes floating-point numbers, but gets {}",
                                                                     op.short_name(), name_of(input->dtype)))) {
    op.in.add_chain(*problem, *input);
    problem->advice = "cast it first: .float()";
  }
  return false;
}

Value call_reduce(Operation &op) { return reduce(op, same); }

// std, var, norm: of floats only.
Value call_reduce_float(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const bool has_dtype = !op.arg("dtype").is_unknown() && !op.arg("dtype").is(Tag::None);
  return has_dtype || check_float_reduction(op, input) ? reduce(op, same) : op.unknown_tensor(input);
}
Value call_all(Operation &op) { return reduce(op, boolean); }

Value call_argmax(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input != nullptr && input->shape.is_known() && op.short_name() == "argmax") {
    if (const auto at = op.integer("dim")) {
      const i64 rank = static_cast<i64>(input->shape.rank());
      const i64 axis = *at < 0 ? *at + rank : *at;
      if (axis >= 0 && axis < rank && input->shape.dims[static_cast<u32>(axis)].is(1)) {
        if (Problem *problem =
                op.report(Fault::ConstantArgmax,
                          fmt::format("argmax over dimension {} of {} is always 0", *at, op.in.text_of(*input)))) {
          op.in.add_chain(*problem, *input);
          problem->advice = "compare one score per example with a threshold: (x > 0), or (p > 0.5) for probabilities";
        }
      }
    }
  }
  return reduce(op, integral);
}

// max, min, median along a dimension: values and places.
Value call_max(Operation &op) {
  const Value which = op.arg("dim");
  const Value input_value = op.arg("input");
  const Tensor *const input = op.in.as_tensor(input_value);
  if (input == nullptr) {
    return {};
  }
  if (which.is(Tag::Tensor)) { // element by element, of two
    const Broadcast both = broadcast(op.in, input->shape, which.tensor->shape);
    if (!both.fits) {
      if (Problem *problem =
              op.report(Fault::ShapesDoNotFit, fmt::format("{} of {} and {} is invalid", op.short_name(),
                                                           op.in.text_of(*input), op.in.text_of(*which.tensor)))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "sizes must be equal, or one of them 1, counted from the last dimension";
      }
    }
    return op.like(*input, both.shape, promote_torch(input->dtype, which.tensor->dtype));
  }
  const auto shape = reduced(op, *input);
  const Value values = op.like(*input, shape ? *shape : Shape{});
  if (which.is(Tag::None)) {
    return values;
  }
  if (!which.is(Tag::Int)) {
    return {};
  }
  Tensor places = *values.tensor;
  places.dtype = Dtype::Int64;
  places.grad = Truth::No;
  return op.in.named_pair(values, op.in.plain_tensor(places));
}

Value call_cumulative(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  if (const auto at = op.integer("dim")) {
    axis_of(op, *input, *at, "dim");
  }
  return op.like(*input, input->shape, summed(input->dtype));
}

Value call_topk(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto at = op.integer("dim");
  if (input == nullptr) {
    return {};
  }
  Shape shape;
  const auto axis = at ? axis_of(op, *input, *at, "dim") : std::nullopt;
  if (axis && input->shape.rank() > 0) {
    std::vector<Dim> dims(input->shape.dims.begin(), input->shape.dims.end());
    const Dim count = op.dim("k");
    if (op.in.terms.is_less(dims[*axis], count)) {
      if (Problem *problem =
              op.report(Fault::WrongRank,
                        fmt::format("topk takes {} of {}, but dimension {} has only {}", op.in.terms.text(count),
                                    op.in.text_of(*input), *axis, op.in.terms.text(dims[*axis])))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "k must not be larger than the dimension";
      }
      return {};
    }
    dims[*axis] = count;
    shape = op.in.heap.shape(dims);
  }
  const Value values = op.like(*input, shape);
  Tensor places = *values.tensor;
  places.dtype = Dtype::Int64;
  places.grad = Truth::No;
  return op.in.named_pair(values, op.in.plain_tensor(places));
}

Value call_sort(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  const Value values = op.like(*input, input->shape);
  Tensor places = *values.tensor;
  places.dtype = Dtype::Int64;
  places.grad = Truth::No;
  return op.in.named_pair(values, op.in.plain_tensor(places));
}

Value call_item(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  const Dim count = numel(op.in, input->shape);
  if (input->library == Library::Torch && op.in.terms.differ(count, Dim::of(1))) {
    if (Problem *problem = op.report(Fault::WrongRank, fmt::format("item() takes one element, but {} has {}",
                                                                   op.in.text_of(*input), op.in.terms.text(count)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "reduce it first, for instance with .mean(), or use .tolist()";
    }
  }
  return is_integer(input->dtype) ? Value::of(Dim{}) : input->dtype == Dtype::Unknown ? Value() : Value::some_float();
}

Value call_nonzero(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr || !input->shape.is_known() || op.truth("as_tuple") != Truth::No) {
    return input != nullptr && op.truth("as_tuple") == Truth::No ? op.unknown_tensor(input) : Value();
  }
  return op.like(*input, op.in.heap.shape({op.in.fresh("n", 0), Dim::of(static_cast<i64>(input->shape.rank()))}),
                 Dtype::Int64);
}

Value call_masked_select(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const mask = op.tensor("mask");
  if (mask != nullptr && mask->library == Library::Torch && mask->dtype != Dtype::Bool && mask->dtype != Dtype::UInt8 &&
      mask->dtype != Dtype::Unknown) {
    if (Problem *problem = op.report(Fault::DtypeMismatch, fmt::format("{} takes a mask of bool, but gets {}",
                                                                       op.short_name(), name_of(mask->dtype)))) {
      op.in.add_chain(*problem, *mask);
      problem->advice = "compare, or convert the mask: mask.bool()";
    }
  }
  return input != nullptr ? op.like(*input, op.in.heap.shape({op.in.fresh("n", 0)})) : Value();
}

constexpr TransferEntry kTable[] = {
    {"sum", call_sum},
    {"mean", call_mean},
    {"reduce", call_reduce},
    {"reduce_float", call_reduce_float},
    {"all", call_all},
    {"argmax", call_argmax},
    {"max", call_max},
    {"cumulative", call_cumulative},
    {"topk", call_topk},
    {"sort", call_sort},
    {"item", call_item},
    {"nonzero", call_nonzero},
    {"masked_select", call_masked_select},
};

} // namespace
} // namespace reductions

// What is a tuple of two, and has names for them.
Value Interpreter::named_pair(const Value &values, const Value &indices) {
  return heap.new_list({values, indices}, Tag::Tuple);
}

std::span<const TransferEntry> reduction_transfers() { return reductions::kTable; }

} // namespace deepperf::shapes
