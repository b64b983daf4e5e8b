// Looking below a node.
#pragma once

#include "python/children.h"

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

} // namespace deepperf::rules
