#include "model/constant_folding.h"

#include "python/literals.h"

#include <cmath>

namespace deepperf::model {

using namespace python;

namespace {

// `64 * 7 * 7`; nothing where it does not fit.
std::optional<i64> folded(Operator op, i64 left, i64 right) {
  i64 result = 0;
  switch (op) {
  case Operator::Add:
    return __builtin_add_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case Operator::Sub:
    return __builtin_sub_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case Operator::Mult:
    return __builtin_mul_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case Operator::FloorDiv:
    return left >= 0 && right > 0 ? std::optional(left / right) : std::nullopt;
  case Operator::Mod:
    return left >= 0 && right > 0 ? std::optional(left % right) : std::nullopt;
  case Operator::Pow:
    if (right < 0) {
      return std::nullopt;
    }
    for (result = 1; right > 0; --right) {
      if (__builtin_mul_overflow(result, left, &result) || right > 62) {
        return std::nullopt;
      }
    }
    return result;
  default:
    return std::nullopt;
  }
}

std::optional<double> folded(Operator op, double left, double right) {
  switch (op) {
  case Operator::Add:
    return left + right;
  case Operator::Sub:
    return left - right;
  case Operator::Mult:
    return left * right;
  case Operator::Div:
    return right != 0 ? std::optional(left / right) : std::nullopt;
  case Operator::Pow:
    return std::pow(left, right);
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<ConstantValue> folded(Operator op, const ConstantValue &left, const ConstantValue &right) {
  std::optional<ConstantValue> result;
  if (left.as_integer().has_value() && right.as_integer().has_value() && op != Operator::Div) {
    if (const auto whole = folded(op, left.integer, right.integer)) {
      result = ConstantValue::of(*whole);
    } else if (op == Operator::Pow && right.integer < 0 && left.integer != 0) { // 10 ** -3
      result = ConstantValue::of(std::pow(static_cast<double>(left.integer), static_cast<double>(right.integer)));
    }
  } else if (left.as_number().has_value() && right.as_number().has_value()) {
    if (const auto number = folded(op, *left.as_number(), *right.as_number())) {
      result = ConstantValue::of(*number);
    }
  } else if (left.as_string().has_value() && right.as_string().has_value() && op == Operator::Add) {
    result = ConstantValue::of(left.text + right.text);
  }
  if (result.has_value()) {
    result->overridable = left.overridable || right.overridable;
  }
  return result;
}

std::optional<ConstantValue> literal_value(const Module &module, const Constant &constant) {
  const Source &source = module.parsed->source;
  const std::string_view text = source.part(constant.start, constant.end);
  switch (constant.constant_kind()) {
  case ConstantKind::None:
    return ConstantValue::none();
  case ConstantKind::True:
    return ConstantValue::of(true);
  case ConstantKind::False:
    return ConstantValue::of(false);
  case ConstantKind::Int:
    if (const auto value = int_value(text)) {
      return ConstantValue::of(*value);
    }
    return std::nullopt;
  case ConstantKind::Float:
    return ConstantValue::of(float_value(text));
  case ConstantKind::Str:
    return ConstantValue::of(string_value(source, static_cast<const StringConstant &>(constant)));
  default:
    return std::nullopt;
  }
}

std::optional<ConstantValue> extended(const ConstantValue &text, const ConstantValue &part) {
  const std::optional<i64> whole = part.as_integer();
  const std::optional<std::string> added = part.as_string().has_value() ? part.as_string()
                                           : whole.has_value()          ? std::optional(std::to_string(*whole))
                                                                        : std::nullopt;
  if (!added.has_value() || !text.as_string().has_value() || part.as_bool().has_value()) {
    return std::nullopt;
  }
  ConstantValue result = ConstantValue::of(*text.as_string() + *added);
  result.overridable = text.overridable || part.overridable;
  return result;
}

std::optional<ConstantValue> compared(CompareOperator op, const ConstantValue &left, const ConstantValue &right) {
  const auto answer = [&](bool holds) {
    ConstantValue result = ConstantValue::of(holds);
    result.overridable = left.overridable || right.overridable;
    return result;
  };
  const bool has_none = left.is_none() || right.is_none();
  const std::optional<double> a = left.as_number();
  const std::optional<double> b = right.as_number();
  const bool is_order = op == CompareOperator::Lt || op == CompareOperator::LtE || op == CompareOperator::Gt ||
                        op == CompareOperator::GtE;
  if (is_order) {
    if (!a.has_value() || !b.has_value()) {
      return std::nullopt;
    }
    return answer(op == CompareOperator::Lt    ? *a < *b
                  : op == CompareOperator::LtE ? *a <= *b
                  : op == CompareOperator::Gt  ? *a > *b
                                               : *a >= *b);
  }
  const bool is_identity = op == CompareOperator::Is || op == CompareOperator::IsNot;
  if (!is_identity && op != CompareOperator::Eq && op != CompareOperator::NotEq) {
    return std::nullopt;
  }
  if (!has_none && left.type != right.type && !(a.has_value() && b.has_value())) {
    return std::nullopt; // True == 1
  }
  const bool is_same = a.has_value() && b.has_value() ? *a == *b : left.same_as(right);
  return answer(is_same == (op == CompareOperator::Eq || op == CompareOperator::Is));
}

} // namespace deepperf::model
