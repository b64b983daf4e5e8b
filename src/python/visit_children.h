// The children of a node, for the few walks that everything else waits for. Everybody else includes python/children.h:
// each use of this template is a copy of the whole switch.
#pragma once

#include "base/steps.h"
#include "python/ast.h"

namespace deepperf::python {

namespace children {

template <class T, class Visit> void each(const Array<T *> &nodes, Visit f) {
  for (const T *node : nodes) {
    f(node);
  }
}
template <class Visit> void one(const Node *node, Visit f) {
  if (node != nullptr) {
    f(node);
  }
}
template <class Visit> void params(const Array<Param *> &list, Visit f) {
  for (const Param *param : list) {
    one(param->pattern, f);
    one(param->annotation, f);
    one(param->default_value, f);
  }
}
template <class Visit> void type_params(const Array<TypeParam *> &list, Visit f) {
  for (const TypeParam *param : list) {
    one(param->bound, f);
    one(param->default_value, f);
  }
}

} // namespace children

// Calls `f` for every child, in source order. As a step it counts as one look at the node.
template <class Visit> inline void visit_children(const Node *node, Visit f) {
  using namespace children;
  take_steps();
  switch (node->kind) {
  case NodeKind::BoolOp:
    return each(static_cast<const BoolOp *>(node)->values, f);
  case NodeKind::NamedExpr: {
    const auto *n = static_cast<const NamedExpr *>(node);
    f(n->target);
    f(n->value);
    return;
  }
  case NodeKind::BinOp: {
    const auto *n = static_cast<const BinOp *>(node);
    f(n->left);
    f(n->right);
    return;
  }
  case NodeKind::UnaryOp:
    return f(static_cast<const UnaryOp *>(node)->operand);
  case NodeKind::Lambda: {
    const auto *n = static_cast<const Lambda *>(node);
    params(n->params, f);
    f(n->body);
    return;
  }
  case NodeKind::IfExp: {
    const auto *n = static_cast<const IfExp *>(node);
    f(n->body);
    f(n->test);
    f(n->orelse);
    return;
  }
  case NodeKind::Dict:
    for (const DictItem &item : static_cast<const Dict *>(node)->items) {
      one(item.key, f);
      one(item.value, f);
    }
    return;
  case NodeKind::Set:
    return each(static_cast<const Set *>(node)->elts, f);
  case NodeKind::ListComp:
  case NodeKind::SetComp:
  case NodeKind::DictComp:
  case NodeKind::GeneratorExp: {
    const auto *n = static_cast<const ComprehensionExpr *>(node);
    for (const Comprehension *generator : n->generators) {
      f(generator->iter);
      f(generator->target);
      each(generator->ifs, f);
    }
    one(n->elt, f);
    one(n->value, f);
    return;
  }
  case NodeKind::Await:
    return f(static_cast<const Await *>(node)->value);
  case NodeKind::Yield:
    return one(static_cast<const Yield *>(node)->value, f);
  case NodeKind::YieldFrom:
    return f(static_cast<const YieldFrom *>(node)->value);
  case NodeKind::Compare: {
    const auto *n = static_cast<const Compare *>(node);
    f(n->left);
    for (const CompareItem &item : n->rest) {
      f(item.right);
    }
    return;
  }
  case NodeKind::Call: {
    const auto *n = static_cast<const Call *>(node);
    f(n->func);
    each(n->args, f);
    for (const Keyword *keyword : n->keywords) {
      f(keyword->value);
    }
    return;
  }
  case NodeKind::FormattedValue: {
    const auto *n = static_cast<const FormattedValue *>(node);
    f(n->value);
    one(n->format_spec, f);
    return;
  }
  case NodeKind::JoinedStr:
    return each(static_cast<const JoinedStr *>(node)->values, f);
  case NodeKind::Attribute:
    return f(static_cast<const Attribute *>(node)->value);
  case NodeKind::Subscript: {
    const auto *n = static_cast<const Subscript *>(node);
    f(n->value);
    f(n->slice);
    return;
  }
  case NodeKind::Starred:
    return f(static_cast<const Starred *>(node)->value);
  case NodeKind::List:
    return each(static_cast<const List *>(node)->elts, f);
  case NodeKind::Tuple:
    return each(static_cast<const Tuple *>(node)->elts, f);
  case NodeKind::Slice: {
    const auto *n = static_cast<const Slice *>(node);
    one(n->lower, f);
    one(n->upper, f);
    one(n->step, f);
    return;
  }
  case NodeKind::Backquote:
    return f(static_cast<const Backquote *>(node)->value);
  case NodeKind::FunctionDef: {
    const auto *n = static_cast<const FunctionDef *>(node);
    each(n->decorators, f);
    type_params(n->type_params, f);
    params(n->params, f);
    one(n->returns, f);
    each(n->body, f);
    return;
  }
  case NodeKind::ClassDef: {
    const auto *n = static_cast<const ClassDef *>(node);
    each(n->decorators, f);
    type_params(n->type_params, f);
    each(n->bases, f);
    for (const Keyword *keyword : n->keywords) {
      f(keyword->value);
    }
    each(n->body, f);
    return;
  }
  case NodeKind::Return:
    return one(static_cast<const Return *>(node)->value, f);
  case NodeKind::Delete:
    return each(static_cast<const Delete *>(node)->targets, f);
  case NodeKind::Assign: {
    const auto *n = static_cast<const Assign *>(node);
    f(n->value);
    each(n->targets, f);
    return;
  }
  case NodeKind::AugAssign: {
    const auto *n = static_cast<const AugAssign *>(node);
    f(n->value);
    f(n->target);
    return;
  }
  case NodeKind::AnnAssign: {
    const auto *n = static_cast<const AnnAssign *>(node);
    f(n->annotation);
    one(n->value, f);
    f(n->target);
    return;
  }
  case NodeKind::For: {
    const auto *n = static_cast<const For *>(node);
    f(n->iter);
    f(n->target);
    each(n->body, f);
    each(n->orelse, f);
    return;
  }
  case NodeKind::While: {
    const auto *n = static_cast<const While *>(node);
    f(n->test);
    each(n->body, f);
    each(n->orelse, f);
    return;
  }
  case NodeKind::If: {
    const auto *n = static_cast<const If *>(node);
    f(n->test);
    each(n->body, f);
    each(n->orelse, f);
    return;
  }
  case NodeKind::With: {
    const auto *n = static_cast<const With *>(node);
    for (const WithItem &item : n->items) {
      f(item.context_expr);
      one(item.optional_vars, f);
    }
    each(n->body, f);
    return;
  }
  case NodeKind::Match: {
    const auto *n = static_cast<const Match *>(node);
    f(n->subject);
    for (const MatchCase &branch : n->cases) {
      one(branch.pattern, f);
      one(branch.guard, f);
      each(branch.body, f);
    }
    return;
  }
  case NodeKind::Raise: {
    const auto *n = static_cast<const Raise *>(node);
    one(n->exc, f);
    one(n->cause, f);
    one(n->python2_value, f);
    one(n->python2_traceback, f);
    return;
  }
  case NodeKind::Try: {
    const auto *n = static_cast<const Try *>(node);
    each(n->body, f);
    each(n->handlers, f);
    each(n->orelse, f);
    each(n->finalbody, f);
    return;
  }
  case NodeKind::ExceptHandler: {
    const auto *n = static_cast<const ExceptHandler *>(node);
    one(n->type, f);
    one(n->target, f);
    each(n->body, f);
    return;
  }
  case NodeKind::Assert: {
    const auto *n = static_cast<const Assert *>(node);
    f(n->test);
    one(n->msg, f);
    return;
  }
  case NodeKind::ExprStmt:
    return f(static_cast<const ExprStmt *>(node)->value);
  case NodeKind::TypeAlias: {
    const auto *n = static_cast<const TypeAlias *>(node);
    f(n->name);
    type_params(n->type_params, f);
    f(n->value);
    return;
  }
  case NodeKind::Print: {
    const auto *n = static_cast<const Print *>(node);
    one(n->dest, f);
    each(n->values, f);
    return;
  }
  case NodeKind::Exec: {
    const auto *n = static_cast<const Exec *>(node);
    f(n->body);
    one(n->globals, f);
    one(n->locals, f);
    return;
  }
  case NodeKind::Magic:
    return each(static_cast<const Magic *>(node)->body, f);
  case NodeKind::InvalidStmt:
    return each(static_cast<const InvalidStmt *>(node)->body, f);
  case NodeKind::MatchValue:
    return f(static_cast<const MatchValue *>(node)->value);
  case NodeKind::MatchSequence:
    return each(static_cast<const MatchSequence *>(node)->patterns, f);
  case NodeKind::MatchMapping:
    for (const MatchMappingItem &item : static_cast<const MatchMapping *>(node)->items) {
      f(item.key);
      f(item.pattern);
    }
    return;
  case NodeKind::MatchClass: {
    const auto *n = static_cast<const MatchClass *>(node);
    f(n->cls);
    each(n->patterns, f);
    for (const MatchClassKeyword &keyword : n->keywords) {
      f(keyword.pattern);
    }
    return;
  }
  case NodeKind::MatchAs:
    return one(static_cast<const MatchAs *>(node)->pattern, f);
  case NodeKind::MatchOr:
    return each(static_cast<const MatchOr *>(node)->patterns, f);
  default: // names, constants, imports, pass, …: no children
    return;
  }
}

} // namespace deepperf::python
