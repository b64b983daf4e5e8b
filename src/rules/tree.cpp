#include "rules/tree.h"

#include "python/visit_children.h"
#include "rules/statements.h"
#include "rules/thin.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

const Stmt *before_in(const Block &block, const Node *statement) {
  const auto found = std::ranges::lower_bound(block, statement->start, {}, &Stmt::start);
  return found != block.begin() && found != block.end() && *found == statement ? *(found - 1) : nullptr;
}

bool is_leaf(const Node *node) { return node->kind == NodeKind::Name || node->kind == NodeKind::Constant; }

} // namespace

// Most rules search trees with these two, and most nodes are names and constants, which have nothing below them.
bool any_node(const Node *node, NodePredicate holds) {
  if (holds(node)) {
    return true;
  }
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return false;
  }
  if (is_leaf(node)) {
    take_steps();
    return false;
  }
  if (const Expr *const copy = node->kind == NodeKind::Call ? copy_in_place(node) : nullptr) {
    return any_node(copy, holds);
  }
  bool found = false;
  visit_children(node, [&](const Node *child) { found = found || any_node(child, holds); });
  return found;
}

bool any_node(const Block &block, NodePredicate holds) {
  return std::ranges::any_of(block, [&](const Stmt *statement) { return any_node(statement, holds); });
}

bool any_node_inside(const Node *node, NodePredicate holds) {
  const bool holds_here = holds(node);
  if (is_leaf(node) || holds_here) {
    take_steps();
    return holds_here;
  }
  if (const Expr *const copy = node->kind == NodeKind::Call ? copy_in_place(node) : nullptr) {
    return any_node_inside(copy, holds);
  }
  bool found = false;
  visit_children(node, [&](const Node *child) { found = found || any_node_inside(child, holds); });
  return found;
}

bool any_statement(const Block &block, FunctionRef<bool(const Stmt *)> holds) {
  return std::ranges::any_of(block, [holds](const Stmt *statement) {
    take_steps();
    if (holds(statement)) {
      return true;
    }
    switch (statement->kind) {
    case NodeKind::If: {
      const auto *branch = static_cast<const If *>(statement);
      return any_statement(branch->body, holds) || any_statement(branch->orelse, holds);
    }
    case NodeKind::For: {
      const auto *loop = static_cast<const For *>(statement);
      return any_statement(loop->body, holds) || any_statement(loop->orelse, holds);
    }
    case NodeKind::While: {
      const auto *loop = static_cast<const While *>(statement);
      return any_statement(loop->body, holds) || any_statement(loop->orelse, holds);
    }
    case NodeKind::With:
      return any_statement(static_cast<const With *>(statement)->body, holds);
    case NodeKind::Try: {
      const auto *guarded = static_cast<const Try *>(statement);
      return any_statement(guarded->body, holds) ||
             std::ranges::any_of(guarded->handlers,
                                 [holds](const ExceptHandler *one) { return any_statement(one->body, holds); }) ||
             any_statement(guarded->orelse, holds) || any_statement(guarded->finalbody, holds);
    }
    case NodeKind::Match:
      return std::ranges::any_of(static_cast<const Match *>(statement)->cases,
                                 [holds](const MatchCase &one) { return any_statement(one.body, holds); });
    case NodeKind::Magic:
      return any_statement(static_cast<const Magic *>(statement)->body, holds);
    case NodeKind::InvalidStmt:
      return any_statement(static_cast<const InvalidStmt *>(statement)->body, holds);
    default:
      return false;
    }
  });
}

namespace {

bool is_among(const Block &block, const Node &node) {
  return !block.empty() && block.front()->start <= node.start && node.end <= block.back()->end;
}

bool is_below(const Node *outer, const Node &node) { return outer->start <= node.start && node.end <= outer->end; }

} // namespace

bool are_alternatives(const Block &block, const Node &one, const Node &other) {
  return any_node(block, [&](const Node *node) {
    if (const auto *branch = as<If>(node)) {
      return (is_among(branch->body, one) && is_among(branch->orelse, other)) ||
             (is_among(branch->orelse, one) && is_among(branch->body, other));
    }
    if (const auto *choice = as<IfExp>(node)) {
      return (is_below(choice->body, one) && is_below(choice->orelse, other)) ||
             (is_below(choice->orelse, one) && is_below(choice->body, other));
    }
    const auto *match = as<Match>(node);
    const auto holds = [match](const Node &place) {
      return std::ranges::find_if(match->cases, [&](const MatchCase &at) { return is_among(at.body, place); });
    };
    return match != nullptr && holds(one) != match->cases.end() && holds(other) != match->cases.end() &&
           holds(one) != holds(other);
  });
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
