// Everything that an expression may be, where `constant_of` knows no single answer.
#include "model/constant_evaluator.h"
#include "model/constant_folding.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

constexpr std::size_t kMostChoices = 16;

void add(ConstantChoices &into, ConstantValue value) {
  if (std::ranges::any_of(into.values, [&](const ConstantValue &known) { return known.same_as(value); })) {
    return;
  }
  if (into.values.size() >= kMostChoices) {
    into.unknown = true;
    return;
  }
  into.values.push_back(std::move(value));
}

// What an operator makes of each pair.
template <class Fold> ConstantChoices combined(const ConstantChoices &left, const ConstantChoices &right, Fold fold) {
  ConstantChoices result;
  result.unknown = left.unknown || right.unknown;
  for (const ConstantValue &a : left.values) {
    for (const ConstantValue &b : right.values) {
      if (std::optional<ConstantValue> value = fold(a, b)) {
        add(result, std::move(*value));
      } else {
        result.unknown = true;
      }
    }
  }
  return result;
}

} // namespace

bool ConstantChoices::may_be_true() const {
  return std::ranges::any_of(values, [](const ConstantValue &value) { return value.is_true(); });
}

ConstantChoices ConstantEvaluator::choices(const Scope &at, const Expr *expr, u32 depth) {
  ConstantChoices result;
  if (expr == nullptr || depth > kMostDepth || steps_ > kMostSteps) {
    result.unknown = true;
    return result;
  }
  if (Maybe value = constant(at, expr, depth)) {
    result.values.push_back(std::move(*value));
    return result;
  }
  switch (expr->kind) {
  case NodeKind::BinOp: {
    const auto *operation = static_cast<const BinOp *>(expr);
    return combined(choices(at, operation->left, depth + 1), choices(at, operation->right, depth + 1),
                    [&](const ConstantValue &a, const ConstantValue &b) { return folded(operation->op(), a, b); });
  }
  case NodeKind::JoinedStr: {
    result.values.push_back(ConstantValue::of(std::string()));
    for (const Expr *part : static_cast<const JoinedStr *>(expr)->values) {
      result = combined(result, choices(at, formatted(part), depth + 1), model::extended);
    }
    return result;
  }
  case NodeKind::Compare: {
    const auto *comparison = static_cast<const Compare *>(expr);
    if (comparison->rest.size() != 1) {
      result.unknown = true;
      return result;
    }
    return combined(
        choices(at, comparison->left, depth + 1), choices(at, comparison->rest[0].right, depth + 1),
        [&](const ConstantValue &a, const ConstantValue &b) { return model::compared(comparison->rest[0].op, a, b); });
  }
  case NodeKind::UnaryOp: {
    const auto *operation = static_cast<const UnaryOp *>(expr);
    const ConstantChoices operand = choices(at, operation->operand, depth + 1);
    result.unknown = operand.unknown || operation->op() != UnaryOperator::Not;
    for (const ConstantValue &value : operand.values) {
      if (operation->op() == UnaryOperator::Not) {
        add(result, ConstantValue::of(!value.is_true()));
      }
    }
    return result;
  }
  case NodeKind::Name:
  case NodeKind::Attribute:
  case NodeKind::Subscript:
  case NodeKind::IfExp:
  case NodeKind::NamedExpr:
  case NodeKind::Call: {
    const Sources found = sources(at, expr, depth);
    result.unknown = found.unknown;
    for (const ConstantValue &preset : found.presets) {
      add(result, preset);
    }
    for (const Given &one : found.given) {
      const ConstantChoices given = choices(one.scope, one.expr, depth + 1);
      result.unknown |= given.unknown;
      for (ConstantValue value : given.values) {
        value.overridable |= one.overridable;
        add(result, std::move(value));
      }
    }
    return result;
  }
  default:
    result.unknown = true;
    return result;
  }
}

ConstantChoices choices_of(const Scope &scope, const Expr *expr) {
  return ConstantEvaluator(*scope.project).choices(scope, expr);
}

} // namespace deepperf::model
