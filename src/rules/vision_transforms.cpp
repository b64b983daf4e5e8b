#include "rules/vision_transforms.h"

#include "rules/tree.h"

namespace deepperf::rules {

using namespace python;

namespace {

// What a function of the project returns at its end, where it returns nothing else; null if that is not so.
const Expr *only_result(const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  const auto *last = definition != nullptr && !definition->body.empty()
                         ? as<Return>(definition->body[definition->body.size() - 1])
                         : nullptr;
  const bool has_others = last == nullptr || any_node(definition->body, [last](const Node *node) {
                            return node->kind == NodeKind::Return && node != last;
                          });
  return has_others ? nullptr : last->value;
}

// The one expression that the value is written as; null if there are several.
const Expr *written_once(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (const model::FunctionInfo *made = call != nullptr ? called_function(site, *call) : nullptr) {
    const Expr *const result = only_result(*made); // build_transform(size)
    return result != nullptr && result->kind == NodeKind::Call ? result : nullptr;
  }
  if (expr->kind == NodeKind::Call || expr->kind == NodeKind::List) {
    return expr;
  }
  const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), expr);
  return written.size() == 1 ? written[0].expr : nullptr;
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

const Call *random_step(const Site &site, const Expr *transform) {
  for (const Call *step : transform_steps(site, transform)) {
    const std::string_view name = step_name(site, *step);
    if (name.starts_with("Random") || name == "ColorJitter" || name == "AutoAugment" || name == "RandAugment" ||
        name == "TrivialAugmentWide" || name == "AugMix" || name == "ElasticTransform") {
      return step;
    }
  }
  return nullptr;
}

} // namespace deepperf::rules
