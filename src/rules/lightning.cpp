#include "rules/lightning.h"

#include <algorithm>

namespace deepperf::rules {

using model::Value;

bool is_lightning_module(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const Value &base) {
      return base.is(Value::Tag::Api) && base.name().text() == "pytorch_lightning.LightningModule";
    });
  });
}

bool in_lightning_training_step(const Site &site) {
  const model::FunctionInfo *function = site.function;
  return function != nullptr && function->type != nullptr && function->name &&
         function->name.text() == "training_step" && is_lightning_module(*function->type);
}

} // namespace deepperf::rules
