#include "rules/jax.h"

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

bool is_optax_optimizer(const Site &site, const Expr *expr, std::string_view *maker) {
  const std::vector<model::Argument::Given> made = model::written_as(scope_of(site), expr);
  return !made.empty() && std::ranges::all_of(made, [&](const model::Argument::Given &given) {
    const auto *call = as<Call>(given.expr);
    const Value callee = call != nullptr ? site.project.callee_of(call) : Value{};
    const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
    if (maker != nullptr) {
      *maker = api;
    }
    return api.starts_with("optax.");
  });
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

} // namespace deepperf::rules
