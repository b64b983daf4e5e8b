// Looking below a node.
#pragma once

#include "base/function_ref.h"
#include "python/children.h"
#include "python/parser.h"

namespace deepperf::rules {

using NodePredicate = FunctionRef<bool(const python::Node *)>;

// Does the predicate hold for the node or one below it? Nested functions and classes are not entered. Below a call of a
// function that is a name for one expression stands that expression, with the call's arguments: see thin.h.
bool any_node(const python::Node *node, NodePredicate holds);
bool any_node(const python::Block &block, NodePredicate holds);

// The same, with nested functions and classes.
bool any_node_inside(const python::Node *node, NodePredicate holds);

// Do the two stand on different sides of one condition, so that one run of the block comes to at most one of them?
bool are_alternatives(const python::Block &block, const python::Node &one, const python::Node &other);

// The statement right before another one in the same block, which is one of its parent's (null: of the module's).
const python::Stmt *statement_before(const python::Tree &tree, const python::Node *parent,
                                     const python::Node *statement);

} // namespace deepperf::rules
