#include "rules/origin_frames.h"

#include "model/constants.h"
#include "model/definitions.h"
#include "model/variance.h"
#include "python/children.h"

#include <algorithm>
#include <optional>

namespace deepperf::rules {

using namespace python;
using model::ConstantValue;
using model::FunctionInfo;

namespace {

class BranchSearch {
public:
  BranchSearch(const model::Project &project, const OriginFrame &frame) : project_(project), frame_(frame) {}

  void block(const Block &statements) {
    for (const Stmt *statement : statements) {
      if (visit(*statement) && statement != statements.back()) { // what follows is not reached
        leave_out(statement->end, statements.back()->end);
        return;
      }
    }
  }

  std::vector<Span> found;

private:
  void leave_out(u32 start, u32 end) {
    if (start < end) {
      found.push_back({start, end});
    }
  }

  void leave_out(const Block &statements) {
    if (!statements.empty()) {
      leave_out(statements.front()->start, statements.back()->end);
    }
  }

  static bool leaves(const Block &statements) {
    return !statements.empty() &&
           (statements.back()->kind == NodeKind::Return || statements.back()->kind == NodeKind::Raise);
  }

  // Does the function end here, for this call?
  bool visit(const Stmt &statement) {
    const auto *branch = as<If>(&statement);
    if (branch == nullptr) {
      for_each_child(&statement, [this](const Node *child) { look(child); });
      return false;
    }
    const std::optional<bool> answer = answer_of(branch->test);
    if (!answer.has_value()) {
      block(branch->body);
      block(branch->orelse);
      return false;
    }
    leave_out(*answer ? branch->orelse : branch->body);
    block(*answer ? branch->body : branch->orelse);
    return leaves(*answer ? branch->body : branch->orelse);
  }

  // `a if train else b`, and statements of blocks inside.
  void look(const Node *node) {
    if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
      return;
    }
    if (const auto *branch = as<If>(node)) {
      visit(*branch);
      return;
    }
    if (const auto *choice = as<IfExp>(node)) {
      if (const std::optional<bool> answer = answer_of(choice->test)) {
        const Expr *const other = *answer ? choice->orelse : choice->body;
        leave_out(other->start, other->end);
      }
    }
    for_each_child(node, [this](const Node *child) { look(child); });
  }

  // What the call passes for a parameter that nothing else is assigned to.
  static std::optional<ConstantValue> passed(const model::Project &project, const OriginFrame &frame, Symbol name) {
    const FunctionInfo &callee = *frame.callee;
    const u32 place = callee.place_of_param(name);
    const auto &all = model::definitions_of(project).bindings;
    const auto bound = all.find(&callee);
    const bool is_assigned =
        bound != all.end() &&
        std::ranges::binary_search(bound->second, name.id, {}, [](const model::Binding &one) { return one.name.id; });
    if (place == FunctionInfo::kNoParam || is_assigned ||
        std::ranges::any_of(frame.call->args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; }) ||
        std::ranges::any_of(frame.call->keywords, [](const Keyword *given) { return !given->name; })) {
      return std::nullopt;
    }
    const Expr *const given = model::passed_argument(*frame.call, callee, frame.bound, place);
    const auto *forwarded = as<Name>(given);
    if (forwarded != nullptr && frame.caller->place_of_param(forwarded->id) != FunctionInfo::kNoParam) {
      return frame.outer != nullptr && frame.outer->callee == frame.caller
                 ? passed(project, *frame.outer, forwarded->id)
                 : std::nullopt;
    }
    const Expr *const fallback = callee.params[place]->default_value;
    const Expr *const value = given != nullptr ? given : fallback;
    const FunctionInfo *const where = given != nullptr ? frame.caller : callee.parent;
    std::optional<ConstantValue> constant = value != nullptr && where != nullptr
                                                ? model::constant_of(model::scope_of(project, *where), value)
                                                : std::nullopt;
    return constant.has_value() && !constant->overridable ? constant : std::nullopt;
  }

  std::optional<bool> answer_of(const Expr *test) const {
    if (const auto *name = as<Name>(test)) {
      const auto value = passed(project_, frame_, name->id);
      return value.has_value() ? std::optional(value->is_true()) : std::nullopt;
    }
    if (const auto *negated = as<UnaryOp>(test); negated != nullptr && negated->op() == UnaryOperator::Not) {
      const auto answer = answer_of(negated->operand);
      return answer.has_value() ? std::optional(!*answer) : std::nullopt;
    }
    const auto *comparison = as<Compare>(test);
    const auto *name = comparison != nullptr && comparison->rest.size() == 1 ? as<Name>(comparison->left) : nullptr;
    const auto value = name != nullptr ? passed(project_, frame_, name->id) : std::nullopt;
    const auto other = value.has_value()
                           ? model::constant_of(model::scope_of(project_, *frame_.callee), comparison->rest[0].right)
                           : std::nullopt;
    if (!other.has_value() || other->overridable) {
      return std::nullopt;
    }
    switch (comparison->rest[0].op) {
    case CompareOperator::Eq:
    case CompareOperator::Is:
      return value->same_as(*other);
    case CompareOperator::NotEq:
    case CompareOperator::IsNot:
      return !value->same_as(*other);
    default:
      return std::nullopt;
    }
  }

  const model::Project &project_;
  const OriginFrame &frame_;
};

} // namespace

std::vector<Span> unreached_parts(const model::Project &project, const OriginFrame &frame) {
  const FunctionDef *const definition = frame.callee->definition();
  if (definition == nullptr || frame.callee->params.empty()) {
    return {};
  }
  BranchSearch search(project, frame);
  search.block(definition->body);
  return std::move(search.found);
}

} // namespace deepperf::rules
