// Arrays of NumPy that are read from files, and those whose parts and axes are moved, removed or added.
#include "shapes/more_tables.h"
#include "shapes/tf.h"

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace array_parts {
namespace {

Value array(Operation &op, const std::vector<Dim> &dims, Dtype dtype = Dtype::Unknown, const Tensor *input = nullptr) {
  return made(op, op.in.heap.shape(dims), dtype, {input}, Library::Numpy);
}

Value unknown(Operation &op) { return made(op, {}, Dtype::Unknown, {}, Library::Numpy); }

// An array whose shape is known; null if it is none.
const Tensor *known(Operation &op, std::string_view name) {
  const Tensor *const input = op.tensor(name);
  return input != nullptr && input->shape.is_known() && !op.is_open ? input : nullptr;
}

std::optional<u32> axis_at(Operation &op, const Tensor &input, const Value &axis) {
  if (!axis.is(Tag::Int) || !axis.dim().is_constant()) {
    return {};
  }
  return axis_of(op, input, axis.dim().value, "axis");
}

// load("x.npy"); what other files hold may be several arrays.
Value call_load(Operation &op) {
  const Value path = op.arg("file");
  const bool is_one = path.is(Tag::Str) && path.number != 0 && path.text().ends_with(".npy");
  return is_one ? unknown(op) : Value();
}

// loadtxt("data.csv", delimiter=","): rows and columns. Without a delimiter it may be one column.
Value call_from_text(Operation &op) {
  for (const std::string_view name : {"unpack", "names", "ndmin", "max_rows"}) {
    if (op.is_given(name)) {
      return unknown(op);
    }
  }
  const Value dtype = op.arg("dtype");
  const bool is_record = dtype.is(Tag::None) || dtype.is_sequence() || dtype.is(Tag::Dict);
  if (!op.is_given("delimiter") || (op.is_given("dtype") && is_record) || op.is_open) {
    return unknown(op);
  }
  const Value columns = op.arg("usecols");
  if (op.is_given("usecols")) {
    const bool is_list = columns.is_sequence() && !columns.list->content.is_open;
    return is_list && columns.list->content.items.size() > 1
               ? array(op, {op.in.fresh("rows"), Dim::of(static_cast<i64>(columns.list->content.items.size()))})
               : unknown(op);
  }
  return array(op, {op.in.fresh("rows"), op.in.fresh("columns")});
}

// moveaxis(x, 0, -1), rollaxis(x, 2, start)
Value call_move(Operation &op) {
  const Tensor *const input = known(op, "input");
  if (input == nullptr) {
    return unknown(op);
  }
  const bool rolls = op.short_name() == "rollaxis";
  const auto from = axis_at(op, *input, op.arg("source"));
  const Value to = op.arg("destination");
  if (!from || !to.is(Tag::Int) || !to.dim().is_constant() || (rolls && to.dim().value < 0)) {
    return unknown(op);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  i64 place = to.dim().value < 0 ? to.dim().value + static_cast<i64>(dims.size()) : to.dim().value;
  if (rolls && place > static_cast<i64>(*from)) {
    --place;
  }
  const Dim moved = dims[*from];
  dims.erase(dims.begin() + *from);
  if (place < 0 || place > static_cast<i64>(dims.size())) {
    return unknown(op);
  }
  dims.insert(dims.begin() + place, moved);
  return array(op, dims, input->dtype, input);
}

// split(x, 3): equal parts; array_split: the first ones may have one more
Value call_parts(Operation &op) {
  const Tensor *const input = known(op, "input");
  const auto count = op.integer("sections");
  if (input == nullptr || input->shape.rank() == 0 || !count || *count < 1 || *count > 64) {
    return op.in.heap.new_open_list(unknown(op));
  }
  const auto axis = axis_at(op, *input, op.arg("dim"));
  if (!axis) {
    return op.in.heap.new_open_list(unknown(op));
  }
  std::vector<Dim> dims = dims_in(input->shape);
  const Dim size = dims[*axis];
  const bool is_even = size.is_constant() && size.value % *count == 0;
  dims[*axis] = is_even ? Dim::of(size.value / *count) : Dim{};
  std::vector<Value> parts;
  for (i64 i = 0; i < *count; ++i) {
    parts.push_back(array(op, dims, input->dtype, input));
  }
  return op.in.heap.new_list(std::move(parts));
}

// pad(x, 2), pad(x, (1, 2)), pad(x, ((0, 0), (1, 1)))
Value call_pad(Operation &op) {
  const Tensor *const input = known(op, "input");
  const Value width = op.arg("pad_width");
  if (input == nullptr) {
    return unknown(op);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  const auto add = [&](Dim &dim, const Value &more) { dim = op.in.terms.add(dim, op.in.as_dim(more)); };
  if (width.is(Tag::Int)) {
    for (Dim &dim : dims) {
      add(dim, width);
      add(dim, width);
    }
    return array(op, dims, input->dtype, input);
  }
  if (!width.is_sequence() || width.list->content.is_open || width.list->content.items.size() != dims.size()) {
    return unknown(op);
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Value &sides = width.list->content.items[i];
    if (!sides.is_sequence() || sides.list->content.is_open || sides.list->content.items.size() != 2) {
      return unknown(op);
    }
    add(dims[i], sides.list->content.items[0]);
    add(dims[i], sides.list->content.items[1]);
  }
  return array(op, dims, input->dtype, input);
}

// delete(x, 3, axis=1), insert(x, 0, 1, axis=1)
Value call_one_more_or_less(Operation &op) {
  const Tensor *const input = known(op, "input");
  const auto axis = input != nullptr ? axis_at(op, *input, op.arg("dim")) : std::nullopt;
  if (!axis || input->shape.rank() == 0) {
    return unknown(op);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  const bool is_one = op.arg("obj").is(Tag::Int);
  const i64 change = op.short_name() == "delete" ? -1 : 1;
  dims[*axis] = is_one ? op.in.terms.add(dims[*axis], Dim::of(change)) : Dim{};
  return array(op, dims, input->dtype, input);
}

Value call_atleast(Operation &op) {
  const Tensor *const input = known(op, "input");
  if (input == nullptr) {
    return unknown(op);
  }
  const std::size_t rank = op.short_name() == "atleast_2d" ? 2 : 1;
  std::vector<Dim> dims = dims_in(input->shape);
  while (dims.size() < rank) {
    dims.insert(dims.begin(), Dim::of(1));
  }
  return array(op, dims, input->dtype, input);
}

// dstack of pictures without channels
Value call_dstack(Operation &op) {
  std::vector<Value> items;
  if (!op.in.iterate(op.arg("tensors"), items) || items.empty()) {
    return unknown(op);
  }
  Dim channels = Dim::of(0);
  std::vector<Dim> dims;
  for (const Value &item : items) {
    const Tensor *const part = op.in.as_tensor(item);
    if (part == nullptr || (!part->shape.has_rank(2) && !part->shape.has_rank(3))) {
      return unknown(op);
    }
    dims = {part->shape.dims[0], part->shape.dims[1]};
    channels = op.in.terms.add(channels, part->shape.rank() == 3 ? part->shape.dims[2] : Dim::of(1));
  }
  dims.push_back(channels);
  return array(op, dims);
}

// permutation(100), permutation(x)
Value call_permutation(Operation &op) {
  const Value given = op.arg("x");
  if (given.is(Tag::Int)) {
    return array(op, {given.dim()}, Dtype::Int64);
  }
  const Tensor *const input = op.in.as_tensor(given);
  return input != nullptr ? array(op, dims_in(input->shape), input->dtype, input) : unknown(op);
}

// cumsum(x, axis=0), argsort(x): as many as before; without an axis of one dimension
Value call_running(Operation &op) {
  const Tensor *const input = known(op, "input");
  if (input == nullptr) {
    return unknown(op);
  }
  const bool is_sum = op.short_name().starts_with("cum");
  if (is_sum && op.arg("dim").is(Tag::None)) {
    return array(op, {numel(op.in, input->shape)}, input->dtype, input);
  }
  return array(op, dims_in(input->shape), is_sum ? input->dtype : Dtype::Int64, input);
}

// diff(x): one fewer along the last axis
Value call_diff(Operation &op) {
  const Tensor *const input = known(op, "input");
  const auto axis = input != nullptr && input->shape.rank() > 0 ? axis_at(op, *input, op.arg("dim")) : std::nullopt;
  const auto times = op.integer("n");
  if (!axis || !times) {
    return unknown(op);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims[*axis] = op.in.terms.subtract(dims[*axis], Dim::of(*times));
  return array(op, dims, input->dtype, input);
}

constexpr TransferEntry kTable[] = {
    {"array_load", call_load},
    {"array_from_text", call_from_text},
    {"array_move", call_move},
    {"array_parts", call_parts},
    {"array_pad", call_pad},
    {"array_one_more", call_one_more_or_less},
    {"array_atleast", call_atleast},
    {"array_dstack", call_dstack},
    {"array_permutation", call_permutation},
    {"array_running", call_running},
    {"array_diff", call_diff},
};

} // namespace
} // namespace array_parts

std::span<const TransferEntry> array_part_transfers() { return array_parts::kTable; }

} // namespace deepperf::shapes
