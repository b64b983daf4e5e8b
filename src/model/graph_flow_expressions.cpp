// On which graphs does the value of an expression hang?
#include "base/name_table.h"
#include "model/graph_flow_walker.h"
#include "python/children.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

u64 *GraphFlowWalker::slot(const Expr *expr) {
  const auto *name = as<Name>(expr);
  const u32 at = name != nullptr ? function_.slot_of(name->id) : FunctionInfo::kNoSlot;
  return at != FunctionInfo::kNoSlot ? &environment_[at] : nullptr;
}

bool GraphFlowWalker::is_shared(Symbol name) const {
  return std::ranges::find(function_.globals, name) != function_.globals.end();
}

u64 GraphFlowWalker::eval(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Name: {
    const u64 *const known = slot(expr);
    return known != nullptr ? *known : 0;
  }
  case NodeKind::Attribute:
    return attribute(static_cast<const Attribute *>(expr));
  case NodeKind::Call:
    return call(static_cast<const Call *>(expr), false);
  case NodeKind::Constant:
    return 0;
  case NodeKind::Compare: {
    u64 bits = 0;
    for_each_child(expr, [&](const Node *child) { bits |= eval(static_cast<const Expr *>(child)); });
    const auto *comparison = static_cast<const Compare *>(expr);
    if (comparison->rest[0].op != CompareOperator::Is && comparison->rest[0].op != CompareOperator::IsNot) {
      use(bits, Flow::kNumbers);
    }
    return 0;
  }
  case NodeKind::FormattedValue:
    use(eval(static_cast<const FormattedValue *>(expr)->value), Flow::kNumbers);
    return 0;
  case NodeKind::JoinedStr:
    for (const Expr *part : static_cast<const JoinedStr *>(expr)->values) {
      eval(part);
    }
    return 0;
  case NodeKind::BinOp: {
    const auto *operation = static_cast<const BinOp *>(expr);
    const u64 left = eval(operation->left);
    const u64 bits = left | eval(operation->right);
    if (operation->op() == Operator::Mod && operation->left->kind == NodeKind::Constant) { // "%f" % loss
      use(bits, Flow::kNumbers);
      return 0;
    }
    return computed(bits);
  }
  case NodeKind::UnaryOp: {
    const auto *operation = static_cast<const UnaryOp *>(expr);
    const u64 bits = eval(operation->operand);
    if (operation->op() == UnaryOperator::Not) {
      use(bits, Flow::kNumbers);
      return 0;
    }
    return computed(bits);
  }
  case NodeKind::Subscript: {
    const auto *subscript = static_cast<const Subscript *>(expr);
    eval(subscript->slice);
    const u64 bits = eval(subscript->value);
    if (subscript->slice->kind == NodeKind::Constant) {
      use(bits, Flow::kEntryTaken);
    }
    return bits;
  }
  case NodeKind::NamedExpr: {
    const auto *named = static_cast<const NamedExpr *>(expr);
    const u64 bits = eval(named->value);
    assign(named->target, bits, named->value);
    return bits;
  }
  case NodeKind::IfExp: {
    const auto *conditional = static_cast<const IfExp *>(expr);
    use(eval(conditional->test), Flow::kNumbers);
    const u64 bits = eval(conditional->body);
    return bits | eval(conditional->orelse);
  }
  case NodeKind::Lambda:
    capture(expr);
    return 0;
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
  case NodeKind::Await: {
    u64 bits = 0;
    for_each_child(expr, [&](const Node *child) { bits |= eval(static_cast<const Expr *>(child)); });
    if (expr->kind != NodeKind::Await) {
      use(bits, Flow::kEscapes);
      return 0;
    }
    return bits;
  }
  case NodeKind::ListComp:
  case NodeKind::SetComp:
  case NodeKind::DictComp:
  case NodeKind::GeneratorExp: {
    const auto *comprehension = static_cast<const ComprehensionExpr *>(expr);
    const Loop *const outer = loop_;
    const Loop *const known = project_.loop_at(expr);
    u64 bits = 0;
    for (const Comprehension *generator : comprehension->generators) {
      const u64 iterated = eval(generator->iter);
      loop_ = known != nullptr ? known : loop_;
      assign_element(generator->target, iterated, generator->iter);
      for (const Expr *condition : generator->ifs) {
        use(eval(condition), Flow::kNumbers);
      }
    }
    bits |= eval(comprehension->elt);
    if (comprehension->value != nullptr) {
      bits |= eval(comprehension->value);
    }
    loop_ = outer;
    return bits;
  }
  default: {
    u64 bits = 0;
    for_each_child(expr, [&](const Node *child) { bits |= eval(static_cast<const Expr *>(child)); });
    return bits;
  }
  }
}

u64 GraphFlowWalker::attribute(const Attribute *expr) {
  static const NameTable kAbout({"shape", "dtype", "device", "ndim", "requires_grad", "is_cuda", "grad_fn", "is_leaf",
                                 "layout", "names", "itemsize", "nbytes"});
  const u64 bits = eval(expr->value);
  if (bits == 0 || kAbout.has(expr->attr)) {
    return 0;
  }
  const std::string_view name = expr->attr.text();
  if (name == "data") {
    use(bits, Flow::kNumbers | Flow::kDetached);
    return 0;
  }
  if (name == "grad") {
    use(bits, Flow::kWalked);
    return 0;
  }
  return bits;
}

} // namespace deepperf::model
