#include "model/dataset_uses.h"

#include "python/call.h"
#include "python/children.h"

namespace deepperf::model {

using namespace python;

namespace {

bool is_parameter(const Node *function, Symbol name) {
  const auto *definition = as<FunctionDef>(function);
  const auto *lambda = as<Lambda>(function);
  const Array<Param *> params = definition != nullptr ? definition->params
                                : lambda != nullptr   ? lambda->params
                                                      : Array<Param *>{};
  return std::ranges::any_of(params, [name](const Param *param) { return param->name == name; });
}

} // namespace

Consumers::Uses::Uses(const Module &in, Consumers &consumers) : owner(consumers), source(in.parsed->source) {
  is_broken = !in.parsed->tree.errors.empty();
  is_notebook = in.parsed->path.ends_with(".ipynb");
  for (const Stmt *statement : in.parsed->tree.body) {
    add(statement, nullptr, nullptr);
  }
  for (auto &[id, found] : names) {
    std::ranges::sort(found, {}, &Name::start);
  }
}

void Consumers::Uses::add(const Node *node, const Node *parent, const Node *function) {
  parents.emplace(node, parent);
  if (const auto *name = as<Name>(node)) {
    names[name->id.id].push_back(name);
    if (name->context != Context::Load && function != nullptr) {
      bound[function].insert(name->id.id);
    }
  }
  const bool is_function = node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda;
  for_each_child(node, [&](const Node *child) { add(child, node, is_function ? node : function); });
}

const Node *Consumers::Uses::parent_of(const Node *node) const {
  const auto found = parents.find(node);
  return found != parents.end() ? found->second : nullptr;
}

Consumers::Uses::Reads Consumers::Uses::reads_after(const Assign &assignment) const {
  return {parent_of(&assignment), function_around(&assignment), assignment.end};
}

// Is the name of a function read but to call it?
bool Consumers::Uses::is_handed_on(Symbol name) const {
  const auto found = names.find(name.id);
  return found != names.end() && std::ranges::any_of(found->second, [this](const Name *read) {
           const auto *call = as<Call>(parent_of(read));
           return read->context == Context::Load && (call == nullptr || call->func != read);
         });
}

bool Consumers::Uses::binds_in(const Node *function, const Expr *expr) const {
  const auto *name = as<Name>(expr);
  return name != nullptr && binds(function, name->id);
}

bool Consumers::Uses::binds(const Node *function, Symbol name) const {
  const auto found = bound.find(function);
  return found != bound.end() && found->second.contains(name.id);
}

const Node *Consumers::Uses::function_around(const Node *node) const {
  while (node != nullptr && node->kind != NodeKind::FunctionDef && node->kind != NodeKind::Lambda) {
    node = parent_of(node);
  }
  return node;
}

// A name of the function's own, or of one around it, up to the one that is meant.
bool Consumers::Uses::has_own(const Node *function, Symbol name, const Node *meant) const {
  for (; function != nullptr && function != meant; function = function_around(parent_of(function))) {
    if (is_parameter(function, name) || binds(function, name)) {
      return true;
    }
  }
  return false;
}

} // namespace deepperf::model
