#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

const Stmt *before_in(const Block &block, const Node *statement) {
  const auto found = std::ranges::lower_bound(block, statement->start, {}, &Stmt::start);
  return found != block.begin() && found != block.end() && *found == statement ? *(found - 1) : nullptr;
}

} // namespace

bool any_node(const Node *node, NodePredicate holds) {
  if (holds(node)) {
    return true;
  }
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return false;
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || any_node(child, holds); });
  return found;
}

bool any_node(const Block &block, NodePredicate holds) {
  return std::ranges::any_of(block, [&](const Stmt *statement) { return any_node(statement, holds); });
}

bool any_node_inside(const Node *node, NodePredicate holds) {
  bool found = holds(node);
  for_each_child(node, [&](const Node *child) { found = found || any_node_inside(child, holds); });
  return found;
}

const Stmt *statement_before(const Tree &tree, const Node *parent, const Node *statement) {
  if (parent == nullptr) {
    return before_in(tree.body, statement);
  }
  switch (parent->kind) {
  case NodeKind::FunctionDef:
    return before_in(static_cast<const FunctionDef *>(parent)->body, statement);
  case NodeKind::With:
    return before_in(static_cast<const With *>(parent)->body, statement);
  case NodeKind::If: {
    const auto *branch = static_cast<const If *>(parent);
    const Stmt *before = before_in(branch->body, statement);
    return before != nullptr ? before : before_in(branch->orelse, statement);
  }
  case NodeKind::For:
    return before_in(static_cast<const For *>(parent)->body, statement);
  case NodeKind::While:
    return before_in(static_cast<const While *>(parent)->body, statement);
  default:
    return nullptr;
  }
}

} // namespace deepperf::rules
