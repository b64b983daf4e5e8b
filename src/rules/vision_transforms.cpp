#include "rules/vision_transforms.h"

#include "rules/origins.h"

namespace deepperf::rules {

using namespace python;

namespace {

// The one expression that the value is written as, also through functions that make it; null if there are several.
const Expr *written_once(const Site &site, const Expr *expr) {
  if (expr->kind == NodeKind::List) {
    return expr;
  }
  const std::vector<model::Argument::Given> written =
      expr->kind != NodeKind::Call ? model::written_as(scope_of(site), expr) : std::vector<model::Argument::Given>{};
  const Expr *found = written.size() == 1 ? written[0].expr : nullptr;
  const auto *call = as<Call>(found != nullptr ? found : expr);
  if ((found != nullptr && call == nullptr) || (call != nullptr && !called_api(site, *call).empty())) {
    return found != nullptr ? found : expr;
  }
  if (site.function == nullptr) {
    return nullptr;
  }
  u32 count = 0;
  visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    count += is_none(origin.expr) || origin.expr == found ? 0 : 1;
    found = is_none(origin.expr) ? found : origin.expr;
    return Onward::Stop;
  });
  return count == 1 ? found : nullptr;
}

} // namespace

std::string_view step_name(const Site &site, const Call &step) {
  const std::string_view api = called_api(site, step);
  if (!api.starts_with("torchvision.transforms.")) {
    return {};
  }
  return api.substr(api.rfind('.') + 1);
}

std::vector<const Call *> transform_steps(const Site &site, const Expr *transform) {
  const Expr *written = transform != nullptr ? written_once(site, transform) : nullptr;
  const auto *call = as<Call>(written);
  if (call == nullptr) {
    return {};
  }
  const std::string_view name = step_name(site, *call);
  if (name != "Compose") {
    return name.empty() ? std::vector<const Call *>{} : std::vector{call};
  }
  const Expr *given = argument(*call, 0, "transforms");
  const auto *list = as<List>(given != nullptr ? written_once(site, given) : nullptr);
  std::vector<const Call *> steps;
  if (list != nullptr) {
    for (const Expr *element : list->elts) {
      if (const auto *step = as<Call>(element)) {
        steps.push_back(step);
      }
    }
  }
  return steps;
}

namespace {

bool is_random(std::string_view name) {
  return name.starts_with("Random") || name == "ColorJitter" || name == "AutoAugment" || name == "RandAugment" ||
         name == "TrivialAugmentWide" || name == "AugMix" || name == "ElasticTransform";
}

} // namespace

const Call *random_step(const Site &site, const Expr *transform) {
  for (const Call *step : transform_steps(site, transform)) {
    if (is_random(step_name(site, *step))) {
      return step;
    }
  }
  return nullptr;
}

const Call *random_step_in_call(const Site &site, const model::CallSite &call, const Expr *transform) {
  const Call *found = nullptr;
  bool is_only = true;
  visit_origins_in_call(
      site, call, transform,
      [&](const Origin &origin) {
        const auto *step = as<Call>(origin.expr);
        if (step == nullptr) {
          return origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
        }
        const std::string_view name = step_name(site, *step);
        if (name == "Compose" && !step->args.empty()) {
          origin.next = {step->args[0]};
          return Onward::Next;
        }
        found = found == nullptr && is_random(name) ? step : found;
        return Onward::Stop;
      },
      &is_only);
  return is_only ? found : nullptr;
}

} // namespace deepperf::rules
