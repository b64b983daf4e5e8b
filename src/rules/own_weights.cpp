#include "rules/own_weights.h"

#include <algorithm>

namespace deepperf::rules {

using model::Value;

namespace {

constexpr u32 kMostNested = 3; // modules in modules

bool may_have_weights(const model::ClassInfo &type, u32 depth) {
  const auto may_be_weight = [depth](const auto &attribute) {
    const Value &value = attribute.second.value;
    bool may = !value.known();
    model::for_each_alternative(value, [&](const Value &one) {
      const bool is_own = one.is(Value::Tag::Object);
      may |= is_own ? depth == kMostNested || may_have_weights(*one.type, depth + 1)
                    : is_torch_module(one) || one.is_kind(Kind::TorchTensor);
    });
    return may;
  };
  return !type.subclasses.empty() || std::ranges::any_of(type.mro, [&](const model::ClassInfo *at) {
    return std::ranges::any_of(at->attributes, may_be_weight);
  });
}

} // namespace

bool is_torch_module(const Value &value) {
  return value.is_kind(Kind::TorchModule) || value.is_kind(Kind::HfModel) ||
         (value.is(Value::Tag::Object) && value.type->kind == Kind::TorchModule);
}

bool may_have_weights(const model::ClassInfo &type) { return may_have_weights(type, 0); }

} // namespace deepperf::rules
