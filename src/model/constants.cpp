// Which constant is an expression: literals, operators, and the calls that compute one.
#include "model/constants.h"

#include "model/constant_evaluator.h"
#include "model/constant_folding.h"
#include "python/call.h"

#include <cmath>

namespace deepperf::model {

using namespace python;

// What a part of an f-string puts into it: a text as it is, or `x` of `{x}`; null if it is formatted in another way.
const Expr *ConstantEvaluator::formatted(const Expr *part) {
  const auto *value = as<FormattedValue>(part);
  if (value == nullptr) {
    return part;
  }
  return value->format_spec == nullptr && value->conversion() == 0 && !value->is_debug() ? value->value : nullptr;
}

std::optional<ConstantValue> ConstantEvaluator::constant(const Scope &at, const Expr *expr, u32 depth) {
  if (expr == nullptr || depth > kMostDepth || ++steps_ > kMostSteps) {
    return std::nullopt;
  }
  switch (expr->kind) {
  case NodeKind::Constant:
    return literal_value(*at.module, *static_cast<const Constant *>(expr));
  case NodeKind::UnaryOp:
    return unary(at, *static_cast<const UnaryOp *>(expr), depth);
  case NodeKind::BinOp: {
    const auto *operation = static_cast<const BinOp *>(expr);
    const Maybe left = constant(at, operation->left, depth + 1);
    const Maybe right = left.has_value() ? constant(at, operation->right, depth + 1) : std::nullopt;
    return right.has_value() ? folded(operation->op(), *left, *right) : std::nullopt;
  }
  case NodeKind::JoinedStr: {
    Maybe text = ConstantValue::of(std::string());
    for (const Expr *part : static_cast<const JoinedStr *>(expr)->values) {
      const Maybe value = text.has_value() ? constant(at, formatted(part), depth + 1) : std::nullopt;
      text = value.has_value() ? extended(*text, *value) : std::nullopt;
    }
    return static_cast<const JoinedStr *>(expr)->is_template() ? std::nullopt : text;
  }
  case NodeKind::BoolOp:
    return either(at, *static_cast<const BoolOp *>(expr), depth);
  case NodeKind::Compare:
    return compared(at, *static_cast<const Compare *>(expr), depth);
  case NodeKind::Call:
    if (const Maybe value = computed(at, *static_cast<const Call *>(expr), depth)) {
      return value;
    }
    [[fallthrough]];
  case NodeKind::Name:
  case NodeKind::Attribute:
  case NodeKind::Subscript:
  case NodeKind::IfExp:
  case NodeKind::NamedExpr: {
    const Sources found = sources(at, expr, depth);
    return joined(found.given, found.presets, found.unknown, depth);
  }
  default:
    return std::nullopt;
  }
}

std::optional<ConstantValue> ConstantEvaluator::joined(const std::vector<Given> &given,
                                                       const std::vector<ConstantValue> &presets, bool unknown,
                                                       u32 depth) {
  if (unknown || given.size() + presets.size() > kMostSources) {
    return std::nullopt;
  }
  Maybe result;
  const auto add = [&result](ConstantValue value) {
    if (result.has_value()) {
      value.overridable |= result->overridable;
      if (!result->same_as(value)) {
        return false;
      }
    }
    result = std::move(value);
    return true;
  };
  for (const Given &one : given) {
    Maybe value = constant(one.scope, one.expr, depth + 1);
    if (!value.has_value()) {
      return std::nullopt;
    }
    value->overridable |= one.overridable;
    if (!add(std::move(*value))) {
      return std::nullopt;
    }
  }
  for (const ConstantValue &preset : presets) {
    if (!add(preset)) {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<ConstantValue> ConstantEvaluator::unary(const Scope &at, const UnaryOp &operation, u32 depth) {
  Maybe value = constant(at, operation.operand, depth + 1);
  if (!value.has_value()) {
    return std::nullopt;
  }
  switch (operation.op()) {
  case UnaryOperator::Not: {
    ConstantValue negated = ConstantValue::of(!value->is_true());
    negated.overridable = value->overridable;
    return negated;
  }
  case UnaryOperator::USub:
    if (!value->as_number().has_value()) {
      return std::nullopt;
    }
    value->integer = -value->integer;
    value->number = -value->number;
    return value;
  case UnaryOperator::UAdd:
    return value->as_number().has_value() ? value : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<ConstantValue> ConstantEvaluator::either(const Scope &at, const BoolOp &operation, u32 depth) {
  Maybe value;
  bool overridable = false;
  for (const Expr *part : operation.values) {
    value = constant(at, part, depth + 1);
    if (!value.has_value()) {
      return std::nullopt;
    }
    overridable |= value->overridable;
    if (value->is_true() == (operation.op() == BoolOperator::Or)) {
      break;
    }
  }
  if (value.has_value()) {
    value->overridable = overridable;
  }
  return value;
}

std::optional<ConstantValue> ConstantEvaluator::compared(const Scope &at, const Compare &comparison, u32 depth) {
  const Maybe left = comparison.rest.size() == 1 ? constant(at, comparison.left, depth + 1) : std::nullopt;
  const Maybe right = left.has_value() ? constant(at, comparison.rest[0].right, depth + 1) : std::nullopt;
  return right.has_value() ? model::compared(comparison.rest[0].op, *left, *right) : std::nullopt;
}

std::optional<ConstantValue> ConstantEvaluator::computed(const Scope &at, const Call &call, u32 depth) {
  const std::string_view api = api_of(call);
  if (api == "int" || api == "float" || api == "bool" || api == "str") {
    const Maybe value = call.args.size() == 1 ? constant(at, call.args[0], depth + 1) : std::nullopt;
    if (!value.has_value()) {
      return std::nullopt;
    }
    Maybe result;
    if (api == "int" && value->as_number().has_value() && std::abs(*value->as_number()) < 1e15) {
      result = ConstantValue::of(static_cast<i64>(*value->as_number()));
    } else if (api == "float" && value->as_number().has_value()) {
      result = ConstantValue::of(*value->as_number());
    } else if (api == "bool") {
      result = ConstantValue::of(value->is_true());
    } else if (api == "str" && value->as_string().has_value()) {
      result = value;
    }
    if (result.has_value()) {
      result->overridable = value->overridable;
    }
    return result;
  }
  if ((api == "min" || api == "max") && call.args.size() >= 2 && call.keywords.empty()) {
    Maybe best;
    bool overridable = false;
    for (const Expr *arg : call.args) {
      const Maybe value = constant(at, arg, depth + 1);
      if (!value.has_value() || !value->as_number().has_value()) {
        return std::nullopt;
      }
      overridable |= value->overridable;
      if (!best.has_value() ||
          (api == "min" ? *value->as_number() < *best->as_number() : *value->as_number() > *best->as_number())) {
        best = value;
      }
    }
    best->overridable = overridable;
    return best;
  }
  return std::nullopt;
}

std::optional<ConstantValue> constant_of(const Scope &scope, const Expr *expr) {
  if (const auto *constant = as<Constant>(expr)) {
    return literal_value(*scope.module, *constant);
  }
  return ConstantEvaluator(*scope.project).constant(scope, expr);
}

Argument argument_of(const Scope &scope, const Call &call, u32 position, std::string_view keyword) {
  return ConstantEvaluator(*scope.project).argument(scope, call, position, keyword);
}

std::optional<ConstantValue> constant_of(const Project &project, const Argument &argument,
                                         const ConstantValue &otherwise) {
  std::vector<ConstantValue> presets;
  if (argument.may_be_absent || argument.given.empty()) {
    presets.push_back(otherwise);
  }
  return ConstantEvaluator(project).joined(argument.given, presets, argument.unknown, 0);
}

std::vector<Argument::Given> written_as(const Scope &scope, const Expr *expr) {
  ConstantSources found;
  ConstantEvaluator(*scope.project).written(scope, expr, false, 0, found);
  if (found.unknown || !found.presets.empty()) {
    return {};
  }
  return std::move(found.given);
}

} // namespace deepperf::model
