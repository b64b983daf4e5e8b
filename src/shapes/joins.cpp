// Tensors that are joined, taken apart, picked from and measured.
#include "shapes/registry.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace joins {
namespace {

std::vector<Dim> dims_of(const Shape &shape) { return {shape.dims.begin(), shape.dims.end()}; }

// ---- Joins ----------------------------------------------------------------------------------------------------------

bool gather_tensors(Operation &op, std::vector<const Tensor *> &tensors) {
  std::vector<Value> items;
  const Value list = op.arg("tensors");
  if (!op.in.iterate(list, items)) {
    if (!items.empty() && items[0].is(Tag::Tensor)) {
      tensors.push_back(items[0].tensor); // like all of them
    }
    return false;
  }
  for (const Value &item : items) {
    const Tensor *const tensor = op.in.as_tensor(item);
    if (tensor == nullptr) {
      return false;
    }
    tensors.push_back(tensor);
  }
  return !tensors.empty();
}

Tensor joined_tensor(Operation &op, const std::vector<const Tensor *> &tensors) {
  Tensor result = *tensors[0];
  result.is_parameter = false;
  for (const Tensor *tensor : tensors) {
    result.grad = tensor->grad == Truth::Yes ? Truth::Yes : result.grad == tensor->grad ? result.grad : Truth::Unknown;
    result.dtype = promote_torch(result.dtype, tensor->dtype);
    if (!check_devices(op.in, op.node, result, *tensor, op.short_name()) || result.device != tensor->device) {
      result.device = {};
    }
  }
  if (!op.in.records_gradients()) {
    result.grad = Truth::No;
  }
  result.shape = {};
  return result;
}

// torch.cat(x, y) instead of torch.cat([x, y])
void check_is_list(Operation &op) {
  const Value first = op.arg("tensors");
  const Value second = op.arg("dim");
  const bool are_two = first.is(Tag::Tensor) && second.is(Tag::Tensor) && first.tensor->library == Library::Torch &&
                       second.tensor->library == Library::Torch;
  if (!are_two) {
    return;
  }
  if (Problem *problem =
          op.report(Fault::Arity, fmt::format("{} takes one list of tensors, but gets two tensors", op.short_name()))) {
    op.in.add_chain(*problem, *first.tensor);
    problem->advice = fmt::format("put them into a list: torch.{}([x, y])", op.short_name());
  }
}

Value call_cat(Operation &op) {
  check_is_list(op);
  std::vector<const Tensor *> tensors;
  const bool is_exact = gather_tensors(op, tensors);
  if (tensors.empty()) {
    return op.unknown_tensor(nullptr);
  }
  Tensor result = joined_tensor(op, tensors);
  const auto given = op.integer("dim");
  if (!given) {
    return op.result(result, tensors);
  }
  if (!is_exact) {
    const Shape &one = tensors[0]->shape;
    if (tensors.size() == 1 && one.is_known() && *given >= -static_cast<i64>(one.rank()) &&
        *given < static_cast<i64>(one.rank())) {
      std::vector<Dim> dims = dims_of(one);
      dims[static_cast<std::size_t>(*given < 0 ? *given + static_cast<i64>(one.rank()) : *given)] = Dim{};
      result.shape = op.in.heap.shape(dims);
    }
    return op.result(result, tensors);
  }
  // Those of known rank; an empty tensor of one dimension may stand anywhere.
  const Tensor *first = nullptr;
  bool all_known = true;
  for (const Tensor *tensor : tensors) {
    all_known = all_known && tensor->shape.is_known();
    const bool is_empty = tensor->shape.has_rank(1) && !op.in.terms.is_at_least(tensor->shape.dims[0], 1);
    if (tensor->shape.is_known() && !is_empty && first == nullptr) {
      first = tensor;
    }
  }
  if (first == nullptr) {
    // Tails: along the last dimension sizes add up.
    if (*given == -1) {
      Dim sum = Dim::of(0);
      for (const Tensor *tensor : tensors) {
        sum = op.in.terms.add(sum, tensor->shape.from_end(0));
      }
      if (sum.is_known()) {
        result.shape = op.in.heap.shape({sum}, Shape::Kind::Tail);
      }
    }
    return op.result(result, tensors);
  }
  const auto axis = axis_of(op, *first, *given, "dim");
  if (!axis || first->shape.rank() == 0) {
    return op.result(result, tensors);
  }
  std::vector<Dim> dims = dims_of(first->shape);
  Dim sum = Dim::of(0);
  for (const Tensor *tensor : tensors) {
    if (!tensor->shape.is_known()) {
      sum = {};
      continue;
    }
    if (tensor->shape.has_rank(1) && first->shape.rank() != 1 && !op.in.terms.is_at_least(tensor->shape.dims[0], 1)) {
      return op.result(result, tensors);
    }
    const auto fail = [&](Fault fault, std::string message) {
      if (Problem *problem = op.report(fault, std::move(message))) {
        op.in.add_chain(*problem, *first);
        op.in.add_chain(*problem, *tensor);
        problem->advice = fmt::format("all sizes but that of dimension {} must be equal", *axis);
      }
      return op.in.plain_tensor(result);
    };
    if (tensor->shape.rank() != first->shape.rank()) {
      return fail(Fault::WrongRank, fmt::format("{} of {} and {} is invalid: they have {} and {} dimensions",
                                                op.short_name(), op.in.text_of(*first), op.in.text_of(*tensor),
                                                first->shape.rank(), tensor->shape.rank()));
    }
    for (u32 i = 0; i < first->shape.rank(); ++i) {
      const Dim size = tensor->shape.dims[i];
      if (i == *axis) {
        sum = op.in.terms.add(sum, size);
        continue;
      }
      if (op.in.terms.differ(first->shape.dims[i], size)) {
        return fail(Fault::ShapesDoNotFit,
                    fmt::format("{} of {} and {} along dimension {} is invalid: {} is not {}", op.short_name(),
                                op.in.text_of(*first), op.in.text_of(*tensor), *axis,
                                op.in.terms.text(first->shape.dims[i]), op.in.terms.text(size)));
      }
      if (!dims[i].is_known() || (size.is_constant() && !dims[i].is_constant())) {
        dims[i] = size;
      }
    }
  }
  dims[*axis] = sum;
  result.shape = op.in.heap.shape(dims);
  return op.result(result, tensors);
}

Value call_stack(Operation &op) {
  check_is_list(op);
  std::vector<const Tensor *> tensors;
  const bool is_exact = gather_tensors(op, tensors);
  if (tensors.empty()) {
    return op.unknown_tensor(nullptr);
  }
  Tensor result = joined_tensor(op, tensors);
  const auto given = op.integer("dim");
  const Tensor *first = nullptr;
  for (const Tensor *tensor : tensors) {
    if (tensor->shape.is_known() && first == nullptr) {
      first = tensor;
    }
  }
  if (!given || first == nullptr) {
    return op.result(result, tensors);
  }
  const auto axis = axis_of(op, *first, *given, "dim", true);
  if (!axis) {
    return op.result(result, tensors);
  }
  std::vector<Dim> dims = dims_of(first->shape);
  for (const Tensor *tensor : tensors) {
    if (!tensor->shape.is_known()) {
      continue;
    }
    bool fits = tensor->shape.rank() == first->shape.rank();
    for (u32 i = 0; fits && i < first->shape.rank(); ++i) {
      fits = !op.in.terms.differ(first->shape.dims[i], tensor->shape.dims[i]);
      if (fits && !dims[i].is_known()) {
        dims[i] = tensor->shape.dims[i];
      }
    }
    if (!fits) {
      if (Problem *problem =
              op.report(Fault::ShapesDoNotFit,
                        fmt::format("stack of {} and {} is invalid", op.in.text_of(*first), op.in.text_of(*tensor)))) {
        op.in.add_chain(*problem, *first);
        op.in.add_chain(*problem, *tensor);
        problem->advice = "all tensors must have the same shape";
      }
      return op.in.plain_tensor(result);
    }
  }
  dims.insert(dims.begin() + *axis, is_exact ? Dim::of(static_cast<i64>(tensors.size())) : Dim{});
  result.shape = op.in.heap.shape(dims);
  return op.result(result, tensors);
}

// ---- Splits ---------------------------------------------------------------------------------------------------------

Value pieces(Operation &op, const Tensor &input, u32 axis, const std::vector<Dim> &sizes) {
  std::vector<Value> parts;
  for (const Dim size : sizes) {
    std::vector<Dim> dims = dims_of(input.shape);
    dims[axis] = size;
    parts.push_back(op.like(input, op.in.heap.shape(dims)));
  }
  return op.in.heap.new_list(std::move(parts), Tag::Tuple);
}

Value call_chunk(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto count = op.integer("chunks");
  const auto given = op.integer("dim");
  if (input == nullptr || !count || *count < 1 || *count > 64 || !given) {
    return input != nullptr ? op.in.heap.new_open_list(op.unknown_tensor(input), Tag::Tuple) : Value();
  }
  if (!input->shape.is_known()) {
    Tensor part = *input;
    part.is_parameter = false;
    part.shape = {};
    if (*given == -1 && input->shape.rank() > 0) {
      const auto exact = op.in.terms.divide_exactly(input->shape.from_end(0), Dim::of(*count));
      if (exact) {
        part.shape = op.in.heap.shape({*exact}, Shape::Kind::Tail);
      }
    }
    std::vector<Value> parts(static_cast<std::size_t>(*count), op.in.plain_tensor(part));
    return op.in.heap.new_list(std::move(parts), Tag::Tuple);
  }
  const auto axis = axis_of(op, *input, *given, "dim");
  if (!axis || input->shape.rank() == 0) {
    return {};
  }
  const Dim size = input->shape.dims[*axis];
  std::vector<Dim> sizes;
  if (size.is_constant()) {
    const i64 each = std::max<i64>((size.value + *count - 1) / *count, 1);
    for (i64 left = size.value; left > 0; left -= each) {
      sizes.push_back(Dim::of(std::min(each, left)));
    }
  } else {
    const auto exact = op.in.terms.divide_exactly(size, Dim::of(*count));
    sizes.assign(static_cast<std::size_t>(*count), exact ? *exact : Dim{});
  }
  return pieces(op, *input, *axis, sizes);
}

Value call_split(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto given = op.integer("dim");
  if (input == nullptr) {
    return {};
  }
  const Value how = op.arg("split_size_or_sections");
  if (!input->shape.is_known() || !given) {
    std::vector<Value> sizes;
    if (how.is_sequence() && op.in.iterate(how, sizes)) {
      std::vector<Value> parts;
      for (const Value &size : sizes) {
        Tensor part = *input;
        part.is_parameter = false;
        part.shape = given && *given == -1 ? op.in.heap.shape({op.in.as_dim(size)}, Shape::Kind::Tail) : Shape{};
        parts.push_back(op.in.plain_tensor(part));
      }
      return op.in.heap.new_list(std::move(parts), Tag::Tuple);
    }
    return op.in.heap.new_open_list(op.unknown_tensor(input), Tag::Tuple);
  }
  const auto axis = axis_of(op, *input, *given, "dim");
  if (!axis || input->shape.rank() == 0) {
    return {};
  }
  const Dim size = input->shape.dims[*axis];
  std::vector<Dim> sizes;
  if (how.is_sequence()) {
    if (!op.in.as_dims(how, sizes)) {
      return {};
    }
    Dim sum = Dim::of(0);
    for (const Dim part : sizes) {
      sum = op.in.terms.add(sum, part);
    }
    if (op.in.terms.differ(sum, size)) {
      if (Problem *problem =
              op.report(Fault::ReshapeSize,
                        fmt::format("the parts of split add up to {}, but dimension {} of {} has {}",
                                    op.in.terms.text(sum), *axis, op.in.text_of(*input), op.in.terms.text(size)))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "the parts must add up to the size of the dimension";
      }
      return {};
    }
    return pieces(op, *input, *axis, sizes);
  }
  const Dim each = op.in.as_dim(how);
  if (size.is_constant() && each.is_constant() && each.value > 0 && size.value / each.value <= 64) {
    for (i64 left = size.value; left > 0; left -= each.value) {
      sizes.push_back(Dim::of(std::min(each.value, left)));
    }
    return pieces(op, *input, *axis, sizes);
  }
  if (each.is_known()) {
    const auto count = op.in.terms.divide_exactly(size, each);
    if (count && count->is_constant() && count->value > 0 && count->value <= 64) {
      sizes.assign(static_cast<std::size_t>(count->value), each);
      return pieces(op, *input, *axis, sizes);
    }
  }
  std::vector<Dim> dims = dims_of(input->shape);
  dims[*axis] = {};
  return op.in.heap.new_open_list(op.like(*input, op.in.heap.shape(dims)), Tag::Tuple);
}

Value call_unbind(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto given = op.integer("dim");
  if (input == nullptr) {
    return {};
  }
  if (!input->shape.is_known() || !given || input->shape.rank() == 0) {
    return op.in.heap.new_open_list(op.unknown_tensor(input), Tag::Tuple);
  }
  const auto axis = axis_of(op, *input, *given, "dim");
  if (!axis) {
    return {};
  }
  std::vector<Dim> dims = dims_of(input->shape);
  const Dim count = dims[*axis];
  dims.erase(dims.begin() + *axis);
  const Value part = op.like(*input, op.in.heap.shape(dims));
  if (count.is_constant() && count.value <= 64) {
    return op.in.heap.new_list(std::vector<Value>(static_cast<std::size_t>(count.value), part), Tag::Tuple);
  }
  return op.in.heap.new_open_list(part, Tag::Tuple);
}

// The input with other sizes: `change` gets them and the axis that `dim` names.
template <class Change> Value along_axis(Operation &op, Change change) {
  const Tensor *const input = op.tensor("input");
  const auto given = op.integer("dim");
  if (input == nullptr) {
    return {};
  }
  const auto axis = given ? axis_of(op, *input, *given, "dim") : std::nullopt;
  if (!axis || input->shape.rank() == 0) {
    return op.like(*input, {});
  }
  std::vector<Dim> dims = dims_of(input->shape);
  change(dims, *axis);
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_select(Operation &op) {
  return along_axis(op, [](std::vector<Dim> &dims, u32 axis) { dims.erase(dims.begin() + axis); });
}

Value call_narrow(Operation &op) {
  return along_axis(op, [&op](std::vector<Dim> &dims, u32 axis) { dims[axis] = op.dim("length"); });
}

Value call_index_select(Operation &op) {
  const Tensor *const index = op.tensor("index");
  if (index != nullptr && index->library == Library::Torch && index->shape.is_known() && index->shape.rank() > 1) {
    if (Problem *problem = op.report(Fault::WrongRank, fmt::format("{} takes an index with one dimension, but gets {}",
                                                                   op.short_name(), op.in.text_of(*index)))) {
      op.in.add_chain(*problem, *index);
      problem->advice = "flatten the index, or use gather for an index per row";
    }
  }
  return along_axis(op, [index](std::vector<Dim> &dims, u32 axis) {
    dims[axis] = index != nullptr && index->shape.has_rank(1) ? index->shape.dims[0] : Dim{};
  });
}

Value call_gather(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const index = op.tensor("index");
  if (input == nullptr || index == nullptr) {
    return input != nullptr ? op.like(*input, {}) : Value();
  }
  const bool is_other_integer = index->dtype == Dtype::Int32 || index->dtype == Dtype::Int16 ||
                                index->dtype == Dtype::Int8 || index->dtype == Dtype::Bool ||
                                (index->dtype != Dtype::Unknown && is_floating(index->dtype));
  if (index->library == Library::Torch && is_other_integer) {
    if (Problem *problem = op.report(
            Fault::DtypeMismatch, fmt::format("gather takes an index of int64, but gets {}", name_of(index->dtype)))) {
      op.in.add_chain(*problem, *index);
      problem->advice = "convert the index: index.long()";
    }
    return op.like(*input, {});
  }
  if (input->shape.is_known() && index->shape.is_known() && input->shape.rank() != index->shape.rank() &&
      input->shape.rank() > 0 && index->shape.rank() > 0) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("gather takes an index with as many dimensions as {}, but gets {}",
                                                    op.in.text_of(*input), op.in.text_of(*index)))) {
      op.in.add_chain(*problem, *input);
      op.in.add_chain(*problem, *index);
      problem->advice = "add the missing dimension to the index: index.unsqueeze(1)";
    }
    return op.like(*input, {});
  }
  return op.like(*input, index->shape);
}

Value call_size(Operation &op) {
  const Value value = op.arg("input");
  const Tensor *const input = op.in.as_tensor(value);
  if (input == nullptr) {
    return {};
  }
  if (!op.is_given("dim") || op.arg("dim").is(Tag::None)) {
    return op.in.shape_value(value, *input);
  }
  const auto at = op.integer("dim");
  if (!at) {
    return Value::of(Dim{});
  }
  if (input->shape.is_known() && !axis_of(op, *input, *at, "dim")) {
    return Value::of(Dim{});
  }
  return Value::of(op.in.size_at(value, *input, *at));
}

Value call_dim(Operation &op) {
  const Tensor *const input = op.tensor("input");
  return input != nullptr && input->shape.is_known() ? Value::of_int(static_cast<i64>(input->shape.rank()))
                                                     : Value::of(Dim{});
}

Value call_numel(Operation &op) {
  const Tensor *const input = op.tensor("input");
  return Value::of(input != nullptr ? numel(op.in, input->shape) : Dim{});
}

Value call_pad(Operation &op) {
  const Tensor *const input = op.tensor("input");
  std::vector<Dim> pads;
  if (input == nullptr) {
    return {};
  }
  if (!input->shape.is_known() || !op.in.as_dims(op.arg("pad"), pads) || pads.size() % 2 != 0) {
    return op.like(*input, {});
  }
  if (pads.size() / 2 > input->shape.rank()) {
    if (Problem *problem = op.report(Fault::WrongRank,
                                     fmt::format("pad names {} numbers, for {} dimensions, but {} has {}", pads.size(),
                                                 pads.size() / 2, op.in.text_of(*input), input->shape.rank()))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "two numbers for each dimension, from the last one on";
    }
    return op.like(*input, {});
  }
  std::vector<Dim> dims = dims_of(input->shape);
  for (std::size_t i = 0; i * 2 < pads.size(); ++i) {
    Dim &dim = dims[dims.size() - 1 - i];
    dim = op.in.terms.add(dim, op.in.terms.add(pads[i * 2], pads[i * 2 + 1]));
  }
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_diagonal(Operation &op) {
  const Tensor *const input = op.tensor("input");
  return input != nullptr ? op.like(*input, {}) : Value();
}

Value call_unfold_method(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto given = op.integer("dimension");
  if (input == nullptr) {
    return {};
  }
  const auto axis = given ? axis_of(op, *input, *given, "dimension") : std::nullopt;
  const Dim size = op.dim("size");
  const Dim step = op.dim("step");
  if (!axis || input->shape.rank() == 0) {
    return op.like(*input, {});
  }
  std::vector<Dim> dims = dims_of(input->shape);
  Dim &unfolded = dims[axis.value_or(0)]; // never 0 for want of an axis, which GCC cannot see
  unfolded = op.in.terms.add(op.in.terms.floor_divide(op.in.terms.subtract(unfolded, size), step), Dim::of(1));
  dims.push_back(size);
  return op.like(*input, op.in.heap.shape(dims));
}

constexpr TransferEntry kTable[] = {
    {"cat", call_cat},
    {"stack", call_stack},
    {"chunk", call_chunk},
    {"split", call_split},
    {"unbind", call_unbind},
    {"select", call_select},
    {"narrow", call_narrow},
    {"index_select", call_index_select},
    {"gather", call_gather},
    {"size", call_size},
    {"dim", call_dim},
    {"numel", call_numel},
    {"pad", call_pad},
    {"diagonal", call_diagonal},
    {"unfold_method", call_unfold_method},
};

} // namespace
} // namespace joins

std::span<const TransferEntry> join_transfers() { return joins::kTable; }

} // namespace deepperf::shapes
