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

namespace {

const model::ClassInfo *lightning_module_below(const model::ClassInfo &type, u32 depth) {
  constexpr u32 kMostDepth = 4;
  if (is_lightning_module(type)) {
    return &type;
  }
  for (const model::ClassInfo *below : depth < kMostDepth ? type.subclasses : decltype(type.subclasses){}) {
    if (const model::ClassInfo *found = lightning_module_below(*below, depth + 1); found != nullptr) {
      return found;
    }
  }
  return nullptr;
}

} // namespace

const model::ClassInfo *lightning_module_of(const model::ClassInfo &type) { return lightning_module_below(type, 0); }

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

namespace {

bool is_training_step(const model::FunctionInfo *function) {
  return function != nullptr && function->type != nullptr && function->name &&
         function->name.text() == "training_step" && lightning_module_of(*function->type) != nullptr;
}

bool is_called_by_step(const model::FunctionInfo *function, u32 depth) {
  constexpr u32 kMostDepth = 3;
  constexpr std::size_t kMostCallers = 16;
  if (is_training_step(function)) {
    return true;
  }
  return function != nullptr && depth < kMostDepth && function->called_by.size() <= kMostCallers &&
         std::ranges::any_of(function->called_by, [&](const model::CallSite *caller) {
           return caller->caller != function && !caller->conditional && is_called_by_step(caller->caller, depth + 1);
         });
}

} // namespace

bool in_lightning_training_step(const Site &site) { return is_training_step(site.function); }

bool leads_from_training_step(const Site &site) { return is_called_by_step(site.function, 0); }

} // namespace deepperf::rules
