// Operators on Python's own values, conversions, and comparisons. Those on tensors are in elementwise.cpp.
#include "shapes/frames.h"
#include "shapes/interpreter.h"
#include "shapes/module_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

Truth Interpreter::truth(const Value &value) {
  const auto known = [](bool is_true) { return is_true ? Truth::Yes : Truth::No; };
  switch (value.tag) {
  case Tag::None:
    return Truth::No;
  case Tag::Bool:
    return value.truth();
  case Tag::Int:
    if (value.dim().is_constant()) {
      return known(value.dim().value != 0);
    }
    if (terms.is_at_least(value.dim(), 1)) {
      return Truth::Yes;
    }
    is_undecided_ = true;
    return Truth::Unknown;
  case Tag::Float:
    return value.small != 0 ? known(value.real != 0) : Truth::Unknown;
  case Tag::Str:
    return value.number != 0 ? known(!value.text().empty()) : Truth::Unknown;
  case Tag::List:
  case Tag::Tuple:
  case Tag::Set:
    return value.list->content.is_open ? Truth::Unknown : known(!value.list->content.items.empty());
  case Tag::Dict:
    return !value.dict->content.items.empty() ? Truth::Yes : value.dict->content.is_open ? Truth::Unknown : Truth::No;
  case Tag::Object:
    return value.object->type == nullptr || is_module(*value.object) ? Truth::Yes : Truth::Unknown;
  case Tag::Method: // an attribute that nothing is known of looks like a method of its object
    return value.method->function != nullptr ? Truth::Yes : Truth::Unknown;
  case Tag::Function:
  case Tag::Class:
  case Tag::Module:
  case Tag::Dtype:
  case Tag::Device:
    return Truth::Yes;
  case Tag::Tensor:
    is_undecided_ = true;
    return Truth::Unknown;
  default:
    return Truth::Unknown;
  }
}

Dim Interpreter::as_dim(const Value &value) {
  if (value.is(Tag::Int)) {
    return value.dim();
  }
  if (value.is(Tag::Bool) && value.truth() != Truth::Unknown) {
    return Dim::of(value.truth() == Truth::Yes ? 1 : 0);
  }
  if (value.is(Tag::Opaque)) {
    if (value.opaque->content.tensor != nullptr) {
      return {};
    }
    if (!value.opaque->content.number.is_known()) {
      const Dim symbol = terms.symbol(value.opaque->name);
      heap.change(*value.opaque).number = symbol;
    }
    return value.opaque->content.number;
  }
  return {};
}

std::optional<std::string> Interpreter::as_text(const Value &value) {
  if (value.is(Tag::Str) && value.number != 0) {
    return std::string(value.text());
  }
  if (value.is(Tag::Int) && value.dim().is_constant()) {
    return std::to_string(value.dim().value);
  }
  if (value.is(Tag::Bool) && value.truth() != Truth::Unknown) {
    return value.truth() == Truth::Yes ? "True" : "False";
  }
  return {};
}

bool Interpreter::as_dims(const Value &value, std::vector<Dim> &dims) {
  if (value.is_sequence()) {
    if (value.list->content.is_open) {
      return false;
    }
    for (const Value &item : value.list->content.items) {
      dims.push_back(as_dim(item));
    }
    return true;
  }
  if (value.is(Tag::Int)) {
    dims.push_back(value.dim());
    return true;
  }
  return false;
}

namespace {

double number_of(const Value &value) { return value.is(Tag::Float) ? value.real : static_cast<double>(value.integer); }

bool is_exact_number(const Value &value) {
  return (value.is(Tag::Float) && value.small != 0) || (value.is(Tag::Int) && value.dim().is_constant());
}

Value as_number(const Value &value) {
  return value.is(Tag::Bool) && value.truth() != Truth::Unknown ? Value::of_int(value.truth() == Truth::Yes ? 1 : 0)
                                                                : value;
}

} // namespace

Value Interpreter::binary(Operator op, const Value &given_left, const Value &given_right, const Expr *node) {
  if (is_frame(given_left) || is_frame(given_right)) {
    return op == Operator::MatMult ? Value() : frame_binary(*this, given_left, given_right, false);
  }
  if (given_left.is(Tag::Tensor) || given_right.is(Tag::Tensor)) {
    return tensor_binary(op, given_left, given_right, node);
  }
  const auto was_tensor = [](const Value &value) {
    return value.is(Tag::Opaque) && value.opaque->content.tensor != nullptr;
  };
  if (was_tensor(given_left) || was_tensor(given_right) || op == Operator::MatMult) {
    return tensor_binary(op, given_left, given_right, node);
  }
  Value left = as_number(given_left);
  Value right = as_number(given_right);
  if ((left.is_sequence() && left.list->is_array) || (right.is_sequence() && right.list->is_array)) {
    return {};
  }
  // A sequence and a number, or two sequences.
  if (op == Operator::Mult) {
    check_product_of_tuple(*this, left, right, node);
  }
  if (op == Operator::Mult && right.is_sequence() && !left.is_sequence()) {
    std::swap(left, right);
  }
  if (left.is_sequence()) {
    const std::vector<Value> &parts = left.list->content.items;
    if (op == Operator::Mult && as_dim(right).is_constant() && !left.list->content.is_open &&
        (parts.empty() || as_dim(right).value <= static_cast<i64>(kMostComputedItems / parts.size()))) {
      std::vector<Value> items;
      for (i64 i = 0; i < as_dim(right).value && !parts.empty(); ++i) {
        items.insert(items.end(), parts.begin(), parts.end());
      }
      return heap.new_list(std::move(items), left.tag);
    }
    if (op == Operator::Add && right.is_sequence() && !left.list->content.is_open && !right.list->content.is_open &&
        parts.size() + right.list->content.items.size() <= kMostComputedItems) {
      std::vector<Value> items = parts;
      items.insert(items.end(), right.list->content.items.begin(), right.list->content.items.end());
      return heap.new_list(std::move(items), left.tag);
    }
    return left.is(Tag::Set) ? Value() : heap.new_open_list(Value(), left.tag);
  }
  if (left.is(Tag::Str)) {
    if (op == Operator::Add && right.is(Tag::Str) && left.number != 0 && right.number != 0) {
      return computed_text(std::string(left.text()) + std::string(right.text()));
    }
    if (op == Operator::Mod && left.number != 0) { // "layer%d" % i
      const std::size_t at = left.text().find('%');
      const auto text =
          as_text(right.is(Tag::Tuple) && right.list->content.items.size() == 1 ? right.list->content.items[0] : right);
      if (text && at != std::string_view::npos && at + 1 < left.text().size() &&
          (left.text()[at + 1] == 'd' || left.text()[at + 1] == 's' || left.text()[at + 1] == 'i') &&
          left.text().find('%', at + 1) == std::string_view::npos) {
        return computed_text(std::string(left.text().substr(0, at)) + *text + std::string(left.text().substr(at + 2)));
      }
    }
    return Value::of_text({});
  }
  if (left.is(Tag::Float) || right.is(Tag::Float) ||
      (op == Operator::Div && (left.is(Tag::Int) || right.is(Tag::Int)))) {
    // What a model is called with are tensors; what other functions are given is often a size or a rate.
    const Frame *const frame = current_frame();
    const std::string_view inside =
        frame != nullptr && frame->function != nullptr ? frame->function->name.text() : std::string_view{};
    const bool is_forward = inside == "forward" || inside == "__call__" || inside == "call";
    const auto may_be_number = [is_forward](const Value &value) {
      return value.is(Tag::Int) || value.is(Tag::Float) ||
             (value.is(Tag::Opaque) && !(is_forward && value.opaque->may_be_tensor));
    };
    if (!may_be_number(left) || !may_be_number(right)) {
      return {};
    }
    if (!is_exact_number(left) || !is_exact_number(right)) {
      // a / b of sizes: int() of it is the quotient
      return Value::some_float();
    }
    const double a = number_of(left);
    const double b = number_of(right);
    switch (op) {
    case Operator::Add:
      return Value::of_float(a + b);
    case Operator::Sub:
      return Value::of_float(a - b);
    case Operator::Mult:
      return Value::of_float(a * b);
    case Operator::Div:
      return b != 0 ? Value::of_float(a / b) : Value();
    case Operator::FloorDiv:
      return b != 0 ? Value::of_float(std::floor(a / b)) : Value();
    case Operator::Mod:
      return b != 0 ? Value::of_float(a - b * std::floor(a / b)) : Value();
    case Operator::Pow:
      return Value::of_float(std::pow(a, b));
    default:
      return {};
    }
  }
  const auto may_be_int = [](const Value &value) { return value.is(Tag::Int) || value.is(Tag::Opaque); };
  if (!may_be_int(left) || !may_be_int(right)) {
    return {};
  }
  const Dim a = as_dim(left);
  const Dim b = as_dim(right);
  switch (op) {
  case Operator::Add:
    return Value::of(terms.add(a, b));
  case Operator::Sub:
    return Value::of(terms.subtract(a, b));
  case Operator::Mult:
    return Value::of(terms.multiply(a, b));
  case Operator::FloorDiv:
    return Value::of(terms.floor_divide(a, b));
  case Operator::Mod:
    return Value::of(terms.modulo(a, b));
  case Operator::Pow: {
    if (!b.is_constant() || b.value < 0 || b.value > 63) {
      return b.is_constant() && b.value < 0 && a.is_constant() && a.value != 0
                 ? Value::of_float(std::pow(static_cast<double>(a.value), static_cast<double>(b.value)))
                 : Value::of(Dim{});
    }
    Dim power = Dim::of(1);
    for (i64 i = 0; i < b.value; ++i) {
      power = terms.multiply(power, a);
    }
    return Value::of(power);
  }
  default: {
    if (!a.is_constant() || !b.is_constant()) {
      return Value::of(Dim{});
    }
    const i64 x = a.value;
    const i64 y = b.value;
    switch (op) {
    case Operator::LShift:
      return y >= 0 && y < 40 && x >= 0 && x < (1 << 20) ? Value::of_int(x << y) : Value::of(Dim{});
    case Operator::RShift:
      return y >= 0 && y < 63 ? Value::of_int(x >> y) : Value::of(Dim{});
    case Operator::BitAnd:
      return Value::of_int(x & y);
    case Operator::BitOr:
      return Value::of_int(x | y);
    case Operator::BitXor:
      return Value::of_int(x ^ y);
    default:
      return {};
    }
  }
  }
}

namespace {

// Two values that are the same whatever happens; or certainly others.
Truth same(Interpreter &in, const Value &a, const Value &b, u32 depth = 0) {
  if (a.is_unknown() || b.is_unknown() || depth > 4) {
    return Truth::Unknown;
  }
  const auto opaque_or = [](const Value &value, Tag tag) { return value.is(Tag::Opaque) || value.is(tag); };
  if (a.is(Tag::Opaque) && b.is(Tag::Opaque) && a.opaque == b.opaque) {
    return Truth::Yes;
  }
  const Value left = as_number(a);
  const Value right = as_number(b);
  if ((left.is(Tag::Int) || right.is(Tag::Int)) && opaque_or(left, Tag::Int) && opaque_or(right, Tag::Int)) {
    if (left.is(Tag::Opaque) || right.is(Tag::Opaque)) {
      in.note_undecided();
      return Truth::Unknown;
    }
    switch (in.terms.compare(left.dim(), right.dim())) {
    case Sign::Zero:
      return Truth::Yes;
    case Sign::Unknown:
      in.note_undecided();
      return Truth::Unknown;
    default:
      return Truth::No;
    }
  }
  if (a.is(Tag::Opaque) || b.is(Tag::Opaque)) {
    return Truth::Unknown;
  }
  if (is_exact_number(left) && is_exact_number(right)) {
    return number_of(left) == number_of(right) ? Truth::Yes : Truth::No;
  }
  if (a.is(Tag::None) || b.is(Tag::None)) {
    return a.is(Tag::None) && b.is(Tag::None) ? Truth::Yes : Truth::No;
  }
  if (a.is(Tag::Str) && b.is(Tag::Str)) {
    return a.number == 0 || b.number == 0 ? Truth::Unknown : a.number == b.number ? Truth::Yes : Truth::No;
  }
  if (a.is_sequence() && b.is_sequence()) {
    const ListContent &x = a.list->content;
    const ListContent &y = b.list->content;
    if (x.is_open || y.is_open) {
      in.note_undecided();
      return Truth::Unknown;
    }
    if (x.items.size() != y.items.size()) {
      return Truth::No;
    }
    Truth all = Truth::Yes;
    for (std::size_t i = 0; i < x.items.size(); ++i) {
      const Truth one = same(in, x.items[i], y.items[i], depth + 1);
      if (one == Truth::No) {
        return Truth::No;
      }
      all = one == Truth::Unknown ? one : all;
    }
    return all;
  }
  if (a.tag == b.tag) {
    switch (a.tag) {
    case Tag::Dtype:
      return a.dtype() == Dtype::Unknown || b.dtype() == Dtype::Unknown ? Truth::Unknown
             : a.small == b.small                                       ? Truth::Yes
                                                                        : Truth::No;
    case Tag::Class:
    case Tag::Function:
    case Tag::Object:
      return a.pointer == b.pointer                           ? Truth::Yes
             : a.is(Tag::Object) && a.object->type != nullptr ? Truth::Unknown
                                                              : Truth::No;
    case Tag::Api:
      return a.number == b.number ? Truth::Yes : Truth::Unknown;
    default:
      return Truth::Unknown;
    }
  }
  const auto is_plain = [](const Value &value) {
    return value.is(Tag::Str) || value.is(Tag::Int) || value.is(Tag::Bool) || value.is(Tag::Float) ||
           value.is_sequence() || value.is(Tag::Dict);
  };
  return is_plain(a) && is_plain(b) && !is_exact_number(left) && !is_exact_number(right) ? Truth::Unknown
         : is_plain(a) && is_plain(b) && (a.is(Tag::Str) != b.is(Tag::Str))              ? Truth::No
                                                                                         : Truth::Unknown;
}

} // namespace

Value Interpreter::compare(CompareOperator op, const Value &left, const Value &right, const Expr *node) {
  const auto negated = [](Truth truth) {
    return truth == Truth::Yes ? Truth::No : truth == Truth::No ? Truth::Yes : truth;
  };
  const bool is_tensor = left.is(Tag::Tensor) || right.is(Tag::Tensor);
  const bool is_identity = op == CompareOperator::Is || op == CompareOperator::IsNot || op == CompareOperator::In ||
                           op == CompareOperator::NotIn;
  if (!is_identity && (is_frame(left) || is_frame(right))) {
    return frame_binary(*this, left, right, true);
  }
  switch (op) {
  case CompareOperator::Is:
  case CompareOperator::IsNot: {
    Truth result = Truth::Unknown;
    if (left.is(Tag::None) || right.is(Tag::None)) {
      const Value &other = left.is(Tag::None) ? right : left;
      result = other.is(Tag::None)                           ? Truth::Yes
               : other.is_unknown() || other.is(Tag::Opaque) ? Truth::Unknown
                                                             : Truth::No;
      if (other.is(Tag::Opaque) && other.opaque->content.tensor != nullptr) {
        result = Truth::No;
      }
    } else if (!is_tensor) {
      result = same(*this, left, right);
    }
    return Value::of(op == CompareOperator::Is ? result : negated(result));
  }
  case CompareOperator::In:
  case CompareOperator::NotIn: {
    Truth result = Truth::Unknown;
    if (right.is_sequence()) {
      result = right.list->content.is_open ? Truth::Unknown : Truth::No;
      for (const Value &item : right.list->content.items) {
        const Truth one = same(*this, left, item);
        if (one == Truth::Yes && !right.list->content.is_open) {
          result = one;
          break;
        }
        result = one == Truth::No ? result : Truth::Unknown;
      }
    } else if (right.is(Tag::Dict)) {
      result = right.dict->content.is_open ? Truth::Unknown : Truth::No;
      for (const auto &[key, value] : right.dict->content.items) {
        const Truth one = same(*this, left, key);
        if (one == Truth::Yes) {
          result = one;
          break;
        }
        result = one == Truth::No ? result : Truth::Unknown;
      }
    } else if (right.is(Tag::Str) && left.is(Tag::Str) && left.number != 0 && right.number != 0) {
      result = right.text().find(left.text()) != std::string_view::npos ? Truth::Yes : Truth::No;
    }
    return Value::of(op == CompareOperator::In ? result : negated(result));
  }
  case CompareOperator::Eq:
  case CompareOperator::NotEq:
    if (is_tensor) {
      break;
    }
    return Value::of(op == CompareOperator::Eq ? same(*this, left, right) : negated(same(*this, left, right)));
  default: {
    if (is_tensor) {
      break;
    }
    const Value a = as_number(left);
    const Value b = as_number(right);
    if (a.is(Tag::Int) && b.is(Tag::Int)) {
      const Sign sign = terms.compare(a.dim(), b.dim());
      if (sign == Sign::Unknown || sign == Sign::NotZero) {
        is_undecided_ = true;
        // a >= 1 of a symbol that is at least 1
        if (b.dim().is_constant() && (op == CompareOperator::GtE || op == CompareOperator::Lt) &&
            terms.is_at_least(a.dim(), b.dim().value)) {
          return Value::of_bool(op == CompareOperator::GtE);
        }
        return Value::of(Truth::Unknown);
      }
      const int order = sign == Sign::Zero ? 0 : sign == Sign::Positive ? 1 : -1;
      return Value::of_bool(op == CompareOperator::Lt    ? order < 0
                            : op == CompareOperator::LtE ? order <= 0
                            : op == CompareOperator::Gt  ? order > 0
                                                         : order >= 0);
    }
    if (is_exact_number(a) && is_exact_number(b)) {
      const double x = number_of(a);
      const double y = number_of(b);
      return Value::of_bool(op == CompareOperator::Lt    ? x < y
                            : op == CompareOperator::LtE ? x <= y
                            : op == CompareOperator::Gt  ? x > y
                                                         : x >= y);
    }
    if (a.is(Tag::Opaque) || b.is(Tag::Opaque)) {
      is_undecided_ = true;
    }
    return Value::of(Truth::Unknown);
  }
  }
  // == of arrays that do not fit is False in TensorFlow and some versions of NumPy.
  const auto is_lenient = [](const Value &value) {
    return value.is(Tag::Tensor) &&
           (value.tensor->library == Library::TensorFlow || value.tensor->library == Library::Numpy);
  };
  const bool is_equality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
  const auto run = [&] { return tensor_binary(Operator::Add, left, right, node); };
  const bool is_silent = is_equality && (is_lenient(left) || is_lenient(right));
  Value result = is_silent ? quietly(run) : run();
  if (result.is(Tag::Tensor)) {
    Tensor answer = *result.tensor;
    answer.dtype = Dtype::Bool;
    answer.grad = Truth::No;
    return plain_tensor(answer);
  }
  return result;
}

} // namespace deepperf::shapes
