// Matrix products and einsum.
#include "shapes/registry.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace products {
namespace {

Tensor product_of(Interpreter &in, const Tensor &a, const Tensor &b) {
  Tensor result;
  result.library = a.library == Library::Unknown ? b.library : a.library;
  result.device = a.device == b.device ? a.device : Device{};
  result.dtype = in.in_autocast() ? Dtype::Unknown : a.dtype == b.dtype ? a.dtype : Dtype::Unknown;
  result.grad = !in.records_gradients()                        ? Truth::No
                : a.grad == Truth::Yes || b.grad == Truth::Yes ? Truth::Yes
                : a.grad == Truth::No && b.grad == Truth::No   ? Truth::No
                                                               : Truth::Unknown;
  return result;
}

void check_dtypes(Interpreter &in, const Expr *node, const Tensor &a, const Tensor &b, std::string_view what) {
  if (a.library == Library::TensorFlow && b.library == Library::TensorFlow) {
    check_same_dtype(in, node, a, b, what);
    return;
  }
  if (in.in_autocast() || a.dtype == b.dtype || a.dtype == Dtype::Unknown || b.dtype == Dtype::Unknown ||
      a.library != Library::Torch || b.library != Library::Torch) {
    return;
  }
  if (Problem *problem = in.report(Fault::DtypeMismatch, node,
                                   fmt::format("{} takes tensors of the same dtype, but gets {} and {}", what,
                                               name_of(a.dtype), name_of(b.dtype)))) {
    in.add_chain(*problem, a);
    in.add_chain(*problem, b);
    problem->advice = fmt::format("cast one of them: .to(torch.{})", name_of(is_floating(a.dtype) ? a.dtype : b.dtype));
  }
}

} // namespace
} // namespace products

Value matrix_product(Interpreter &in, const Value &left, const Value &right, const Expr *node, Symbol api,
                     const Object *layer) {
  const Tensor *const a = in.as_tensor(left);
  const Tensor *const b = in.as_tensor(right);
  if (a == nullptr || b == nullptr) {
    return {};
  }
  Tensor result = products::product_of(in, *a, *b);
  const auto fail = [&](Fault fault, std::string message, std::string advice) {
    if (Problem *problem = in.report(fault, node, std::move(message))) {
      in.add_chain(*problem, *a);
      in.add_chain(*problem, *b);
      problem->advice = std::move(advice);
    }
    return in.plain_tensor(result);
  };
  products::check_dtypes(in, node, *a, *b, "matmul");
  if (!check_devices(in, node, *a, *b, "matmul")) {
    result.device = {};
  }
  const Shape &x = a->shape;
  const Shape &y = b->shape;
  if ((x.is_known() && x.rank() == 0) || (y.is_known() && y.rank() == 0)) {
    return fail(Fault::WrongRank, "matmul takes tensors with dimensions, but gets one without",
                "use * for a single number");
  }
  // The last of one meets the last but one of the other, or its only one.
  const Dim inner_left = x.from_end(0);
  Dim inner_right;
  if (y.is_known()) {
    inner_right = y.rank() == 1 ? y.dims[0] : y.from_end(1);
  } else if (y.rank() >= 2) {
    inner_right = y.from_end(1);
  }
  if (in.terms.differ(inner_left, inner_right)) {
    return fail(Fault::ShapesDoNotFit,
                fmt::format("matmul of {} and {} is invalid: {} columns meet {} rows", in.text_of(*a), in.text_of(*b),
                            in.terms.text(inner_left), in.terms.text(inner_right)),
                "the last size of the first must be the last but one of the second");
  }
  if (x.is_known() && y.is_known()) {
    std::vector<Dim> dims;
    if (x.rank() > 2 || y.rank() > 2) {
      const auto batch = [&](const Shape &shape) {
        return shape.rank() > 2 ? Shape{Shape::Kind::Known, {shape.dims.items, shape.rank() - 2}}
                                : Shape{Shape::Kind::Known, {}};
      };
      const Broadcast both = broadcast(in, batch(x), batch(y));
      if (!both.fits) {
        return fail(Fault::ShapesDoNotFit,
                    fmt::format("matmul of {} and {} is invalid: batches of {} and {}", in.text_of(*a), in.text_of(*b),
                                in.terms.text(both.left), in.terms.text(both.right)),
                    "all sizes but the last two must be equal, or 1");
      }
      if (!both.shape.is_known()) {
        return in.make_tensor(result, api, node, {a, b}, layer);
      }
      dims.assign(both.shape.dims.begin(), both.shape.dims.end());
    }
    if (x.rank() > 1) {
      dims.push_back(x.from_end(1));
    }
    if (y.rank() > 1) {
      dims.push_back(y.from_end(0));
    }
    result.shape = in.heap.shape(dims);
    const Value value = in.make_tensor(result, api, node, {a, b}, layer);
    if (value.tensor->step != Tensor::kNoStep) {
      in.steps[value.tensor->step].multiply_adds = in.terms.multiply(numel(in, result.shape), inner_left);
    }
    return value;
  }
  if (y.is_known() && y.rank() == 2 && x.kind == Shape::Kind::Tail) {
    result.shape = in.heap.shape({y.from_end(0)}, Shape::Kind::Tail);
  }
  return in.make_tensor(result, api, node, {a, b}, layer);
}

namespace products {
namespace {

Value call_matmul(Operation &op) {
  return matrix_product(op.in, op.arg("input"), op.arg("other"), op.node, op.api, nullptr);
}

// mm, bmm, mv, dot: matmul of tensors of a fixed rank.
Value fixed_rank(Operation &op, u32 left, u32 right) {
  for (const auto &[name, rank] : {std::pair("input", left), std::pair("other", right)}) {
    const Value value = op.arg(name);
    const Tensor *const tensor = op.in.as_tensor(value);
    if (tensor != nullptr && tensor->shape.is_known() && tensor->shape.rank() != rank) {
      if (Problem *problem = op.report(Fault::WrongRank,
                                       fmt::format("{} takes tensors of {} dimension{}, but gets {}", op.short_name(),
                                                   rank, rank == 1 ? "" : "s", op.in.text_of(*tensor)))) {
        op.in.add_chain(*problem, *tensor);
        problem->advice = "use matmul, which takes any number of dimensions";
      }
      return op.unknown_tensor(tensor);
    }
  }
  const Tensor *const a = op.tensor("input");
  const Tensor *const b = op.tensor("other");
  if (left == 3 && a != nullptr && b != nullptr && a->shape.is_known() && b->shape.is_known() &&
      op.in.terms.differ(a->shape.dims[0], b->shape.dims[0])) {
    if (Problem *problem = op.report(Fault::ShapesDoNotFit,
                                     fmt::format("bmm of {} and {} is invalid: batches of {} and {}", op.in.text_of(*a),
                                                 op.in.text_of(*b), op.in.terms.text(a->shape.dims[0]),
                                                 op.in.terms.text(b->shape.dims[0])))) {
      op.in.add_chain(*problem, *a);
      op.in.add_chain(*problem, *b);
      problem->advice = "bmm does not broadcast: both must have the same first size";
    }
    return op.unknown_tensor(a);
  }
  return call_matmul(op);
}

Value call_mm(Operation &op) { return fixed_rank(op, 2, 2); }
Value call_bmm(Operation &op) { return fixed_rank(op, 3, 3); }
Value call_mv(Operation &op) { return fixed_rank(op, 2, 1); }
Value call_dot(Operation &op) { return fixed_rank(op, 1, 1); }

Value call_outer(Operation &op) {
  const Tensor *const a = op.tensor("input");
  const Tensor *const b = op.tensor("other");
  if (a == nullptr || b == nullptr) {
    return {};
  }
  for (const Tensor *tensor : {a, b}) {
    if (tensor->library == Library::Torch && tensor->shape.is_known() && tensor->shape.rank() != 1) {
      if (Problem *problem = op.report(Fault::WrongRank, "outer takes vectors, but gets " + op.in.text_of(*tensor))) {
        op.in.add_chain(*problem, *tensor);
        problem->advice = "flatten it, or write the product with broadcasting: a[..., :, None] * b[..., None, :]";
      }
      return op.unknown_tensor(a);
    }
  }
  Tensor result = product_of(op.in, *a, *b);
  if (a->shape.has_rank(1) && b->shape.has_rank(1)) {
    result.shape = op.in.heap.shape({a->shape.dims[0], b->shape.dims[0]});
  }
  return op.result(result, {a, b});
}

Value call_einsum(Operation &op) {
  const Value equation = op.arg("equation");
  std::vector<Value> operands = op.rest;
  if (operands.size() == 1 && operands[0].is_sequence()) {
    const Value list = operands[0];
    operands.clear();
    if (!op.in.iterate(list, operands)) {
      return op.unknown_tensor(nullptr);
    }
  }
  std::vector<const Tensor *> tensors;
  for (const Value &operand : operands) {
    const Tensor *const tensor = op.in.as_tensor(operand);
    if (tensor == nullptr) {
      return op.unknown_tensor(nullptr);
    }
    tensors.push_back(tensor);
  }
  if (!equation.is(Tag::Str) || equation.number == 0 || tensors.empty()) {
    return op.unknown_tensor(tensors.empty() ? nullptr : tensors[0]);
  }
  std::string text;
  for (const char c : equation.text()) {
    if (c != ' ') {
      text += c;
    }
  }
  const std::size_t arrow = text.find("->");
  const std::string inputs = text.substr(0, arrow);
  std::vector<std::string> parts(1);
  for (const char c : inputs) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  Tensor result = *tensors[0];
  result.is_parameter = false;
  for (const Tensor *tensor : tensors) {
    const Tensor both = product_of(op.in, result, *tensor);
    result.grad = both.grad;
    result.dtype = both.dtype;
    result.device = both.device;
  }
  result.shape = {};
  const auto fail = [&](Fault fault, const Tensor &tensor, std::string message, std::string advice) {
    if (Problem *problem = op.report(fault, std::move(message))) {
      op.in.add_chain(*problem, tensor);
      problem->advice = std::move(advice);
    }
    return op.in.plain_tensor(result);
  };
  if (parts.size() != tensors.size()) {
    return op.result(result, tensors);
  }
  std::map<char, Dim> sizes;
  std::string order;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string &part = parts[i];
    const Shape &shape = tensors[i]->shape;
    if (part.find('.') != std::string::npos) {
      return op.result(result, tensors);
    }
    if (shape.is_known() && shape.rank() != part.size()) {
      return fail(
          Fault::WrongRank, *tensors[i],
          fmt::format("einsum names {} dimensions \"{}\", but gets {}", part.size(), part, op.in.text_of(*tensors[i])),
          "name each dimension with one letter");
    }
    for (std::size_t k = 0; k < part.size(); ++k) {
      const Dim dim = shape.is_known() ? shape.dims[static_cast<u32>(k)] : Dim{};
      Dim &known = sizes.try_emplace(part[k], Dim{}).first->second;
      order += part[k];
      if (op.in.terms.differ(known, dim) && !known.is(1) && !dim.is(1) && op.in.terms.differ(known, Dim::of(1)) &&
          op.in.terms.differ(dim, Dim::of(1))) {
        return fail(Fault::ShapesDoNotFit, *tensors[i],
                    fmt::format("einsum gives {} the sizes {} and {}", std::string(1, part[k]), op.in.terms.text(known),
                                op.in.terms.text(dim)),
                    "a letter must stand for the same size everywhere");
      }
      known = !known.is_known() || known.is(1) ? dim : known;
    }
  }
  std::string output;
  if (arrow != std::string::npos) {
    output = text.substr(arrow + 2);
  } else {
    for (const auto &[letter, dim] : sizes) {
      if (std::ranges::count(order, letter) == 1) {
        output += letter;
      }
    }
  }
  std::vector<Dim> dims;
  Dim work = Dim::of(1);
  for (const char letter : output) {
    const auto found = sizes.find(letter);
    if (found == sizes.end()) {
      return op.result(result, tensors);
    }
    dims.push_back(found->second);
  }
  for (const auto &[letter, dim] : sizes) {
    work = op.in.terms.multiply(work, dim);
  }
  result.shape = op.in.heap.shape(dims);
  const Value value = op.result(result, tensors);
  if (value.tensor->step != Tensor::kNoStep) {
    op.in.steps[value.tensor->step].multiply_adds = work;
  }
  return value;
}

// ---- numpy.linalg and its likes

// The last two sizes of what a decomposition gets; false if they are not known, or if it takes square matrices alone.
bool matrix_in(Operation &op, bool must_be_square, const Tensor *&input, std::vector<Dim> &front, Dim &rows,
               Dim &columns) {
  input = op.tensor("input");
  if (input == nullptr || !input->shape.is_known()) {
    return false;
  }
  const u32 rank = input->shape.rank();
  if (rank < 2) {
    if (Problem *problem = op.report(
            Fault::WrongRank, fmt::format("{} takes matrices, but gets {}", op.short_name(), op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "give it a tensor of at least 2 dimensions";
    }
    return false;
  }
  front.assign(input->shape.dims.begin(), input->shape.dims.end() - 2);
  rows = input->shape.from_end(1);
  columns = input->shape.from_end(0);
  if (must_be_square && op.in.terms.differ(rows, columns)) {
    if (Problem *problem = op.report(Fault::ShapesDoNotFit, fmt::format("{} takes square matrices, but gets {}",
                                                                        op.short_name(), op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "the last two sizes must be equal";
    }
    return false;
  }
  return true;
}

Value part(const Operation &op, const Tensor &input, std::vector<Dim> dims, std::initializer_list<Dim> more) {
  dims.insert(dims.end(), more);
  const Dtype dtype = is_floating(input.dtype)          ? input.dtype
                      : input.dtype == Dtype::Unknown   ? Dtype::Unknown
                      : input.library == Library::Numpy ? Dtype::Float64
                                                        : Dtype::Float32;
  return op.like(input, op.in.heap.shape(dims), dtype);
}

Value call_inverse(Operation &op) {
  const Tensor *input = nullptr;
  std::vector<Dim> front;
  Dim rows;
  Dim columns;
  const bool is_any = op.short_name() == "pinv";
  if (!matrix_in(op, !is_any, input, front, rows, columns)) {
    return op.unknown_tensor(input);
  }
  return part(op, *input, front, {columns, rows});
}

Value call_determinant(Operation &op) {
  const Tensor *input = nullptr;
  std::vector<Dim> front;
  Dim rows;
  Dim columns;
  return matrix_in(op, true, input, front, rows, columns) ? part(op, *input, front, {}) : op.unknown_tensor(input);
}

// qr, svd, eigh: a tuple of parts
Value call_decomposition(Operation &op) {
  const std::string_view name = op.short_name();
  const Tensor *input = nullptr;
  std::vector<Dim> front;
  Dim rows;
  Dim columns;
  if (op.is_open || !matrix_in(op, name == "eigh", input, front, rows, columns)) {
    return {};
  }
  const Dim least = rows == columns                               ? rows
                    : rows.is_constant() && columns.is_constant() ? Dim::of(std::min(rows.value, columns.value))
                                                                  : Dim{};
  std::vector<Value> parts;
  if (name == "eigh") {
    parts = {part(op, *input, front, {rows}), part(op, *input, front, {rows, columns})};
  } else if (name == "qr") {
    if (op.is_given("mode")) {
      return {};
    }
    parts = {part(op, *input, front, {rows, least}), part(op, *input, front, {least, columns})};
  } else {
    const Truth is_full = op.truth("full_matrices");
    if (is_full == Truth::Unknown || op.is_given("compute_uv")) {
      return {};
    }
    const bool is_cut = is_full == Truth::No;
    parts = {part(op, *input, front, {rows, is_cut ? least : rows}), part(op, *input, front, {least}),
             part(op, *input, front, {is_cut ? least : columns, columns})};
  }
  return op.in.heap.new_list(std::move(parts), Tag::Tuple);
}

constexpr TransferEntry kTable[] = {
    {"inverse", call_inverse},
    {"determinant", call_determinant},
    {"decomposition", call_decomposition},
    {"matmul", call_matmul},
    {"mm", call_mm},
    {"bmm", call_bmm},
    {"mv", call_mv},
    {"dot", call_dot},
    {"outer", call_outer},
    {"einsum", call_einsum},
};

} // namespace
} // namespace products

std::span<const TransferEntry> product_transfers() { return products::kTable; }

} // namespace deepperf::shapes
