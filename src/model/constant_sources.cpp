// What were names, parameters, imports and results of functions set to?
#include "model/constant_evaluator.h"
#include "python/call.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

const Expr *argument_in(const Call &call, u32 position, std::string_view keyword) {
  return position == ~0U
             ? (keyword_argument(call, keyword) != nullptr ? keyword_argument(call, keyword)->value : nullptr)
             : python::argument(call, position, keyword);
}

} // namespace

ConstantSources ConstantEvaluator::sources(const Scope &at, const Expr *expr, u32 depth) {
  Sources result;
  if (depth > kMostDepth || ++steps_ > kMostSteps) {
    result.unknown = true;
    return result;
  }
  switch (expr->kind) {
  case NodeKind::Name:
    name_sources(at, static_cast<const Name *>(expr)->id, depth, result);
    break;
  case NodeKind::Attribute:
    attribute_sources(at, *static_cast<const Attribute *>(expr), depth, result);
    break;
  case NodeKind::Subscript: {
    const auto *subscript = static_cast<const Subscript *>(expr);
    if (const std::optional<std::string> key = entry_key(at, subscript->slice, depth)) {
      entry_sources(at, subscript->value, *key, nullptr, depth, result);
    } else {
      any_entry_sources(at, *subscript, depth, result);
    }
    break;
  }
  case NodeKind::IfExp: {
    const auto *conditional = static_cast<const IfExp *>(expr);
    const Maybe test = constant(at, conditional->test, depth + 1);
    const bool is_settled = test.has_value() && !test->overridable;
    if (!is_settled || test->is_true()) {
      result.given.push_back({at, conditional->body});
    }
    if (!is_settled || !test->is_true()) {
      result.given.push_back({at, conditional->orelse});
    }
    break;
  }
  case NodeKind::NamedExpr:
    result.given.push_back({at, static_cast<const NamedExpr *>(expr)->value});
    break;
  case NodeKind::Call:
    call_sources(at, *static_cast<const Call *>(expr), depth, result);
    break;
  default:
    result.unknown = true;
    break;
  }
  result.unknown |= result.given.empty() && result.presets.empty();
  return result;
}

// The key of `HEADS["binary"]`, or of `HEADS[task]` where every caller passes the same for `task`. A key that users can
// choose is none: any entry may be meant then.
std::optional<std::string> ConstantEvaluator::entry_key(const Scope &at, const Expr *key, u32 depth) {
  if (const StringConstant *literal = as_string(key)) {
    return string_value(at.module->parsed->source, *literal);
  }
  if (key->kind != NodeKind::Name && key->kind != NodeKind::Attribute && key->kind != NodeKind::Subscript) {
    return std::nullopt;
  }
  const Maybe value = constant(at, key, depth + 1);
  return value.has_value() && !value->overridable ? value->as_string() : std::nullopt;
}

void ConstantEvaluator::written(const Scope &at, const Expr *expr, bool overridable, u32 depth, Sources &into) {
  if (expr == nullptr || depth > kMostDepth || ++steps_ > kMostSteps) {
    into.unknown = true;
    return;
  }
  switch (expr->kind) {
  case NodeKind::Name:
  case NodeKind::Attribute:
  case NodeKind::Subscript:
  case NodeKind::IfExp:
  case NodeKind::NamedExpr: {
    const Sources found = sources(at, expr, depth);
    into.unknown |= found.unknown;
    into.presets.insert(into.presets.end(), found.presets.begin(), found.presets.end());
    for (const Given &one : found.given) {
      written(one.scope, one.expr, overridable || one.overridable, depth + 1, into);
    }
    return;
  }
  default:
    into.given.push_back({at, expr, overridable});
  }
}

// `field(default=4)`, `typer.Option(4)`, `config.get("workers", 4)`.
void ConstantEvaluator::call_sources(const Scope &at, const Call &call, u32 depth, Sources &into) {
  const std::string_view api = api_of(call);
  const bool is_field = api == "dataclasses.field" || api == "attr.ib" || api == "attr.field" || api == "attrs.field";
  if (is_field || api == "typer.Option" || api == "typer.Argument" || api == "pydantic.Field") {
    if (const Expr *value = argument_in(call, is_field ? ~0U : 0, "default")) {
      into.given.push_back({at, value, true});
    } else if (const auto *factory = as<Lambda>(argument_in(call, ~0U, "default_factory"))) {
      into.given.push_back({at, factory->body, true});
    }
    return;
  }
  if (called_method(call) == "get" && !call.args.empty() && call.args.size() <= 2) {
    if (const std::optional<std::string> key = entry_key(at, call.args[0], depth)) {
      entry_sources(at, receiver_of(call), *key, call.args.size() == 2 ? call.args[1] : nullptr, depth, into);
    }
    return;
  }
  const Value callee = project_.callee_of(&call);
  const bool is_function = callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method);
  const Value result = is_function ? callee.function->returns : Value{};
  if (result.is(Value::Tag::Literal) && result.number != 0 && !result.open && !result.none) {
    for (const Module &module : project_.modules) {
      if (module.file.value + 1 == result.number) {
        into.given.push_back({{&project_, &module, module.body}, result.expr});
      }
    }
  }
}

std::string_view ConstantEvaluator::api_of(const Call &call) const {
  const Value callee = project_.callee_of(&call);
  return callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
}

void ConstantEvaluator::name_sources(const Scope &at, Symbol name, u32 depth, Sources &into) {
  for (const FunctionInfo *scope = at.function; scope != nullptr; scope = scope->parent) {
    const u32 slot = scope->slot_of(name);
    if (slot == FunctionInfo::kNoSlot) {
      continue;
    }
    if (const u32 param = scope->place_of_param(name); param != FunctionInfo::kNoParam) {
      parameter_sources(*scope, param, depth, into);
    }
    into.unknown |= scope->outer_stores.contains(slot);
    const auto found = index_.bindings.find(scope);
    if (found != index_.bindings.end()) {
      const auto first =
          std::ranges::lower_bound(found->second, name.id, {}, [](const Binding &binding) { return binding.name.id; });
      for (auto binding = first; binding != found->second.end() && binding->name.id == name.id; ++binding) {
        if (into.given.size() > kMostSources) { // many may ask for a name that is bound many times
          into.unknown = true;
          return;
        }
        if (binding->import != nullptr) {
          import_sources(*scope, *binding, depth, into);
        } else if (binding->value != nullptr) {
          into.given.push_back({scope_of(project_, *scope), binding->value});
        } else {
          into.unknown = true;
        }
      }
    }
    return;
  }
  into.unknown = true;
}

void ConstantEvaluator::import_sources(const FunctionInfo &scope, const Binding &binding, u32 depth, Sources &into) {
  const auto target = scope.module->import_targets.find(binding.import);
  const Module *const from = target != scope.module->import_targets.end() ? target->second : nullptr;
  if (from == nullptr || from->body == nullptr || depth + 1 > kMostDepth) {
    into.unknown = true;
    return;
  }
  name_sources({&project_, from, from->body}, binding.imported, depth + 1, into);
}

// Tests choose what suits a test.
std::vector<const CallSite *> ConstantEvaluator::callers_of(const FunctionInfo &function) const {
  std::vector<const CallSite *> callers;
  for (const CallSite *site : function.called_by) {
    const bool is_by_test = site->caller->module->is_test || site->caller->is_test;
    if (!is_by_test || function.module->is_test) {
      callers.push_back(site);
    }
  }
  return callers;
}

// `collate_fn=partial(collate, label_pad=-1)`: what is bound by name, where nothing else in these files calls the
// function. False if that says nothing about the parameter.
bool ConstantEvaluator::partial_sources(const FunctionInfo &function, u32 index, u32 depth, Sources &into) {
  const Param &param = *function.params[index];
  const auto known = param.name ? index_.partials.find(function.name.id) : index_.partials.end();
  if (known == index_.partials.end()) {
    return false;
  }
  Sources found;
  for (const CallPlace &place : known->second) {
    const Value wrapped = value_of(scope_of(project_, *place.function), place.call->args[0]);
    if (wrapped.function != &function || found.given.size() > kMostSources) {
      return false; // another function of that name
    }
    const Argument passed =
        argument(scope_of(project_, *place.function), *place.call, ~0U, param.name.text(), depth + 1);
    if (passed.unknown || passed.given.empty()) {
      return false;
    }
    found.given.insert(found.given.end(), passed.given.begin(), passed.given.end());
  }
  into.given.insert(into.given.end(), found.given.begin(), found.given.end());
  return !found.given.empty();
}

// What callers pass, else its default.
void ConstantEvaluator::parameter_sources(const FunctionInfo &function, u32 index, u32 depth, Sources &into) {
  const Param &param = *function.params[index];
  if (param.param_kind() == ParamKind::VarArgs || param.param_kind() == ParamKind::KwArgs) {
    into.unknown = true;
    return;
  }
  if (const CallPlace option = click_option(function, param.name); option.call != nullptr) {
    option_sources(option, into);
    return;
  }
  const std::vector<const CallSite *> callers = callers_of(function);
  if (callers.empty() && partial_sources(function, index, depth, into)) {
    return;
  }
  bool takes_default = callers.empty();
  if (callers.size() > kMostSources) {
    into.unknown = true;
    return;
  }
  for (const CallSite *site : callers) {
    if (site->caller == &function) {
      continue; // passes on what it was given
    }
    const u32 shift = site->bound ? 1 : 0;
    if (index < shift) {
      into.unknown = true;
      return;
    }
    const bool by_position = param.param_kind() <= ParamKind::Regular;
    const Argument passed = argument(scope_of(project_, *site->caller), *site->call, by_position ? index - shift : ~0U,
                                     param.name ? param.name.text() : "", depth + 1);
    into.unknown |= passed.unknown;
    into.given.insert(into.given.end(), passed.given.begin(), passed.given.end());
    takes_default |= passed.may_be_absent;
  }
  if (takes_default) {
    if (param.default_value == nullptr) {
      into.unknown = true;
    } else {
      const FunctionInfo *const around = function.parent != nullptr ? function.parent : &function;
      into.given.push_back({scope_of(project_, *around), param.default_value, true});
    }
  }
}

} // namespace deepperf::model
