#include "rules/optimizer_module.h"

#include "rules/processes.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

bool HeldBy::same_as(const HeldBy &other) const {
  if (name != other.name || (type == nullptr) != (other.type == nullptr)) {
    return false;
  }
  if (type == nullptr) {
    return function == other.function;
  }
  return std::ranges::find(type->mro, other.type) != type->mro.end() ||
         std::ranges::find(other.type->mro, type) != other.type->mro.end();
}

std::optional<HeldBy> held_module(const Site &site, const Expr *expr) {
  if (const auto *attribute = as<Attribute>(expr)) {
    const auto *object = as<Name>(attribute->value);
    const model::FunctionInfo *const method = site.function;
    const bool is_self = object != nullptr && method != nullptr && method->type != nullptr && !method->params.empty() &&
                         method->params[0]->name == object->id;
    return is_self ? std::optional(HeldBy{.type = method->type, .name = attribute->attr}) : std::nullopt;
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr) {
    return std::nullopt;
  }
  for (const model::FunctionInfo *scope = site.function; scope != nullptr; scope = scope->parent) {
    if (scope->slot_of(name->id) != model::FunctionInfo::kNoSlot) {
      return HeldBy{.function = scope, .name = name->id};
    }
  }
  return std::nullopt;
}

std::optional<HeldBy> trained_by(const Site &site, const Expr *optimizer) {
  if (optimizer == nullptr) {
    return std::nullopt;
  }
  const model::Value value = value_of(site, optimizer);
  if (!value.is_kind(Kind::TorchOptimizer) || value.maker() == nullptr || value.alternatives != nullptr || value.many ||
      value.open) {
    return std::nullopt;
  }
  const Site there = site_of(site, *value.maker());
  const auto *parameters = as<Call>(argument(*value.maker(), 0, "params"));
  const bool has_one = parameters != nullptr && called_method(*parameters) == "parameters";
  return has_one ? held_module(there, receiver_of(*parameters)) : std::nullopt;
}

Site site_of_node(const Site &site, const Node &node) {
  Site there = site;
  there.node = &node;
  there.ancestors = ancestors_of(site, node);
  return there;
}

std::vector<Passed> passed_for(const model::FunctionInfo &function, Symbol parameter) {
  std::vector<Passed> found;
  const auto param = std::ranges::find_if(function.params, [&](const Param *one) { return one->name == parameter; });
  if (param == function.params.end() || (*param)->param_kind() == ParamKind::VarArgs ||
      (*param)->param_kind() == ParamKind::KwArgs) {
    return found;
  }
  const auto place = static_cast<u32>(param - function.params.begin());
  for (const model::CallSite *caller : function.called_by) {
    const bool is_self = caller->bound && place == 0;
    const u32 position = caller->bound ? place - 1 : place;
    const bool is_hidden = has_hidden_arguments(*caller->call);
    found.push_back({caller, is_self || is_hidden ? nullptr : argument(*caller->call, position, parameter.text())});
  }
  return found;
}

} // namespace deepperf::rules
