#include "rules/jax.h"

#include "rules/origins.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Value;

bool runs_compiled_jax(const model::Project &project, const Call &call) {
  const Value callee = project.callee_of(&call);
  bool found = false;
  bool other = false;
  for_each_alternative(callee, [&](const Value &one) {
    if (one.is(Value::Tag::Function) || one.is(Value::Tag::Method)) {
      const bool is_compiled = one.function->compiled_at != nullptr && (one.function->tracers & model::kByJaxJit) != 0;
      (is_compiled ? found : other) = true;
    } else if (one.is_kind(Kind::Function) && one.name()) { // jax.jit of what nobody tells us
      const ApiInfo *info = find_api(one.name());
      const bool is_compiled = info != nullptr && info->has(kCompiles) && !one.name().text().starts_with("tensorflow.");
      (is_compiled ? found : other) = true;
    } else {
      other = true;
    }
  });
  return found && !other;
}

bool runs_compiled_jax(const Site &site, const Call &call) {
  if (runs_compiled_jax(site.project, call)) {
    return true;
  }
  const Value callee = site.project.callee_of(&call);
  const bool is_place = call.func->kind == NodeKind::Name || call.func->kind == NodeKind::Attribute ||
                        call.func->kind == NodeKind::Subscript;
  if (!is_place || site.function == nullptr || callee.known() || callee.alternatives != nullptr) {
    return false;
  }
  bool is_compiled = false;
  bool is_other = false;
  const bool complete = visit_origins(site, *site.function, call.func, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const auto *made = as<Call>(origin.expr);
    const Value value =
        made != nullptr ? site.project.callee_of(made) : value_of(site_of_origin(site, *origin.function), origin.expr);
    const ApiInfo *info = made != nullptr && value.is(Value::Tag::Api) ? find_api(value.name()) : nullptr;
    const bool is_jit = info != nullptr && info->has(kCompiles) && !value.name().text().starts_with("tensorflow.");
    const bool is_function = made == nullptr && (value.is(Value::Tag::Function) || value.is(Value::Tag::Method)) &&
                             value.function->compiled_at != nullptr &&
                             (value.function->tracers & model::kByJaxJit) != 0;
    (is_jit || is_function ? is_compiled : is_other) = true;
    return Onward::Stop;
  });
  return complete && is_compiled && !is_other;
}

namespace {

bool is_made_by_optax(const model::Project &project, const model::Scope &scope, const Expr *expr, u32 depth);

// Does all that the function returns come from Optax?
bool returns_optimizer(const model::Project &project, const model::FunctionInfo &function, u32 depth) {
  const FunctionDef *definition = function.definition();
  u32 results = 0;
  u32 optimizers = 0;
  if (definition != nullptr) {
    any_node(definition->body, [&](const Node *node) {
      if (const auto *result = as<Return>(node)) {
        ++results;
        optimizers += result->value != nullptr &&
                              is_made_by_optax(project, model::scope_of(project, function), result->value, depth)
                          ? 1
                          : 0;
      }
      return false;
    });
  }
  return results > 0 && results == optimizers;
}

bool is_made_by_optax(const model::Project &project, const model::Scope &scope, const Expr *expr, u32 depth) {
  constexpr u32 kMostDepth = 3;
  const std::vector<model::Argument::Given> made = model::written_as(scope, expr);
  return depth <= kMostDepth && !made.empty() && std::ranges::all_of(made, [&](const model::Argument::Given &given) {
           const auto *call = as<Call>(given.expr);
           const Value callee = call != nullptr ? project.callee_of(call) : Value{};
           if (callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) {
             return returns_optimizer(project, *callee.function, depth + 1);
           }
           return callee.is(Value::Tag::Api) && callee.name().text().starts_with("optax.");
         });
}

} // namespace

bool is_optax_optimizer(const Site &site, const Expr *expr) {
  return is_made_by_optax(site.project, scope_of(site), expr, 0);
}

bool is_shown_by_notebook(const Site &site, const Stmt &statement) {
  const Source &source = site.module->parsed->source;
  if (!source.is_notebook || !site.ancestors.empty()) {
    return false;
  }
  const auto segment = std::ranges::find_if(
      source.segments, [&](const Segment &one) { return one.begin <= statement.start && statement.start < one.end; });
  const Block &body = site.module->parsed->tree.body;
  const auto next = std::ranges::upper_bound(body, statement.start, {}, [](const Stmt *one) { return one->start; });
  return segment == source.segments.end() || next == body.end() || (*next)->start >= segment->end;
}

bool is_bound_in(const model::Loop &loop, Symbol name) {
  return std::ranges::binary_search(loop.assigned, name.id, {}, &Symbol::id);
}

} // namespace deepperf::rules
