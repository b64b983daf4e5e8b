#include "rules/callables.h"

#include "base/known_names.h"
#include "base/steps.h"
#include "model/classes.h"
#include "rules/tree.h"

#include <unordered_map>

namespace deepperf::rules {

using namespace python;
using model::Value;

namespace {

const model::FunctionInfo *called(const Value &value) {
  const Value &wrapped = value.is(Value::Tag::Partial) ? value.receiver() : value;
  if (wrapped.alternatives != nullptr) {
    return nullptr;
  }
  if (wrapped.is(Value::Tag::Object)) {
    return model::find_method_of(*wrapped.type, known::sym_call_method);
  }
  return wrapped.is(Value::Tag::Function) || wrapped.is(Value::Tag::Method) ? wrapped.function.get() : nullptr;
}

} // namespace

const model::FunctionInfo *callable_of(const model::Scope &scope, const Expr *expr) {
  const auto *partial = as<Call>(expr);
  if (partial != nullptr && !partial->args.empty()) {
    const Value callee = scope.project->callee_of(partial);
    if (callee.is(Value::Tag::Api) && callee.name().text() == "functools.partial") {
      return callable_of(scope, partial->args[0]);
    }
  }
  const model::FunctionInfo *const function =
      expr->kind == NodeKind::Lambda ? scope.project->function_at(expr) : called(model::value_of(scope, expr));
  return function != nullptr && function->node != nullptr ? function : nullptr;
}

namespace {

// The functions of a project that have a function of the project above them, by that one.
struct Decorated {
  std::unordered_map<const model::FunctionInfo *, std::vector<const model::FunctionInfo *>> by;
};

// `@timed`, or `@timed("step")`, whose call gives the decorator.
const model::FunctionInfo *decorator_of(const model::Scope &scope, const Expr *expr) {
  const auto *call = as<Call>(expr);
  const Value value = call != nullptr ? scope.project->callee_of(call) : model::value_of(scope, expr);
  if (!value.is(Value::Tag::Function) || value.alternatives != nullptr) {
    return nullptr;
  }
  if (call == nullptr) {
    return value.function.get();
  }
  const Value given = value.function->returns;
  return given.is(Value::Tag::Function) && given.alternatives == nullptr ? given.function.get() : nullptr;
}

const Decorated &decorated_in(const Site &site) {
  return site.memory.recall<Decorated>(&site.project, [&site] {
    const SharedWork shared;
    Decorated found;
    for (const model::FunctionInfo &function : site.project.functions) {
      const FunctionDef *const definition = function.definition();
      for (const Expr *decorator : definition != nullptr ? definition->decorators : Array<Expr *>{}) {
        const model::FunctionInfo *const above =
            function.parent != nullptr ? decorator_of(model::scope_of(site.project, *function.parent), decorator)
                                       : nullptr;
        if (above != nullptr) {
          found.by[above].push_back(&function);
        }
      }
    }
    return found;
  });
}

} // namespace

std::vector<const model::FunctionInfo *> decorated_callees(const Site &site, const Call &call) {
  const auto *name = as<Name>(call.func);
  if (name == nullptr || site.function == nullptr || site.function->parent == nullptr) {
    return {};
  }
  const model::FunctionInfo *scope = site.function;
  while (scope != nullptr && scope->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
    scope = scope->parent;
  }
  if (scope == nullptr || scope->node == nullptr || scope->place_of_param(name->id) != 0) {
    return {};
  }
  const auto &all = decorated_in(site).by;
  const auto known = all.find(scope);
  return known != all.end() ? known->second : std::vector<const model::FunctionInfo *>{};
}

const Expr *only_result(const model::FunctionInfo &function) {
  if (const Lambda *const lambda = function.lambda()) {
    return lambda->body;
  }
  const FunctionDef *const definition = function.definition();
  const Expr *result = nullptr;
  u32 count = 0;
  const bool is_other = definition == nullptr || any_node(definition->body, [&](const Node *node) {
                          if (const auto *returned = as<Return>(node)) {
                            result = returned->value;
                            ++count;
                          }
                          return node->kind == NodeKind::Yield || node->kind == NodeKind::YieldFrom;
                        });
  return !is_other && count == 1 ? result : nullptr;
}

} // namespace deepperf::rules
