#include "rules/best_value.h"

#include "model/bind.h"
#include "model/definitions.h"
#include "rules/tree.h"

#include <algorithm>
#include <limits>

namespace deepperf::rules {

using namespace python;

double start_of(const Site &site, const Expr *expr) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (const auto *negated = as<UnaryOp>(expr); negated != nullptr && negated->op() == UnaryOperator::USub) {
    return -start_of(site, negated->operand);
  }
  if (const auto *call = as<Call>(expr);
      call != nullptr && call->args.size() == 1 && called_api(site, *call) == "float") {
    const std::string text = string_of(site, call->args[0]).value_or("");
    return text.find("inf") == std::string::npos ? kUnknown : text.starts_with("-") ? -kInfinity : kInfinity;
  }
  if (const auto *attribute = as<Attribute>(expr); attribute != nullptr && attribute->value->kind == NodeKind::Name) {
    const std::string_view name = attribute->attr.text();
    if (name == "inf" || name == "Inf" || name == "infty") {
      return kInfinity;
    }
  }
  return number_of(site, expr).value_or(kUnknown);
}

namespace {

// `self.best = …` in a class that has nothing to do with the one around the place.
bool is_of_another_class(const Site &site, const model::AttributeStore &store) {
  const model::ClassInfo *const other = store.function != nullptr ? store.function->type : nullptr;
  const model::ClassInfo *const own = site.function->type;
  return other != nullptr && own != nullptr && model::is_own_object(*store.function, store.object) &&
         std::ranges::find(own->mro, other) == own->mro.end() && std::ranges::find(other->mro, own) == other->mro.end();
}

} // namespace

const Expr *set_before(const Site &site, const Expr *best, const Expr *update) {
  const model::Definitions &definitions = model::definitions_of(site.project);
  const Expr *found = nullptr;
  bool is_one = true;
  const auto take = [&](const Expr *value) {
    if (value != update) {
      is_one = is_one && found == nullptr && value != nullptr;
      found = value;
    }
  };
  if (const auto *name = as<Name>(best)) {
    const auto bindings = definitions.bindings.find(site.function);
    if (bindings == definitions.bindings.end()) {
      return nullptr;
    }
    for (const model::Binding &binding : bindings->second) {
      if (binding.name == name->id) {
        take(binding.value);
      }
    }
  } else if (const auto *attribute = as<Attribute>(best);
             attribute != nullptr && model::is_own_object(*site.function, attribute->value)) {
    const auto stores = definitions.attribute_stores.find(attribute->attr.id);
    if (stores == definitions.attribute_stores.end()) {
      return nullptr;
    }
    for (const model::AttributeStore &store : stores->second) {
      if (store.function != nullptr && store.function->type == site.function->type) {
        take(store.value);
      } else if (!is_of_another_class(site, store)) {
        is_one = false;
      }
    }
  }
  return is_one ? found : nullptr;
}

bool keeps_model(const Site &site, const If &branch) {
  return any_node(branch.body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const std::string_view name = called_name(*call);
    return name == "state_dict" || name == "deepcopy" || name.starts_with("save") || name == "dump" ||
           called_api(site, *call) == "torch.save";
  });
}

} // namespace deepperf::rules
