#include "model/exclusion.h"

#include "model/variance.h"
#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>
#include <optional>
#include <string>

namespace deepperf::model {

using namespace python;

namespace {

bool contains(const Node *outer, const Node *inner) { return outer->start <= inner->start && inner->end <= outer->end; }

bool binds(const Node *node, Symbol name) {
  const auto *plain = as<Name>(node);
  bool found = plain != nullptr && plain->id == name && plain->context != Context::Load;
  for_each_child(node, [&](const Node *child) { found = found || binds(child, name); });
  return found;
}

struct Literal {
  ConstantKind kind = ConstantKind::None;
  std::string text; // of a string what it holds, of a number how it is written
};

std::optional<Literal> literal_of(const Source &source, const Expr *expr) {
  const auto *constant = as<Constant>(expr);
  if (constant == nullptr) {
    return std::nullopt;
  }
  const StringConstant *const string = as_string(expr);
  return Literal{constant->constant_kind(),
                 string != nullptr ? string_value(source, *string) : std::string(source.part(expr->start, expr->end))};
}

std::optional<bool> truth_of(const Literal &literal) {
  switch (literal.kind) {
  case ConstantKind::None:
  case ConstantKind::False:
    return false;
  case ConstantKind::True:
    return true;
  case ConstantKind::Str:
    return !literal.text.empty();
  case ConstantKind::Int: {
    const auto number = int_value(literal.text);
    return number.has_value() ? std::optional(*number != 0) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

std::optional<bool> are_equal(const Literal &a, const Literal &b) {
  if (a.kind == b.kind && a.text == b.text) {
    return true;
  }
  const bool comparable = a.kind == b.kind ? a.kind == ConstantKind::Str || a.kind == ConstantKind::Int
                                           : a.kind == ConstantKind::None || b.kind == ConstantKind::None;
  return comparable ? std::optional(false) : std::nullopt;
}

// What tests in the callee give for one call.
class Tests {
public:
  explicit Tests(const Arguments &arguments)
      : arguments_(arguments), source_(arguments.callee->module->parsed->source) {}

  [[nodiscard]] std::optional<bool> result_of(const Expr *test) const {
    if (const auto *unary = as<UnaryOp>(test); unary != nullptr && unary->op() == UnaryOperator::Not) {
      const std::optional<bool> result = result_of(unary->operand);
      return result.has_value() ? std::optional(!*result) : std::nullopt;
    }
    if (const auto *several = as<BoolOp>(test)) {
      const bool decisive = several->op() == BoolOperator::Or; // one that is so settles it
      bool all_known = true;
      for (const Expr *part : several->values) {
        const std::optional<bool> result = result_of(part);
        if (result == decisive) {
          return decisive;
        }
        all_known &= result.has_value();
      }
      return all_known ? std::optional(!decisive) : std::nullopt;
    }
    if (const auto *compare = as<Compare>(test)) {
      return compare->rest.size() == 1 ? result_of(compare->left, compare->rest[0]) : std::nullopt;
    }
    const std::optional<Literal> literal = value_of(test);
    return literal.has_value() ? truth_of(*literal) : std::nullopt;
  }

private:
  [[nodiscard]] std::optional<bool> result_of(const Expr *left, const CompareItem &item) const {
    const bool negated = item.op == CompareOperator::NotEq || item.op == CompareOperator::IsNot;
    if (!negated && item.op != CompareOperator::Eq && item.op != CompareOperator::Is) {
      return std::nullopt;
    }
    const std::optional<Literal> a = value_of(left);
    const std::optional<Literal> b = value_of(item.right);
    const std::optional<bool> equal = a.has_value() && b.has_value() ? are_equal(*a, *b) : std::nullopt;
    return equal.has_value() ? std::optional(*equal != negated) : std::nullopt;
  }

  // A literal, or a parameter for which one is passed and that nothing in the function changes.
  [[nodiscard]] std::optional<Literal> value_of(const Expr *expr) const {
    const auto *name = as<Name>(expr);
    if (name == nullptr) {
      return literal_of(source_, expr);
    }
    const FunctionInfo &callee = *arguments_.callee;
    const Call *const call = arguments_.call;
    const auto param = std::ranges::find(callee.params, name->id, &Param::name);
    if (param == callee.params.end() || (*param)->param_kind() == ParamKind::VarArgs ||
        (*param)->param_kind() == ParamKind::KwArgs || (call != nullptr && has_hidden_arguments(*call)) ||
        binds(callee.node, name->id)) {
      return std::nullopt;
    }
    const auto index = static_cast<u32>(param - callee.params.begin());
    const Expr *const passed = call != nullptr ? passed_argument(*call, callee, arguments_.bound, index) : nullptr;
    if (passed != nullptr) {
      return literal_of(*arguments_.from, passed);
    }
    return (*param)->default_value != nullptr ? literal_of(source_, (*param)->default_value) : std::nullopt;
  }

  const Arguments &arguments_;
  const Source &source_;
};

bool leaves(const Block &block) {
  return !block.empty() && (block.back()->kind == NodeKind::Return || block.back()->kind == NodeKind::Raise);
}

bool is_skipped(const Tests &tests, const Node *node, const Node *place) {
  // `if mode == "train": …; return`, and only then the place.
  const auto *before = as<If>(node);
  if (before != nullptr && before->end <= place->start) {
    return leaves(before->body) && tests.result_of(before->test) == true;
  }
  if (!contains(node, place)) {
    return false;
  }
  if (const auto *branch = as<If>(node)) {
    const auto has_place = [place](const Stmt *part) { return contains(part, place); };
    const bool excluded = std::ranges::any_of(branch->body, has_place)     ? tests.result_of(branch->test) == false
                          : std::ranges::any_of(branch->orelse, has_place) ? tests.result_of(branch->test) == true
                                                                           : false;
    if (excluded) {
      return true;
    }
  } else if (const auto *choice = as<IfExp>(node)) {
    if ((contains(choice->body, place) && tests.result_of(choice->test) == false) ||
        (contains(choice->orelse, place) && tests.result_of(choice->test) == true)) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || is_skipped(tests, child, place); });
  return found;
}

} // namespace

std::optional<bool> result_of(const Arguments &arguments, const Expr *test) { return Tests(arguments).result_of(test); }

bool excludes(const CallSite &site, const Node *place) {
  const Node *const callee = site.callee->node;
  const Arguments arguments{site.callee, site.call, &site.caller->module->parsed->source, site.bound};
  return callee != nullptr && contains(callee, place) && is_skipped(Tests(arguments), callee, place);
}

} // namespace deepperf::model
