// Looking below a node.
#pragma once

#include "python/children.h"
#include "python/parser.h"

namespace deepperf::rules {

// Does the predicate hold for the node or one below it? Nested functions and classes are not entered.
template <class Predicate> bool any_node(const python::Node *node, Predicate &&holds) {
  using python::NodeKind;
  if (holds(node)) {
    return true;
  }
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return false;
  }
  bool found = false;
  python::for_each_child(node, [&](const python::Node *child) { found = found || any_node(child, holds); });
  return found;
}

template <class Predicate> bool any_node(const python::Block &block, Predicate &&holds) {
  for (const python::Stmt *statement : block) {
    if (any_node(static_cast<const python::Node *>(statement), holds)) {
      return true;
    }
  }
  return false;
}

// The same, with nested functions and classes.
template <class Predicate> bool any_node_inside(const python::Node *node, Predicate &&holds) {
  bool found = holds(node);
  python::for_each_child(node, [&](const python::Node *child) { found = found || any_node_inside(child, holds); });
  return found;
}

// The statement right before another one in the same block, which is one of its parent's (null: of the module's).
const python::Stmt *statement_before(const python::Tree &tree, const python::Node *parent,
                                     const python::Node *statement);

} // namespace deepperf::rules
