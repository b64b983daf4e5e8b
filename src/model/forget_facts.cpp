#include "model/forget_facts.h"

#include "model/project.h"
#include "python/children.h"

namespace deepperf::model {

using namespace python;

namespace {

void forget_facts_below(const Node *node) {
  node->output = 0;
  node->on_cpu = false;
  node->value = 0;
  switch (node->kind) {
  case NodeKind::Name:
    node->detail = 0;
    return;
  case NodeKind::Constant:
    return;
  case NodeKind::Call:
    static_cast<const Call *>(node)->fact = 0;
    break;
  case NodeKind::FunctionDef:
    static_cast<const FunctionDef *>(node)->fact = 0;
    break;
  case NodeKind::ClassDef:
    static_cast<const ClassDef *>(node)->fact = 0;
    break;
  case NodeKind::Lambda:
    static_cast<const Lambda *>(node)->fact = 0;
    break;
  default:
    if (u32 *const fact = loop_fact(node)) {
      *fact = 0;
    }
  }
  for_each_child(node, forget_facts_below);
}

void forget_values_below(const Node *node) {
  node->output = 0;
  node->on_cpu = false;
  node->value = 0;
  if (node->kind != NodeKind::Name && node->kind != NodeKind::Constant) {
    for_each_child(node, forget_values_below);
  }
}

} // namespace

void forget_values(const Tree &tree) {
  for (const Stmt *statement : tree.body) {
    forget_values_below(statement);
  }
}

void forget_facts(const Tree &tree) {
  for (const Stmt *statement : tree.body) {
    forget_facts_below(statement);
  }
}

} // namespace deepperf::model
