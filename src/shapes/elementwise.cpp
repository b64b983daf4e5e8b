// What is computed element by element: operators, functions of one or several tensors, broadcasting.
#include "shapes/bool_arithmetic.h"
#include "shapes/registry.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

Broadcast broadcast(Interpreter &in, const Shape &a, const Shape &b) {
  Broadcast result;
  if (a.kind == Shape::Kind::Unknown || b.kind == Shape::Kind::Unknown) {
    return result;
  }
  const bool is_whole = a.is_known() && b.is_known();
  // Behind a known tail nobody knows what comes; what both have can be compared all the same.
  const u32 count = is_whole ? std::max(a.rank(), b.rank()) : std::min(a.rank(), b.rank());
  std::vector<Dim> dims(count);
  for (u32 i = 0; i < count; ++i) {
    const bool in_both = i < a.rank() && i < b.rank();
    const Dim left = i < a.rank() ? a.from_end(i) : Dim::of(1);
    const Dim right = i < b.rank() ? b.from_end(i) : Dim::of(1);
    Dim &into = dims[count - 1 - i];
    if (!in_both) {
      into = i < a.rank() ? left : right;
    } else if (left == right || right.is(1)) {
      into = left;
    } else if (left.is(1)) {
      into = right;
    } else if (in.terms.differ(left, right) && in.terms.differ(left, Dim::of(1)) &&
               in.terms.differ(right, Dim::of(1))) {
      result.fits = false;
      result.left = left;
      result.right = right;
      return result;
    } else if (left.is_constant() && left.value > 1) {
      into = left;
    } else if (right.is_constant() && right.value > 1) {
      into = right;
    } else {
      into = Dim{};
    }
  }
  if (is_whole) {
    result.shape = in.heap.shape(dims);
  } else if (!dims.empty()) {
    // The longer one may have more dimensions than the tail shows: only what both have is certain.
    result.shape = in.heap.shape(dims, Shape::Kind::Tail);
  }
  return result;
}

bool check_devices(Interpreter &in, const Expr *node, const Tensor &a, const Tensor &b, std::string_view what) {
  if (!are_apart(a.device, b.device)) {
    return true;
  }
  const bool is_left_on_cpu = a.device.kind == Device::Kind::Cpu;
  const Tensor &other = is_left_on_cpu ? b : a;
  const Tensor &stayed = is_left_on_cpu ? a : b;
  std::string where = text_of(other.device);
  if (other.device.kind == Device::Kind::Variable) {
    where = "the program's device";
  }
  if (Problem *problem = in.report(Fault::DeviceMismatch, node,
                                   fmt::format("{} takes tensors on the same device, but gets one on {} and one on {}",
                                               what, text_of(stayed.device), where))) {
    in.add_chain(*problem, stayed);
    problem->advice = "move the other tensor: .to(device)";
  }
  return false;
}

namespace elementwise {
namespace {

bool is_scalar(const Tensor &tensor) { return tensor.shape.is_known() && tensor.shape.rank() == 0; }

// Of two operands, each a tensor or a Python number. What a number or a tensor without dimensions is counts only if it
// is of a higher category.
Dtype promoted(Interpreter &in, const Value &left, const Value &right, const Tensor *a, const Tensor *b) {
  const auto category = [](Dtype dtype) {
    return dtype == Dtype::Unknown     ? 0
           : dtype == Dtype::Bool      ? 1
           : is_integer(dtype)         ? 2
           : dtype >= Dtype::Complex64 ? 4
                                       : 3;
  };
  const auto with_number = [&](const Tensor &tensor, const Value &number) {
    if (number.is(Tag::Bool) || number.is(Tag::Int)) {
      return tensor.dtype == Dtype::Bool && number.is(Tag::Int) ? Dtype::Int64 : tensor.dtype;
    }
    if (number.is(Tag::Float)) {
      return category(tensor.dtype) == 0        ? Dtype::Unknown
             : category(tensor.dtype) >= 3      ? tensor.dtype
             : tensor.library == Library::Numpy ? Dtype::Float64
                                                : Dtype::Float32;
    }
    return Dtype::Unknown;
  };
  if (a == nullptr || b == nullptr) {
    return a != nullptr ? with_number(*a, right) : b != nullptr ? with_number(*b, left) : Dtype::Unknown;
  }
  (void)in;
  if (a->library != b->library) { // an array becomes what the tensor is
    if (a->library == Library::TensorFlow || b->library == Library::TensorFlow) {
      return a->library == Library::TensorFlow ? a->dtype : b->dtype;
    }
    if (a->library == Library::Jax || b->library == Library::Jax) {
      return Dtype::Unknown;
    }
  }
  if (a->dtype == Dtype::Unknown || b->dtype == Dtype::Unknown) {
    return Dtype::Unknown;
  }
  if (a->library == Library::Numpy || b->library == Library::Numpy) {
    if (is_scalar(*a) != is_scalar(*b) && a->dtype != b->dtype) {
      return Dtype::Unknown; // versions differ in whether the scalar counts
    }
    return promote_numpy(a->dtype, b->dtype);
  }
  if (a->dtype == b->dtype) {
    return a->dtype;
  }
  if (is_scalar(*a) != is_scalar(*b) && a->shape.is_known() && b->shape.is_known()) {
    const Tensor &whole = is_scalar(*a) ? *b : *a;
    const Tensor &single = is_scalar(*a) ? *a : *b;
    if (category(single.dtype) <= category(whole.dtype)) {
      return whole.dtype;
    }
    return category(single.dtype) == 3 && single.dtype == Dtype::Float64 && category(whole.dtype) < 3 ? Dtype::Float64
                                                                                                      : single.dtype;
  }
  if (!a->shape.is_known() || !b->shape.is_known()) {
    return category(a->dtype) == category(b->dtype) ? Dtype::Unknown : promote_torch(a->dtype, b->dtype);
  }
  return promote_torch(a->dtype, b->dtype);
}

Truth either_grad(Interpreter &in, const Tensor *a, const Tensor *b) {
  if (!in.records_gradients()) {
    return Truth::No;
  }
  const Truth left = a != nullptr ? a->grad : Truth::No;
  const Truth right = b != nullptr ? b->grad : Truth::No;
  return left == Truth::Yes || right == Truth::Yes ? Truth::Yes
         : left == Truth::No && right == Truth::No ? Truth::No
                                                   : Truth::Unknown;
}

// TensorFlow does not promote: both must have one dtype, and a float is no integer. Arrays become what the tensor is.
bool check_tf_operands(Interpreter &in, const Value &left, const Value &right, const Expr *node,
                       std::string_view what) {
  const Tensor *const a = left.is(Tag::Tensor) ? left.tensor : nullptr;
  const Tensor *const b = right.is(Tag::Tensor) ? right.tensor : nullptr;
  if (a != nullptr && b != nullptr) {
    return check_same_dtype(in, node, *a, *b, what);
  }
  const Tensor *const tensor = a != nullptr ? a : b;
  const Value &number = a != nullptr ? right : left;
  if (in.is_promoting || tensor == nullptr || !number.is(Tag::Float) || !is_integer(tensor->dtype) || tensor->is_weak) {
    return true;
  }
  if (Problem *problem =
          in.report(Fault::DtypeMismatch, node,
                    fmt::format("{} of a tensor of {} and a float is invalid: TensorFlow does not promote dtypes", what,
                                name_of(tensor->dtype)))) {
    in.add_chain(*problem, *tensor);
    problem->advice = "cast the tensor first: tf.cast(x, tf.float32)";
  }
  return false;
}

// Does the last dimension of size 1 come from a layer with one output? Who wants all pairs writes it: `x[:, None] - y`.
bool is_column_of_layer(Interpreter &in, const Tensor *tensor) {
  constexpr u32 kMostSteps = 16;
  for (u32 i = 0; i < kMostSteps && tensor != nullptr && tensor->step < in.steps.size(); ++i) {
    const Step &step = in.steps[tensor->step];
    const bool is_column = tensor->shape.is_known() && tensor->shape.rank() == 2 && tensor->shape.from_end(0).is(1);
    if (!is_column) {
      return false;
    }
    const std::string_view operation = step.operation ? step.operation.text() : std::string_view{};
    if (operation == "torch.nn.Linear" || operation == "torch.nn.LazyLinear") {
      return true;
    }
    const Tensor *before = nullptr; // what has the same shape already
    for (const Tensor *input : step.inputs) {
      before = input->shape.is_known() && input->shape.rank() == 2 && input->shape.from_end(0).is(1) ? input : before;
    }
    tensor = before;
  }
  return false;
}

// `prediction - label` of [N, 1] and [N], which is a difference of all pairs.
void check_difference(Interpreter &in, const Expr *node, const Tensor &a, const Tensor &b, const Shape &result) {
  const Tensor &column = a.shape.rank() > b.shape.rank() ? a : b;
  const Tensor &row = a.shape.rank() > b.shape.rank() ? b : a;
  if (a.library != Library::Torch || b.library != Library::Torch || !a.shape.is_known() || !b.shape.is_known() ||
      column.grad != Truth::Yes || row.grad != Truth::No || !broadcasts_everything(in, a.shape, b.shape) ||
      !is_column_of_layer(in, &column)) {
    return;
  }
  if (Problem *problem = in.report(
          Fault::SilentBroadcast, node,
          fmt::format("the difference of {} and {} compares every prediction with every label: it broadcasts to {}",
                      in.text_of(a), in.text_of(b), in.text_of(result)))) {
    in.add_chain(*problem, column);
    in.add_chain(*problem, row);
    problem->advice = "give both the same shape: .squeeze(1) of one, or .unsqueeze(1) of the other";
  }
}

Value combine(Interpreter &in, const Value &left, const Value &right, const Expr *node, Symbol api,
              std::string_view what, std::optional<Dtype> dtype = {}) {
  const Tensor *const a = left.is(Tag::Tensor) || left.is(Tag::Opaque) ? in.as_tensor(left) : nullptr;
  const Tensor *const b = right.is(Tag::Tensor) || right.is(Tag::Opaque) ? in.as_tensor(right) : nullptr;
  if (a == nullptr && b == nullptr) {
    return {};
  }
  if (!dtype) {
    check_operand_kinds(in, node, what, left, right);
  }
  // x / np.sqrt(64): to a tensor of another library it is a number.
  if (a != nullptr && b != nullptr && a->library != Library::Numpy && b->library == Library::Numpy && is_scalar(*b) &&
      is_floating(b->dtype)) {
    return combine(in, left, Value::some_float(), node, api, what, dtype);
  }
  const auto is_number = [](const Value &value) {
    return value.is(Tag::Int) || value.is(Tag::Float) || value.is(Tag::Bool);
  };
  Tensor result = a != nullptr ? *a : *b;
  result.is_parameter = false;
  result.is_weak = false;
  result.grad = either_grad(in, a, b);
  const bool fits = (result.library != Library::TensorFlow && (b == nullptr || b->library != Library::TensorFlow)) ||
                    check_tf_operands(in, left, right, node, what);
  result.dtype = dtype ? *dtype : fits ? promoted(in, left, right, a, b) : Dtype::Unknown;
  if (in.in_autocast() && result.dtype != Dtype::Bool) {
    result.dtype = Dtype::Unknown;
  }
  std::vector<const Tensor *> inputs;
  if (a != nullptr) {
    inputs.push_back(a);
  }
  if (b != nullptr) {
    inputs.push_back(b);
  }
  if (a != nullptr && b != nullptr) {
    if (a->library != b->library) {
      const auto leads = [](const Tensor &x, const Tensor &y) {
        return x.library == Library::Unknown ||
               (x.library == Library::Numpy && (y.library == Library::TensorFlow || y.library == Library::Jax));
      };
      result.library = leads(*a, *b) ? b->library : leads(*b, *a) ? a->library : Library::Unknown;
    }
    const Broadcast both = broadcast(in, a->shape, b->shape);
    if (!both.fits) {
      if (Problem *problem =
              in.report(Fault::ShapesDoNotFit, node,
                        fmt::format("{} of {} and {} is invalid: {} is not {}", what, in.text_of(*a), in.text_of(*b),
                                    in.terms.text(both.left), in.terms.text(both.right)))) {
        in.add_chain(*problem, *a);
        in.add_chain(*problem, *b);
        problem->advice = "sizes must be equal, or one of them 1, counted from the last dimension";
      }
      result.shape = {};
      return in.plain_tensor(result);
    }
    result.shape = both.shape;
    if (what == "-") {
      check_difference(in, node, *a, *b, both.shape);
    }
    if (!is_scalar(*a) && !is_scalar(*b) && a->shape.is_known() && b->shape.is_known()) {
      if (!check_devices(in, node, *a, *b, what)) {
        result.device = {};
      }
    }
    if (a->device != b->device) {
      result.device = is_scalar(*a)                             ? b->device
                      : is_scalar(*b)                           ? a->device
                      : a->device.kind == Device::Kind::Unknown ? Device{}
                                                                : result.device;
      if (!is_scalar(*a) && !is_scalar(*b)) {
        result.device = {};
      }
    }
  } else if (const Value &other = a == nullptr ? left : right; !is_number(other)) {
    result.shape = {}; // it may be a larger tensor
    result.device = {};
    const bool is_tuple =
        other.is(Tag::Tuple) && !other.list->content.is_open && other.list->content.items.size() >= 2 &&
        std::ranges::any_of(other.list->content.items, [](const Value &item) { return item.is(Tag::Tensor); });
    if (is_tuple && result.library == Library::Torch) {
      if (Problem *problem = in.report(
              Fault::Arity, node,
              fmt::format("{} takes tensors, but gets a tuple of {}", what, other.list->content.items.size()))) {
        in.add_chain(*problem, result);
        problem->advice = "use one element of the tuple: attention, LSTM and GRU layers return several results";
      }
    }
  }
  return in.make_tensor(result, api, node, inputs);
}

std::string_view name_of(Operator op) {
  switch (op) {
  case Operator::Add:
    return "+";
  case Operator::Sub:
    return "-";
  case Operator::Mult:
    return "*";
  case Operator::Div:
    return "/";
  case Operator::FloorDiv:
    return "//";
  case Operator::Pow:
    return "**";
  case Operator::Mod:
    return "%";
  case Operator::BitAnd:
    return "&";
  case Operator::BitOr:
    return "|";
  case Operator::BitXor:
    return "^";
  default:
    return "operator";
  }
}

Dtype divided(Dtype dtype, Library library) {
  if (dtype == Dtype::Bool || is_integer(dtype)) {
    return library == Library::Numpy ? Dtype::Float64 : library == Library::Torch ? Dtype::Float32 : Dtype::Unknown;
  }
  return dtype;
}

} // namespace
} // namespace elementwise

Value matrix_product(Interpreter &in, const Value &left, const Value &right, const Expr *node, Symbol api,
                     const Object *layer);

Value Interpreter::tensor_binary(Operator op, const Value &left, const Value &right, const Expr *node) {
  if (op == Operator::MatMult) {
    return matrix_product(*this, left, right, node, intern("torch.matmul"), nullptr);
  }
  const Value value =
      elementwise::combine(*this, left, right, node, intern(elementwise::name_of(op)), elementwise::name_of(op));
  if (op == Operator::Div && value.is(Tag::Tensor)) {
    const Dtype dtype = elementwise::divided(value.tensor->dtype, value.tensor->library);
    if (dtype != value.tensor->dtype) {
      Tensor result = *value.tensor;
      result.dtype = dtype;
      result.is_weak = result.library == Library::Torch; // before PyTorch 1.5 it stayed an integer
      return plain_tensor(result);
    }
  }
  return value;
}

namespace elementwise {
namespace {

// jnp.sqrt(64), np.log(10): an array without dimensions.
Value of_number(Operation &op, const Value &value, Dtype made_of_integer) {
  const std::string_view api = op.api ? op.api.text() : std::string_view{};
  const bool is_numpy = api.starts_with("numpy.");
  const bool is_number = value.is(Tag::Int) || (value.is(Tag::Float) && is_floating(made_of_integer));
  if (!is_number || !is_floating(made_of_integer) || (!is_numpy && !api.starts_with("jax.numpy."))) {
    return {};
  }
  Tensor tensor;
  tensor.library = is_numpy ? Library::Numpy : Library::Jax;
  tensor.dtype = is_numpy ? Dtype::Float64 : Dtype::Float32;
  tensor.is_weak = !is_numpy;
  tensor.device = {Device::Kind::Cpu};
  tensor.grad = Truth::No;
  tensor.shape = op.in.heap.shape({});
  return op.in.plain_tensor(tensor);
}

Value unary(Operation &op, Dtype (*convert)(Dtype)) {
  const Value &value = op.arg("input");
  const Tensor *const input = op.in.as_tensor(value);
  if (input == nullptr) {
    return of_number(op, value, convert(Dtype::Int64));
  }
  Dtype dtype = convert(input->dtype);
  if (input->library == Library::Numpy && dtype != input->dtype && dtype == Dtype::Float32) {
    dtype = Dtype::Float64;
  }
  if (const Value wanted = op.arg("dtype"); !wanted.is_unknown() && !wanted.is(Tag::None)) {
    dtype = op.in.as_dtype(wanted);
  }
  return op.like(*input, input->shape, op.in.in_autocast() && dtype != Dtype::Bool ? Dtype::Unknown : dtype);
}

Dtype same(Dtype dtype) { return dtype; }
Dtype floating(Dtype dtype) { return dtype == Dtype::Bool || is_integer(dtype) ? Dtype::Float32 : dtype; }
Dtype boolean(Dtype) { return Dtype::Bool; }
Dtype integral(Dtype) { return Dtype::Int64; }
Dtype real(Dtype dtype) {
  return dtype == Dtype::Complex64 ? Dtype::Float32 : dtype == Dtype::Complex128 ? Dtype::Float64 : dtype;
}

Value call_same(Operation &op) {
  if (op.short_name() == "neg" || op.short_name() == "negative") {
    check_unary_kind(op.in, op.node, UnaryOperator::USub, op.arg("input"));
  }
  return unary(op, same);
}
Value call_float(Operation &op) { return unary(op, floating); }
Value call_bool(Operation &op) { return unary(op, boolean); }
Value call_long(Operation &op) { return unary(op, integral); }
Value call_abs(Operation &op) { return unary(op, real); }

Value call_binary(Operation &op) {
  return combine(op.in, op.arg("input"), op.arg("other"), op.node, op.api, op.short_name());
}
Value call_compare(Operation &op) {
  const Value value = combine(op.in, op.arg("input"), op.arg("other"), op.node, op.api, op.short_name(), Dtype::Bool);
  if (value.is(Tag::Tensor)) {
    Tensor result = *value.tensor;
    result.grad = Truth::No;
    return op.in.plain_tensor(result);
  }
  return value;
}
Value call_divide(Operation &op) {
  const Value value = call_binary(op);
  if (!value.is(Tag::Tensor) || !op.arg("rounding_mode").is(Tag::None)) {
    return value;
  }
  Tensor result = *value.tensor;
  result.dtype = divided(result.dtype, result.library);
  return op.in.plain_tensor(result);
}

// In place: the receiver keeps its shape, and what is added must fit it.
Value call_in_place(Operation &op) {
  const Value receiver = op.arg("input");
  const Tensor *const a = op.in.as_tensor(receiver);
  const Value other = op.arg("other");
  const Tensor *const b = other.is(Tag::Tensor) ? other.tensor : nullptr;
  check_operand_kinds(op.in, op.node, op.short_name(), receiver, other);
  if (a != nullptr && b != nullptr) {
    const Broadcast both = broadcast(op.in, a->shape, b->shape);
    if (!both.fits) {
      combine(op.in, receiver, other, op.node, op.api, op.short_name());
    }
  }
  return receiver;
}

Value call_where(Operation &op) {
  const Value condition = op.arg("condition");
  const Value x = op.arg("input");
  const Value y = op.arg("other");
  if (!op.is_given("input")) {
    const Tensor *const mask = op.in.as_tensor(condition);
    if (mask == nullptr || !mask->shape.is_known()) {
      return {};
    }
    Tensor places = *mask;
    places.dtype = Dtype::Int64;
    places.shape = op.in.heap.shape({op.in.fresh("n", 0)});
    std::vector<Value> all(mask->shape.rank(), op.in.plain_tensor(places));
    return op.in.heap.new_list(std::move(all), Tag::Tuple);
  }
  if (const Tensor *const mask = condition.is(Tag::Tensor) ? condition.tensor : nullptr;
      mask != nullptr && mask->library == Library::Torch && mask->dtype != Dtype::Bool && mask->dtype != Dtype::UInt8 &&
      mask->dtype != Dtype::Unknown && op.api.text().find("numpy") == std::string_view::npos) {
    if (Problem *problem = op.report(Fault::DtypeMismatch, fmt::format("where takes a condition of bool, but gets {}",
                                                                       shapes::name_of(mask->dtype)))) {
      op.in.add_chain(*problem, *mask);
      problem->advice = "compare, or convert the condition: mask.bool()";
    }
  }
  const Value both = x.is(Tag::Tensor) || y.is(Tag::Tensor) || x.is(Tag::Opaque) || y.is(Tag::Opaque)
                         ? combine(op.in, x, y, op.node, op.api, "where")
                         : Value();
  const Tensor *const mask = op.in.as_tensor(condition);
  if (mask == nullptr) {
    return both;
  }
  if (!both.is(Tag::Tensor)) {
    const auto is_number = [](const Value &value) {
      return value.is(Tag::Int) || value.is(Tag::Float) || value.is(Tag::Bool);
    };
    Tensor result = *mask;
    result.dtype = x.is(Tag::Float) || y.is(Tag::Float) ? Dtype::Float32 : Dtype::Unknown;
    if (!is_number(x) || !is_number(y)) {
      result.shape = {}; // one of them may be larger than the mask
    }
    return op.result(result, {mask});
  }
  const Value all = combine(op.in, condition, both, op.node, op.api, "where", both.tensor->dtype);
  if (all.is(Tag::Tensor)) {
    Tensor result = *all.tensor;
    result.grad = both.tensor->grad;
    result.library = both.tensor->library;
    return op.in.plain_tensor(result);
  }
  return all;
}

Value call_masked_fill(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Tensor *const mask = op.tensor("mask");
  if (input == nullptr) {
    return {};
  }
  if (mask != nullptr) {
    if (input->library == Library::Torch && mask->library == Library::Torch &&
        !check_devices(op.in, op.node, *input, *mask, "masked_fill")) {
      return op.unknown_tensor(input);
    }
    const Broadcast both = broadcast(op.in, input->shape, mask->shape);
    if (!both.fits) {
      if (Problem *problem =
              op.report(Fault::ShapesDoNotFit,
                        fmt::format("a mask of {} does not match {}", op.in.text_of(*mask), op.in.text_of(*input)))) {
        op.in.add_chain(*problem, *input);
        op.in.add_chain(*problem, *mask);
        problem->advice = "the mask must broadcast to the tensor that it fills";
      }
      return op.unknown_tensor(input);
    }
    if (input->shape.is_known() && mask->shape.is_known() && !op.api.text().ends_with("_")) {
      return op.like(*input, both.shape);
    }
  }
  return mask == nullptr || !mask->shape.is_known()
             ? op.like(*input, op.api.text().ends_with("_") ? input->shape : Shape{})
             : op.like(*input, input->shape);
}

constexpr TransferEntry kTable[] = {
    {"same", call_same},       {"same_float", call_float},        {"same_bool", call_bool},
    {"same_long", call_long},  {"same_real", call_abs},           {"binary", call_binary},
    {"compare", call_compare}, {"divide", call_divide},           {"in_place", call_in_place},
    {"where", call_where},     {"masked_fill", call_masked_fill},
};

} // namespace
} // namespace elementwise

std::span<const TransferEntry> elementwise_transfers() { return elementwise::kTable; }

} // namespace deepperf::shapes
