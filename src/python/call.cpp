#include "python/call.h"

#include <algorithm>

namespace deepperf::python {

std::string_view called_name(const Call &call) {
  const auto *function = as<Name>(call.func);
  return function != nullptr ? function->id.text() : called_method(call);
}

std::string_view called_method(const Call &call) {
  const auto *method = as<Attribute>(call.func);
  return method != nullptr ? method->attr.text() : std::string_view{};
}

const Expr *receiver_of(const Call &call) {
  const auto *method = as<Attribute>(call.func);
  return method != nullptr ? method->value : nullptr;
}

const Keyword *keyword_argument(const Call &call, std::string_view keyword) {
  for (const Keyword *given : call.keywords) {
    if (given->name && given->name.text() == keyword) {
      return given;
    }
  }
  return nullptr;
}

const Expr *argument(const Call &call, u32 position, std::string_view keyword) {
  if (position < call.args.size()) {
    const bool starred = std::any_of(call.args.begin(), call.args.begin() + position + 1,
                                     [](const Expr *arg) { return arg->kind == NodeKind::Starred; });
    return starred ? nullptr : call.args[position];
  }
  const Keyword *given = keyword_argument(call, keyword);
  return given != nullptr ? given->value : nullptr;
}

bool has_hidden_arguments(const Call &call) {
  return std::ranges::any_of(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; }) ||
         std::ranges::any_of(call.keywords, [](const Keyword *keyword) { return !keyword->name; });
}

} // namespace deepperf::python
