#include "model/exclusion.h"

#include "base/steps.h"
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

// Notes which parameters the function binds to something else. Whatever names something counts, also in functions
// inside.
class Rebinding {
public:
  explicit Rebinding(const FunctionInfo &function) : params_(function.params) {
    for_each_child(function.node, [this](const Node *child) { look(child); });
  }
  u64 found = 0;

private:
  void look(const Node *node) {
    switch (node->kind) {
    case NodeKind::Name:
      if (static_cast<const Name *>(node)->context != Context::Load) {
        note(static_cast<const Name *>(node)->id);
      }
      return;
    case NodeKind::FunctionDef:
      note(static_cast<const FunctionDef *>(node)->name);
      break;
    case NodeKind::ClassDef:
      note(static_cast<const ClassDef *>(node)->name);
      break;
    case NodeKind::Import:
      note_all(static_cast<const Import *>(node)->names);
      return;
    case NodeKind::ImportFrom:
      note_all(static_cast<const ImportFrom *>(node)->names);
      return;
    case NodeKind::ExceptHandler:
      note(static_cast<const ExceptHandler *>(node)->name);
      break;
    case NodeKind::Match:
      found = ~u64{0}; // what its patterns capture
      return;
    default:
      break;
    }
    for_each_child(node, [this](const Node *child) { look(child); });
  }

  void note_all(const Array<Alias *> &aliases) {
    for (const Alias *alias : aliases) {
      note(alias->asname ? alias->asname : alias->name);
    }
  }

  void note(Symbol name) {
    for (u32 i = 0; i < params_.size() && i < 64; ++i) {
      found |= params_[i]->name == name ? u64{1} << i : 0;
    }
  }

  const Array<Param *> params_;
};

} // namespace

bool is_rebound(const FunctionInfo &function, u32 param) {
  const u64 *rebound = function.rebound.get_local();
  if (rebound == nullptr) {
    const SharedWork shared;
    rebound = &function.rebound.set(std::make_unique<const u64>(Rebinding(function).found));
  }
  return param >= 64 || (*rebound >> param & 1U) != 0;
}

namespace {

struct Literal {
  ConstantKind kind = ConstantKind::None;
  std::string text; // of a string what it holds, of an integer its decimal digits
};

std::optional<Literal> literal_of(const Source &source, const Expr *expr) {
  const auto *constant = as<Constant>(expr);
  if (constant == nullptr) {
    return std::nullopt;
  }
  Literal literal{constant->constant_kind(), std::string(source.part(expr->start, expr->end))};
  if (const StringConstant *const string = as_string(expr)) {
    literal.text = string_value(source, *string);
  } else if (literal.kind == ConstantKind::Int) {
    const auto number = int_value(literal.text);
    if (!number.has_value()) {
      return std::nullopt;
    }
    literal.text = std::to_string(*number);
  }
  return literal;
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
  case ConstantKind::Int:
    return literal.text != "0";
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
    const u32 index = callee.place_of_param(name->id);
    const Param *const param = index != FunctionInfo::kNoParam ? callee.params[index] : nullptr;
    if (param == nullptr || param->param_kind() == ParamKind::VarArgs || param->param_kind() == ParamKind::KwArgs ||
        (call != nullptr && has_hidden_arguments(*call))) {
      return std::nullopt;
    }
    if (is_rebound(callee, index) || (call == nullptr && !has_default_for_element(callee, *param))) {
      return std::nullopt;
    }
    const Expr *const passed = call != nullptr ? passed_argument(*call, callee, arguments_.bound, index) : nullptr;
    if (passed != nullptr) {
      return literal_of(*arguments_.from, passed);
    }
    return param->default_value != nullptr ? literal_of(source_, param->default_value) : std::nullopt;
  }

  // A mapped function gets the parts of an element, of which there are rarely more than two: after two parameters that
  // need one, a default is a setting.
  static bool has_default_for_element(const FunctionInfo &callee, const Param &param) {
    const auto needed = std::ranges::count_if(callee.params, [](const Param *other) {
      return other->default_value == nullptr &&
             (other->param_kind() == ParamKind::Regular || other->param_kind() == ParamKind::PositionalOnly);
    });
    const bool has_object = callee.type != nullptr && !callee.is_static;
    return param.param_kind() == ParamKind::KeywordOnly || needed - (has_object ? 1 : 0) >= 2;
  }

  const Arguments &arguments_;
  const Source &source_;
};

bool leaves_block(const Block &block) {
  return !block.empty() && (block.back()->kind == NodeKind::Return || block.back()->kind == NodeKind::Raise);
}

// Looks for what keeps a place from running.
class Skips {
public:
  Skips(const Tests &tests, const Node *place) : tests_(tests), place_(place) {}

  // `if mode == "train": …; return`, and only then the place.
  [[nodiscard]] bool in_block(const Block &block) const {
    const auto behind = std::ranges::lower_bound(block, place_->start, {}, &Stmt::end);
    if (behind == block.end() || !contains(*behind, place_)) {
      return false;
    }
    return std::any_of(block.begin(), behind,
                       [this](const Stmt *before) {
                         const auto *guard = as<If>(before);
                         return guard != nullptr && leaves_block(guard->body) && tests_.result_of(guard->test) == true;
                       }) ||
           in_node(*behind);
  }

private:
  [[nodiscard]] bool in_node(const Node *node) const {
    if (!contains(node, place_)) {
      return false;
    }
    switch (node->kind) {
    case NodeKind::If: {
      const auto *branch = static_cast<const If *>(node);
      const auto has_place = [this](const Stmt *part) { return contains(part, place_); };
      const bool in_body = std::ranges::any_of(branch->body, has_place);
      if ((in_body || std::ranges::any_of(branch->orelse, has_place)) && tests_.result_of(branch->test) == !in_body) {
        return true;
      }
      return in_block(branch->body) || in_block(branch->orelse);
    }
    case NodeKind::IfExp: {
      const auto *choice = static_cast<const IfExp *>(node);
      if ((contains(choice->body, place_) && tests_.result_of(choice->test) == false) ||
          (contains(choice->orelse, place_) && tests_.result_of(choice->test) == true)) {
        return true;
      }
      break;
    }
    case NodeKind::For:
      return in_block(static_cast<const For *>(node)->body);
    case NodeKind::While:
      return in_block(static_cast<const While *>(node)->body);
    case NodeKind::With:
      return in_block(static_cast<const With *>(node)->body);
    case NodeKind::Try:
      return in_block(static_cast<const Try *>(node)->body);
    case NodeKind::FunctionDef:
    case NodeKind::Lambda:
    case NodeKind::ClassDef:
      return false; // which may run later
    default:
      break;
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || in_node(child); });
    return found;
  }

  const Tests &tests_;
  const Node *place_;
};

} // namespace

std::optional<bool> result_of(const Arguments &arguments, const Expr *test) { return Tests(arguments).result_of(test); }

bool excludes(const CallSite &site, const Node *place) {
  const FunctionDef *const callee = site.callee->definition();
  const Arguments arguments{site.callee, site.call, &site.caller->module->parsed->source, site.bound};
  return callee != nullptr && contains(callee, place) && Skips(Tests(arguments), place).in_block(callee->body);
}

} // namespace deepperf::model
