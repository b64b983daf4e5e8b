#include "rules/session_feed.h"

#include "model/bind.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Value;

bool is_session_run(const Site &site, const Call &call) {
  const Expr *receiver = receiver_of(call);
  if (receiver == nullptr || called_method(call) != "run") {
    return false;
  }
  return model::kind_of(receiver) == Kind::Session ||
         (model::kind_of(receiver) == Kind::Unknown && site.module->tensorflow && model::is_named_session(receiver));
}

bool fetches_train_op(const Site &site, const Expr *fetches) {
  if (fetches == nullptr) {
    return false;
  }
  const auto any = [&site](const Array<Expr *> &parts) {
    return std::ranges::any_of(parts, [&site](const Expr *part) { return fetches_train_op(site, part); });
  };
  if (const auto *list = as<List>(fetches)) {
    return any(list->elts);
  }
  if (const auto *tuple = as<Tuple>(fetches)) {
    return any(tuple->elts);
  }
  const Value value = value_of(site, fetches);
  if (value.is_kind(Kind::Operation) && value.name()) {
    const std::string_view made = value.name().text();
    return made == "minimize" || made == "apply_gradients";
  }
  const auto *name = as<Name>(fetches);
  const auto *attribute = as<Attribute>(fetches);
  const std::string_view text = name != nullptr        ? name->id.text()
                                : attribute != nullptr ? attribute->attr.text()
                                                       : std::string_view{};
  return !value.known() && (text == "train_op" || text == "_train_op" || text == "train_step" || text == "train_ops" ||
                            text == "optimizer" || text == "opt_op" || text == "training_op");
}

const Dict *fed_dict(const Site &site, const Call &call) {
  const Expr *fed = argument(call, 1, "feed_dict");
  if (const auto *dict = as<Dict>(fed)) {
    return dict;
  }
  const auto *name = as<Name>(fed);
  return name != nullptr ? as<Dict>(last_assigned(site, *name)) : nullptr;
}

bool plays_games(const model::Module &module) {
  return std::ranges::any_of(module.parsed->imports, [](const model::ImportRef &import) {
    const std::string_view name = import.module ? import.module.text() : std::string_view{};
    return name.starts_with("gym") || name.find(".gym") != std::string_view::npos ||
           name.find("baselines") != std::string_view::npos || name.starts_with("tf_agents");
  });
}

} // namespace deepperf::rules
