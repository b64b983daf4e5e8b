// Views, joins and splits: what moves sizes around.
#include "shapes/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace layout {
namespace {

std::vector<Dim> dims_of(const Shape &shape) { return {shape.dims.begin(), shape.dims.end()}; }

// Sizes that are given one by one, or as one list.
bool given_sizes(Operation &op, std::string_view name, std::vector<Dim> &dims) {
  if (op.is_open) {
    return false;
  }
  if (!op.rest.empty()) {
    if (op.rest.size() == 1 && op.rest[0].is_sequence()) {
      return op.in.as_dims(op.rest[0], dims);
    }
    if (op.rest.size() == 1 && !op.rest[0].is(Tag::Int)) {
      return false; // a number or a list
    }
    for (const Value &value : op.rest) {
      if (!value.is(Tag::Int) && !value.is(Tag::Opaque)) {
        return false;
      }
      dims.push_back(op.in.as_dim(value));
    }
    return true;
  }
  const Value value = op.arg(name);
  return value.is_sequence() ? op.in.as_dims(value, dims) : (value.is(Tag::Int) && (dims.push_back(value.dim()), true));
}

// A dimension that comes after other ones than before: of [N, H, T, D] as [N, T, H*D] each step would get pieces of
// several steps. A view keeps the numbers in their order.
struct MovedDimension {
  u32 from = 0;
  u32 to = 0;
};

// Do dimensions come after it now that were before it? Then it does not matter what else is before it, which may be
// unknown: of [?, H, W, 3] as [?, 3, H, W].
bool passes_behind(Terms &terms, const Shape &input, const std::vector<Dim> &dims, u32 from, u32 to) {
  std::vector<Dim> after(input.dims.begin() + from + 1, input.dims.end());
  std::vector<Dim> before(input.dims.begin(), input.dims.begin() + from);
  std::erase_if(after, [](const Dim &one) { return one.is(1); });
  u32 moved = 0;
  for (u32 i = to + 1; i < dims.size(); ++i) {
    if (dims[i].is(1)) {
      continue;
    }
    const auto known = std::ranges::find(after, dims[i]);
    const auto passed = std::ranges::find(before, dims[i]);
    if (!dims[i].is_known() || (known == after.end() && passed == before.end())) {
      return false;
    }
    if (known != after.end()) {
      after.erase(known);
    } else {
      moved += terms.is_at_least(dims[i], 2) ? 1 : 0;
      before.erase(passed);
    }
  }
  return after.empty() && moved > 0;
}

// `computed`: the place of -1, which is whatever is left.
std::optional<MovedDimension> moved_dimension(Terms &terms, const Shape &input, const std::vector<Dim> &dims,
                                              std::optional<std::size_t> computed) {
  constexpr i64 kSmall = 2; // sizes up to this are equal by chance
  for (u32 to = 0; to < dims.size(); ++to) {
    const Dim size = dims[to];
    const auto is_same = [size](const Dim &other) { return other == size; };
    if (to == computed || !size.is_known() || (size.is_constant() && size.value <= kSmall) ||
        std::ranges::count_if(dims, is_same) != 1 ||
        std::count_if(input.dims.begin(), input.dims.end(), is_same) != 1) {
      continue;
    }
    const u32 from = static_cast<u32>(std::find_if(input.dims.begin(), input.dims.end(), is_same) - input.dims.begin());
    if (passes_behind(terms, input, dims, from, to)) {
      return MovedDimension{from, to};
    }
    if (!std::all_of(dims.begin(), dims.begin() + to, [](const Dim &one) { return one.is_known(); })) {
      continue;
    }
    // What stands before it on one side only.
    std::vector<Dim> before(input.dims.begin(), input.dims.begin() + from);
    std::vector<Dim> now;
    Dim was = Dim::of(1);
    Dim is = Dim::of(1);
    for (const Dim &one : before) {
      was = terms.multiply(was, one);
    }
    for (u32 i = 0; i < to; ++i) {
      is = terms.multiply(is, dims[i]);
      const auto known = std::ranges::find(before, dims[i]);
      if (known != before.end()) {
        before.erase(known);
      } else {
        now.push_back(dims[i]);
      }
    }
    std::erase_if(before, [](const Dim &one) { return one.is(1); });
    std::erase_if(now, [](const Dim &one) { return one.is(1); });
    std::vector<Dim> &passed = before.empty() ? now : before;
    const bool is_one_sided = before.empty() || now.empty();
    const bool is_certain =
        std::ranges::all_of(passed, [&](const Dim &one) { return one.is_known() && terms.is_at_least(one, 2); });
    if (is_one_sided && is_certain && !passed.empty() && terms.compare(was, is) != Sign::Zero) {
      return MovedDimension{from, to};
    }
  }
  return std::nullopt;
}

// The shift of relative attention: a column of padding, and then a view with exchanged sizes moves each row by one more
// than the one before; a slice of that is viewed back.
bool is_shifted(const Interpreter &in, const Tensor &input) {
  u32 step = input.step;
  for (u32 depth = 0; depth < 3 && step != Tensor::kNoStep && step < in.steps.size(); ++depth) {
    const Step &made = in.steps[step];
    const std::string_view name = made.operation ? made.operation.text() : std::string_view{};
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (last == "pad" || last == "cat" || last == "concat" || last.find("Pad") != std::string_view::npos ||
        (depth > 0 && (last == "view" || last == "reshape"))) {
      return true;
    }
    if (made.inputs.empty() || made.inputs[0] == nullptr) { // null: of something that is not known
      return false;
    }
    step = made.inputs[0]->step;
  }
  return false;
}

void check_order(Operation &op, const Tensor &input, const std::vector<Dim> &dims,
                 std::optional<std::size_t> computed) {
  if (!input.shape.is_known() || input.shape.rank() < 2 || dims.size() < 2) {
    return;
  }
  const std::optional<MovedDimension> moved = moved_dimension(op.in.terms, input.shape, dims, computed);
  if (!moved.has_value() || is_shifted(op.in, input)) {
    return;
  }
  // An array of NumPy may be cut into blocks on purpose; a picture's three colors that come first are not.
  const bool are_colors = dims[moved->to].is(3) && moved->from + 1 == input.shape.rank() && input.shape.rank() >= 3 &&
                          moved->to + 3 == dims.size();
  if (input.library != Library::Torch && !are_colors) {
    return;
  }
  if (Problem *problem =
          op.report(Fault::MixedDimensions,
                    fmt::format("`{}` does not swap dimensions: {} is dimension {} of {} and would be dimension {} of "
                                "{}, but the numbers keep their order",
                                op.short_name(), op.in.terms.text(dims[moved->to]), moved->from, op.in.text_of(input),
                                moved->to, op.in.text_of(op.in.heap.shape(dims))))) {
    op.in.add_chain(*problem, input);
    problem->advice = "swap the dimensions first, with transpose() or permute()";
  }
}

// ---- Views share memory, so that not every shape can be had without a copy

constexpr u32 kMostOrdered = 15;

u32 place_in(u64 order, u32 at) { return static_cast<u32>((order >> (4 * at)) & 15U) - 1; }

// Whether the elements stand in memory as the shape has them. What is not certain is not.
bool is_contiguous(const Interpreter &in, const Tensor &tensor) {
  constexpr u32 kMostViews = 8;
  const Tensor *at = &tensor;
  for (u32 i = 0; i < kMostViews; ++i) {
    if (at == nullptr || at->library != Library::Torch || at->step >= in.steps.size()) {
      return false;
    }
    const Step &step = in.steps[at->step];
    const std::string_view operation = step.operation ? step.operation.text() : std::string_view{};
    const std::string_view name = operation.substr(operation.rfind('.') + 1);
    const auto *const call = as<Call>(step.node);
    if (name == "contiguous") {
      return call != nullptr && call->args.empty() && call->keywords.empty();
    }
    if (name == "matmul") { // of equal ranks; others are folded, and may be transposed
      return step.inputs.size() == 2 && step.inputs[0] != nullptr && step.inputs[1] != nullptr &&
             step.inputs[0]->shape.is_known() && step.inputs[0]->shape.rank() > 2 &&
             step.inputs[1]->shape.has_rank(step.inputs[0]->shape.rank());
    }
    if (name == "bmm" || operation == "torch.nn.Linear" || operation == "torch.nn.Embedding" || name == "randn" ||
        name == "rand" || name == "zeros" || name == "ones" || name == "randint") {
      return true;
    }
    if ((name != "view" && name != "reshape") || step.inputs.size() != 1) {
      return false;
    }
    at = step.inputs[0];
  }
  return false;
}

// The order of a tensor's dimensions in memory; 0 if it is not known.
u64 order_of(const Interpreter &in, const Tensor &tensor) {
  if (!tensor.shape.is_known() || tensor.shape.rank() > kMostOrdered) {
    return 0;
  }
  if (tensor.order != 0 && tensor.order_of == tensor.shape.dims.items) {
    return tensor.order;
  }
  if (!is_contiguous(in, tensor)) {
    return 0;
  }
  u64 order = 0;
  for (u32 i = 0; i < tensor.shape.rank(); ++i) {
    order |= u64{i + 1} << (4 * i);
  }
  return order;
}

// A tensor whose dimension i is dimension places[i] of the input.
Value permuted(const Operation &op, const Tensor &input, const std::vector<u32> &places) {
  std::vector<Dim> dims;
  const u64 before = order_of(op.in, input);
  u64 order = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    dims.push_back(input.shape.dims[places[i]]);
    order |= before == 0 ? 0 : u64{place_in(before, places[i]) + 1} << (4 * i);
  }
  const Value value = op.like(input, op.in.heap.shape(dims));
  if (order == 0) {
    return value;
  }
  Tensor result = *value.tensor;
  result.order = order;
  result.order_of = result.shape.dims.items;
  return op.in.plain_tensor(result);
}

// As PyTorch decides it: runs of dimensions that lie one after the other in memory can be divided again.
bool can_view(const std::vector<i64> &sizes, u64 order, const std::vector<i64> &wanted) {
  const std::size_t rank = sizes.size();
  std::vector<i64> written(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    written[place_in(order, static_cast<u32>(i))] = sizes[i];
  }
  std::vector<i64> steps(rank, 1);
  for (std::size_t i = rank - 1; i > 0; --i) {
    steps[i - 1] = steps[i] * written[i];
  }
  const auto stride = [&](std::size_t at) { return steps[place_in(order, static_cast<u32>(at))]; };
  std::size_t left = wanted.size();
  i64 base = stride(rank - 1);
  i64 count = 1;
  i64 taken = 1;
  for (std::size_t at = rank; at > 0; --at) {
    count *= sizes[at - 1];
    if (at > 1 && (sizes[at - 2] == 1 || stride(at - 2) == count * base)) {
      continue;
    }
    while (left > 0 && (taken < count || wanted[left - 1] == 1)) {
      taken *= wanted[--left];
    }
    if (taken != count) {
      return false;
    }
    if (at > 1) {
      base = stride(at - 2);
      count = taken = 1;
    }
  }
  return left == 0;
}

// view() of a transposed tensor: reported if it fails whatever the symbols are.
bool check_memory(Operation &op, const Tensor &input, const std::vector<Dim> &wanted) {
  const u64 order = op.short_name() == "view" ? order_of(op.in, input) : 0;
  if (order == 0 || input.shape.rank() == 0) {
    return true;
  }
  constexpr i64 kMostElements = i64{1} << 40;
  for (const i64 stand_in : {i64{1}, i64{2}, i64{7}}) {
    const auto numbers = [&](const auto &dims, std::vector<i64> &into) {
      i64 total = 1;
      for (const Dim dim : dims) {
        const bool is_usable = dim.is_known() && (!dim.is_constant() || dim.value > 0);
        into.push_back(!is_usable ? 0 : dim.is_constant() ? dim.value : stand_in);
        total = is_usable && into.back() < kMostElements && total < kMostElements ? total * into.back() : -1;
        if (total < 0) {
          return i64{-1};
        }
      }
      return total;
    };
    std::vector<i64> sizes;
    std::vector<i64> to;
    const i64 total = numbers(input.shape.dims, sizes);
    if (total <= 0 || total >= kMostElements || total != numbers(wanted, to) || can_view(sizes, order, to)) {
      return true;
    }
  }
  if (Problem *problem =
          op.report(Fault::ReshapeSize, fmt::format("{} is transposed, and cannot be viewed as {} without a copy: its "
                                                    "elements are in a different order in memory",
                                                    op.in.text_of(input), op.in.text_of(op.in.heap.shape(wanted))))) {
    op.in.add_chain(*problem, input);
    problem->advice = "use .reshape(), or .contiguous() before .view()";
  }
  return false;
}

// x.view(torch.uint8): the same bytes, of which each row has as many elements as fit.
Shape reinterpreted(Operation &op, const Tensor &input, Dtype wanted) {
  const u32 before = bytes_of(input.dtype);
  const u32 after = bytes_of(wanted);
  if (!input.shape.is_known() || input.shape.rank() == 0 || (before != 0 && before == after)) {
    return input.shape;
  }
  std::vector<Dim> dims = dims_of(input.shape);
  Dim &last = dims.back();
  const auto fitting = before != 0 && after != 0
                           ? op.in.terms.divide_exactly(op.in.terms.multiply(last, Dim::of(before)), Dim::of(after))
                           : std::nullopt;
  last = fitting.value_or(Dim{});
  return op.in.heap.shape(dims, Shape::Kind::Known);
}

Value call_view(Operation &op) {
  const Tensor *input = op.tensor("input");
  const bool is_numpy = op.api && op.api.text() == "numpy.reshape";
  if (input == nullptr && is_numpy && op.arg("input").is_unknown()) { // whatever it is becomes an array
    Tensor some;
    some.library = Library::Numpy;
    input = op.in.plain_tensor(some).tensor;
  }
  if (input == nullptr) {
    return {};
  }
  if (op.rest.size() == 1 && op.rest[0].is(Tag::Dtype)) {
    return op.like(*input, reinterpreted(op, *input, op.rest[0].dtype()), op.rest[0].dtype());
  }
  std::vector<Dim> dims;
  if (!given_sizes(op, "shape", dims)) {
    return op.like(*input, {});
  }
  Terms &terms = op.in.terms;
  Dim known = Dim::of(1);
  std::optional<std::size_t> open;
  bool is_sure = true;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].is(-1)) {
      if (open) {
        if (Problem *problem = op.report(Fault::ReshapeSize, "only one size can be -1")) {
          op.in.add_chain(*problem, *input);
          problem->advice = "write the other sizes as numbers";
        }
        return op.like(*input, {});
      }
      open = i;
    } else {
      is_sure = is_sure && dims[i].is_known();
      known = terms.multiply(known, dims[i]);
    }
  }
  const Dim total = numel(op.in, input->shape);
  const auto fail = [&](std::string message, std::string advice) {
    if (Problem *problem = op.report(Fault::ReshapeSize, std::move(message))) {
      op.in.add_chain(*problem, *input);
      problem->advice = std::move(advice);
    }
    return op.like(*input, {});
  };
  const auto wanted = [&] {
    std::string text = "[";
    for (std::size_t i = 0; i < dims.size(); ++i) {
      text += (i > 0 ? ", " : "") + (dims[i].is(-1) ? std::string("-1") : terms.text(dims[i]));
    }
    return text + "]";
  };
  if (!open) {
    if (is_sure && terms.differ(total, known)) {
      return fail(fmt::format("{} has {} elements, but {} would have {}", op.in.text_of(*input), terms.text(total),
                              wanted(), terms.text(known)),
                  "the sizes must multiply to the same number; -1 for one of them computes it");
    }
    if (!check_memory(op, *input, dims)) {
      return op.like(*input, {});
    }
    check_order(op, *input, dims, open);
    return op.like(*input, op.in.heap.shape(dims));
  }
  if (is_sure && total.is_known() && known.is_known()) {
    if (total.is_constant() && known.is_constant()) {
      if (known.value == 0) {
        return op.like(*input, {});
      }
      if (total.value % known.value != 0) {
        return fail(fmt::format("{} has {} elements, which cannot be divided by the {} of {}", op.in.text_of(*input),
                                total.value, known.value, wanted()),
                    "the given sizes must divide the number of elements");
      }
    }
    dims[*open] = terms.floor_divide(total, known);
    // Whatever the batch is, a view that takes more than there is cannot be.
    if (!total.is(0) && terms.is_less(total, known)) {
      return fail(fmt::format("{} has {} elements, fewer than the {} of {}", op.in.text_of(*input), terms.text(total),
                              terms.text(known), wanted()),
                  "the given sizes must divide the number of elements");
    }
  } else if (is_sure && input->shape.is_known() && !dims.empty()) {
    // What stays the same at the front can be left out on both sides.
    u32 front = 0;
    while (front < input->shape.rank() && front < dims.size() && input->shape.dims[front].is_known() &&
           input->shape.dims[front] == dims[front]) {
      ++front;
    }
    dims[*open] = Dim{};
  } else {
    dims[*open] = Dim{};
  }
  if (!check_memory(op, *input, dims)) {
    return op.like(*input, {});
  }
  check_order(op, *input, dims, open);
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_flatten(Operation &op) {
  const Value value = op.arg("input");
  const Tensor *const input = op.in.as_tensor(value);
  if (input == nullptr) {
    return {};
  }
  const auto first = op.integer("start_dim");
  const auto last = op.integer("end_dim");
  if (!input->shape.is_known() || !first || !last) {
    return op.like(*input, {});
  }
  if (input->shape.rank() == 0) {
    return op.like(*input, op.in.heap.shape({Dim::of(1)}));
  }
  const auto from = axis_of(op, *input, *first, "start_dim");
  const auto to = axis_of(op, *input, *last, "end_dim");
  if (from && to && *from > *to && input->library == Library::Torch) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("flatten of {} goes from dimension {} to {}, which is before it",
                                                    op.in.text_of(*input), *from, *to))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "start_dim must not be after end_dim";
    }
  }
  if (!from || !to || *from > *to) {
    return op.like(*input, {});
  }
  std::vector<Dim> dims;
  Dim product = Dim::of(1);
  for (u32 i = 0; i < input->shape.rank(); ++i) {
    if (i < *from || i > *to) {
      dims.push_back(input->shape.dims[i]);
      continue;
    }
    product = op.in.terms.multiply(product, input->shape.dims[i]);
    if (i == *to) {
      dims.push_back(product);
    }
  }
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_unflatten(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto at = op.integer("dim");
  std::vector<Dim> sizes;
  if (input == nullptr || !input->shape.is_known() || !at || !op.in.as_dims(op.arg("unflattened_size"), sizes)) {
    return input != nullptr ? op.like(*input, {}) : Value();
  }
  const auto axis = axis_of(op, *input, *at, "dim");
  if (!axis) {
    return op.like(*input, {});
  }
  Dim known = Dim::of(1);
  Dim *open = nullptr;
  for (Dim &dim : sizes) {
    if (dim.is(-1)) {
      open = &dim;
    } else {
      known = op.in.terms.multiply(known, dim);
    }
  }
  const Dim total = input->shape.dims[*axis];
  if (open != nullptr) {
    *open = op.in.terms.floor_divide(total, known);
  } else if (op.in.terms.differ(total, known)) {
    if (Problem *problem =
            op.report(Fault::ReshapeSize, fmt::format("dimension {} of {} cannot be split into {} elements", *axis,
                                                      op.in.text_of(*input), op.in.terms.text(known)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "the sizes must multiply to that of the dimension";
    }
    return op.like(*input, {});
  }
  std::vector<Dim> dims = dims_of(input->shape);
  dims.erase(dims.begin() + *axis);
  dims.insert(dims.begin() + *axis, sizes.begin(), sizes.end());
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_permute(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  std::vector<Dim> order;
  if (!given_sizes(op, "dims", order) || order.empty()) {
    return op.like(*input, {});
  }
  if (!std::ranges::all_of(order, [](Dim dim) { return dim.is_constant(); })) {
    return op.like(*input, {});
  }
  const u32 count = static_cast<u32>(order.size());
  if (!input->shape.is_known()) {
    // It has as many dimensions as are named.
    const Value value = op.arg("input");
    if (value.is(Tag::Opaque) && input->shape.rank() <= count) {
      std::vector<Dim> dims;
      for (u32 i = 0; i < count; ++i) {
        const Dim known = input->shape.from_end(count - 1 - i);
        dims.push_back(known.is_known() ? known : op.in.size_at(value, *input, static_cast<i64>(i)));
      }
      op.in.refine(value, op.in.heap.shape(dims));
      return call_permute(op);
    }
    return op.like(*input, {});
  }
  if (input->shape.rank() != count) {
    if (Problem *problem =
            op.report(Fault::WrongRank, fmt::format("{} names {} dimensions, but {} has {}", op.short_name(), count,
                                                    op.in.text_of(*input), input->shape.rank()))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "name each dimension once";
    }
    return op.like(*input, {});
  }
  std::vector<u32> places;
  for (const Dim at : order) {
    const auto axis = axis_of(op, *input, at.value, "dims");
    if (!axis) {
      return op.like(*input, {});
    }
    places.push_back(*axis);
  }
  return permuted(op, *input, places);
}

Value call_transpose(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto first = op.integer("dim0");
  const auto second = op.integer("dim1");
  if (input == nullptr) {
    return {};
  }
  if (!first || !second) {
    return op.like(*input, {});
  }
  if (input->shape.kind == Shape::Kind::Tail && *first < 0 && *second < 0 &&
      static_cast<u32>(-*first) <= input->shape.rank() && static_cast<u32>(-*second) <= input->shape.rank()) {
    std::vector<Dim> dims = dims_of(input->shape);
    std::swap(dims[dims.size() - static_cast<std::size_t>(-*first)],
              dims[dims.size() - static_cast<std::size_t>(-*second)]);
    return op.like(*input, op.in.heap.shape(dims, Shape::Kind::Tail));
  }
  if (!input->shape.is_known()) {
    return op.like(*input, {});
  }
  const auto a = axis_of(op, *input, *first, "dim0");
  const auto b = a ? axis_of(op, *input, *second, "dim1") : std::nullopt;
  if (!a || !b) {
    return op.like(*input, {});
  }
  std::vector<u32> places(input->shape.rank());
  std::iota(places.begin(), places.end(), 0U);
  if (!places.empty()) {
    std::swap(places[*a], places[*b]);
  }
  return permuted(op, *input, places);
}

Value call_t(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  if (!input->shape.is_known()) {
    return op.like(*input, {});
  }
  if (input->shape.rank() > 2) {
    if (Problem *problem = op.report(
            Fault::WrongRank, fmt::format("t() takes at most 2 dimensions, but gets {}", op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "use .transpose(-2, -1) or .mT";
    }
    return op.like(*input, {});
  }
  std::vector<Dim> dims = dims_of(input->shape);
  std::ranges::reverse(dims);
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_unsqueeze(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  const auto at = op.integer("dim");
  if (!at) {
    return op.like(*input, {});
  }
  if (!input->shape.is_known()) {
    if (*at == -1) {
      std::vector<Dim> dims = dims_of(input->shape);
      dims.push_back(Dim::of(1));
      return op.like(*input, op.in.heap.shape(dims, Shape::Kind::Tail));
    }
    return op.like(*input, *at == 0 ? input->shape : Shape{});
  }
  const auto axis = axis_of(op, *input, *at, "dim", true);
  if (!axis) {
    return op.like(*input, {});
  }
  std::vector<Dim> dims = dims_of(input->shape);
  dims.insert(dims.begin() + *axis, Dim::of(1));
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_squeeze(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  if (!input->shape.is_known()) {
    return op.like(*input, {});
  }
  std::vector<Dim> dims;
  const Value which = op.arg("dim");
  if (which.is(Tag::None)) {
    for (const Dim dim : input->shape.dims) {
      if (!op.in.terms.differ(dim, Dim::of(1)) && !dim.is(1)) {
        return op.like(*input, {}); // a size that may be 1: nobody knows the rank
      }
      if (!dim.is(1)) {
        dims.push_back(dim);
      }
    }
    return op.like(*input, op.in.heap.shape(dims));
  }
  std::vector<Dim> given;
  if (!op.in.as_dims(which, given)) {
    return op.like(*input, {});
  }
  std::vector<bool> is_gone(input->shape.rank());
  for (const Dim at : given) {
    if (!at.is_constant()) {
      return op.like(*input, {});
    }
    const auto axis = axis_of(op, *input, at.value, "dim");
    if (!axis) {
      return op.like(*input, {});
    }
    if (input->shape.rank() == 0) {
      continue;
    }
    const Dim size = input->shape.dims[*axis];
    if (!size.is(1) && !op.in.terms.differ(size, Dim::of(1))) {
      return op.like(*input, {});
    }
    is_gone[*axis] = size.is(1);
  }
  for (u32 i = 0; i < input->shape.rank(); ++i) {
    if (!is_gone[i]) {
      dims.push_back(input->shape.dims[i]);
    }
  }
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_expand(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  std::vector<Dim> dims;
  if (!given_sizes(op, "sizes", dims)) {
    return op.like(*input, {});
  }
  if (!input->shape.is_known()) {
    for (Dim &dim : dims) {
      dim = dim.is(-1) ? Dim{} : dim;
    }
    return op.like(*input, op.in.heap.shape(dims));
  }
  const u32 rank = input->shape.rank();
  if (dims.size() < rank) {
    if (Problem *problem = op.report(Fault::WrongRank, fmt::format("expand names {} sizes, but {} has {} dimensions",
                                                                   dims.size(), op.in.text_of(*input), rank))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "name a size for each dimension; -1 keeps it";
    }
    return op.like(*input, {});
  }
  for (u32 i = 0; i < rank; ++i) {
    Dim &wanted = dims[dims.size() - 1 - i];
    const Dim size = input->shape.from_end(i);
    if (wanted.is(-1)) {
      wanted = size;
    } else if (op.in.terms.differ(wanted, size) && op.in.terms.differ(size, Dim::of(1))) {
      if (Problem *problem = op.report(Fault::ShapesDoNotFit,
                                       fmt::format("{} cannot be expanded: size {} becomes {}", op.in.text_of(*input),
                                                   op.in.terms.text(size), op.in.terms.text(wanted)))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "only sizes of 1 can be expanded; repeat() copies";
      }
      return op.like(*input, {});
    }
  }
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_expand_as(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const other = op.tensor("other");
  if (input == nullptr) {
    return {};
  }
  return op.like(*input, other != nullptr ? other->shape : Shape{});
}

Value call_repeat(Operation &op) {
  const Tensor *const input = op.tensor("input");
  if (input == nullptr) {
    return {};
  }
  std::vector<Dim> times;
  if (!given_sizes(op, "repeats", times) || !input->shape.is_known()) {
    return op.like(*input, {});
  }
  const u32 rank = input->shape.rank();
  if (times.size() < rank) {
    if (op.short_name() == "tile") {
      times.insert(times.begin(), rank - times.size(), Dim::of(1));
    } else {
      if (Problem *problem =
              op.report(Fault::WrongRank, fmt::format("repeat names {} numbers, but {} has {} dimensions", times.size(),
                                                      op.in.text_of(*input), rank))) {
        op.in.add_chain(*problem, *input);
        problem->advice = "name a number for each dimension";
      }
      return op.like(*input, {});
    }
  }
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t extra = times.size() - rank;
    dims.push_back(i < extra ? times[i]
                             : op.in.terms.multiply(times[i], input->shape.dims[static_cast<u32>(i - extra)]));
  }
  return op.like(*input, op.in.heap.shape(dims));
}

Value call_repeat_interleave(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const auto axis_given = op.integer("dim");
  const Dim times = op.dim("repeats");
  if (input == nullptr) {
    return {};
  }
  if (!input->shape.is_known()) {
    return op.like(*input, {});
  }
  if (op.arg("dim").is(Tag::None)) {
    return op.like(*input, op.in.heap.shape({op.in.terms.multiply(numel(op.in, input->shape), times)}));
  }
  const auto axis = axis_given ? axis_of(op, *input, *axis_given, "dim") : std::nullopt;
  if (!axis) {
    return op.like(*input, {});
  }
  std::vector<Dim> dims = dims_of(input->shape);
  dims[*axis] = op.in.terms.multiply(dims[*axis], times);
  return op.like(*input, op.in.heap.shape(dims));
}

constexpr TransferEntry kTable[] = {
    {"view", call_view},           {"flatten", call_flatten},     {"unflatten", call_unflatten},
    {"permute", call_permute},     {"transpose", call_transpose}, {"t", call_t},
    {"unsqueeze", call_unsqueeze}, {"squeeze", call_squeeze},     {"expand", call_expand},
    {"expand_as", call_expand_as}, {"repeat", call_repeat},       {"repeat_interleave", call_repeat_interleave},
};

} // namespace
} // namespace layout

std::span<const TransferEntry> layout_transfers() { return layout::kTable; }

} // namespace deepperf::shapes
