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

bool is_plain_lightning_module(const model::ClassInfo &type) {
  const auto is_known = [](const Value &base) {
    return base.is(Value::Tag::Class) ||
           (base.is(Value::Tag::Api) && (base.name().text() == "pytorch_lightning.LightningModule" ||
                                         base.name().text() == "abc.ABC" || base.name().text() == "object"));
  };
  return is_lightning_module(type) && std::ranges::all_of(type.mro, [&](const model::ClassInfo *at) {
           return std::ranges::all_of(at->bases, is_known);
         });
}

namespace {

bool has_attribute(const model::ClassInfo &type, Symbol name) {
  return type.members.contains(name.id) || std::ranges::binary_search(type.stored, name.id);
}

bool is_in_subclasses(const model::ClassInfo &type, Symbol name, u32 depth) {
  constexpr u32 kMostDepth = 8;
  return std::ranges::any_of(type.subclasses, [&](const model::ClassInfo *below) {
    return has_attribute(*below, name) || (depth < kMostDepth && is_in_subclasses(*below, name, depth + 1));
  });
}

} // namespace

bool has_attribute_in_family(const model::ClassInfo &type, std::string_view name) {
  const Symbol symbol = intern(name);
  return std::ranges::any_of(type.mro, [&](const model::ClassInfo *at) { return has_attribute(*at, symbol); }) ||
         is_in_subclasses(type, symbol, 0);
}

bool in_lightning_training_step(const Site &site) {
  const model::FunctionInfo *function = site.function;
  return function != nullptr && function->type != nullptr && function->name &&
         function->name.text() == "training_step" && is_lightning_module(*function->type);
}

} // namespace deepperf::rules
