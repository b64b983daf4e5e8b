#include "rules/static_arguments.h"

#include "rules/tracing.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

constexpr u32 kMostParameters = 63;

// jax.jit(self.step): the object fills the first parameter before JAX sees it.
bool compiles_bound_method(const Site &site, const FunctionInfo &function, const Call &compiler) {
  if (function.type == nullptr || function.is_static || compiler.args.empty()) {
    return false;
  }
  const FunctionInfo *caller = site.project.caller_of(&compiler);
  const auto *member = as<Attribute>(compiler.args[0]);
  return caller != nullptr && member != nullptr &&
         model::value_of(model::scope_of(site.project, *caller), member->value).is(Value::Tag::Object);
}

void add_static(const Site &site, const FunctionInfo &function, const Expr *part, u32 first, StaticParameters &found) {
  const i64 count = std::min<i64>(function.params.size(), kMostParameters);
  if (const std::optional<i64> number = integer_of(site, part); number.has_value()) {
    const i64 index = *number < 0 ? count + *number : *number + first;
    found.bits |= index >= 0 && index < count ? u64{1} << index : 0;
    return;
  }
  const std::optional<std::string> text = string_of(site, part);
  found.unknown |= !text.has_value();
  for (u32 i = 0; text.has_value() && i < count; ++i) {
    found.bits |= function.params[i]->name && function.params[i]->name.text() == *text ? u64{1} << i : 0;
  }
}

// One of them, or a tuple or list, also under a name.
void add_all(const Site &site, const FunctionInfo &function, const model::Argument::Given &given, u32 first,
             StaticParameters &found) {
  Site there = site;
  there.module = given.scope.module;
  there.function = given.scope.function;
  const std::vector<model::Argument::Given> written = model::written_as(given.scope, given.expr);
  const Expr *value = written.size() == 1 ? written[0].expr : given.expr;
  const auto *tuple = as<Tuple>(value);
  const auto *list = as<List>(value);
  if (tuple == nullptr && list == nullptr) {
    add_static(there, function, given.expr, first, found);
    return;
  }
  there.module = written[0].scope.module;
  there.function = written[0].scope.function;
  for (const Expr *part : tuple != nullptr ? tuple->elts : list->elts) {
    add_static(there, function, part, first, found);
  }
}

StaticParameters numbered_parameters(const Site &site, const FunctionInfo &function,
                                     std::initializer_list<std::string_view> options) {
  StaticParameters found;
  const auto *compiler = as<Call>(function.compiled_at);
  if (compiler == nullptr) {
    return found;
  }
  const FunctionInfo *caller = site.project.caller_of(compiler);
  Site there = site_around(site, function);
  there.function = caller != nullptr ? caller : there.function;
  there.module = there.function != nullptr ? there.function->module : there.module;
  const u32 first = compiles_bound_method(site, function, *compiler) ? 1 : 0;
  for (const std::string_view name : options) {
    const model::Argument given = argument_of(there, *compiler, 64, name);
    found.unknown |= given.unknown || (given.may_be_absent && !given.given.empty());
    for (const model::Argument::Given &one : given.given) {
      add_all(there, function, one, first, found);
    }
  }
  return found;
}

} // namespace

StaticParameters static_parameters(const Site &site, const FunctionInfo &function) {
  return numbered_parameters(site, function, {"static_argnums", "static_argnames", "static_broadcasted_argnums"});
}

StaticParameters donated_parameters(const Site &site, const FunctionInfo &function) {
  return numbered_parameters(site, function, {"donate_argnums", "donate_argnames"});
}

} // namespace deepperf::rules
