#include "rules/traced.h"

#include "base/known_names.h"
#include "model/classes.h"
#include "model/overrides.h"
#include "model/variance.h"
#include "rules/assignments.h"
#include "rules/callables.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr std::size_t kMostEntered = 4;
constexpr u32 kMostSteps = 10;

// The argument, unless it is hidden in `*args`.
const Expr *plain_argument(const Call &call, const model::FunctionInfo &callee, bool bound, u32 index) {
  const bool is_hidden = std::ranges::any_of(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; });
  return is_hidden ? nullptr : model::passed_argument(call, callee, bound, index);
}

std::optional<Traced> passed(const Traced &origin, u32 index) {
  if (!origin.entered.empty() && origin.entered.back().callee == origin.function) {
    const Traced::Entered &entered = origin.entered.back();
    const Expr *given = plain_argument(*entered.call, *entered.callee, entered.bound, index);
    if (given == nullptr) {
      return std::nullopt;
    }
    Traced before{origin.asked_at, entered.from, given, origin.entered};
    before.entered.pop_back();
    return before;
  }
  const auto &callers = origin.function->called_by;
  if (callers.size() != 1 || !origin.entered.empty()) {
    return std::nullopt;
  }
  const Expr *given = plain_argument(*callers[0]->call, *callers[0]->callee, callers[0]->bound, index);
  return given != nullptr ? std::optional(Traced{origin.asked_at, callers[0]->caller, given}) : std::nullopt;
}

std::optional<Traced> of_name(const Traced &origin, const Name &name) {
  if (const Expr *value = assigned_before(origin.site(), name.id, name.start)) {
    return origin.at(value);
  }
  const auto &params = origin.function->params;
  const auto param = std::ranges::find_if(params, [&](const Param *one) { return one->name == name.id; });
  return param != params.end() ? passed(origin, static_cast<u32>(param - params.begin())) : std::nullopt;
}

std::optional<Traced> of_call(const Traced &origin, const Call &call) {
  const model::FunctionInfo *callee = called_function(origin.site(), call);
  if (callee == nullptr || origin.entered.size() >= kMostEntered) {
    return std::nullopt;
  }
  const auto known =
      std::ranges::find_if(callee->called_by, [&](const model::CallSite *one) { return one->call == &call; });
  const bool is_bound = known != callee->called_by.end() ? (*known)->bound : receiver_of(call) != nullptr;
  if (model::is_abstract(*callee)) {
    const std::vector<model::FunctionInfo *> own = model::overrides_of(*callee, 1);
    if (own.size() != 1) {
      return std::nullopt;
    }
    callee = own[0];
  }
  const Expr *result = only_result(*callee);
  if (result == nullptr) {
    return std::nullopt;
  }
  Traced inside{origin.asked_at, callee, result, origin.entered};
  inside.entered.push_back({&call, callee, is_bound, origin.function});
  return inside;
}

} // namespace

Site Traced::site() const {
  Site there{
      .project = asked_at->project, .findings = asked_at->findings, .memory = asked_at->memory, .rule = asked_at->rule};
  there.function = function;
  there.module = function->module;
  there.type = function->type;
  there.trace = asked_at->trace;
  return there;
}

Traced traced_from(const Site &site, const Expr *expr) { return {&site, site.function, expr}; }

const model::FunctionInfo *function_run_by(const Site &site, const Call &call) {
  if (const model::FunctionInfo *const function = called_function(site, call)) {
    return function;
  }
  const model::Value callee = site.project.callee_of(&call);
  if (!callee.is(model::Value::Tag::Object) || callee.alternatives != nullptr) {
    return nullptr;
  }
  const bool is_module = callee.type->kind == Kind::TorchModule;
  return model::find_method_of(*callee.type, is_module ? known::sym_forward : known::sym_call_method);
}

std::optional<Traced> step_back(const Traced &origin) {
  if (origin.expr == nullptr || origin.function == nullptr) {
    return std::nullopt;
  }
  if (const auto *name = as<Name>(origin.expr)) {
    return of_name(origin, *name);
  }
  const auto *call = as<Call>(origin.expr);
  return call != nullptr ? of_call(origin, *call) : std::nullopt;
}

Traced traced_back(const Traced &origin) {
  Traced at = origin;
  for (u32 i = 0; i < kMostSteps; ++i) {
    std::optional<Traced> before = step_back(at);
    if (!before.has_value()) {
      break;
    }
    at = *std::move(before);
  }
  return at;
}

} // namespace deepperf::rules
