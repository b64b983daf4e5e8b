#include "rules/callables.h"

#include "base/known_names.h"
#include "model/classes.h"

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

} // namespace deepperf::rules
