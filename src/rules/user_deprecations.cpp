#include "rules/user_deprecations.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

std::vector<UserDeprecation> &deprecations() {
  static std::vector<UserDeprecation> all;
  return all;
}

// Takes `part` from the end of a dotted name; false if something else is there.
bool take_last(std::string_view &dotted, std::string_view part) {
  const std::size_t dot = dotted.rfind('.');
  if (dotted.empty() || dotted.substr(dot == dotted.npos ? 0 : dot + 1) != part) {
    return false;
  }
  dotted = dotted.substr(0, dot == dotted.npos ? 0 : dot);
  return true;
}

// Where the project's root is, is not known: a module's path may be longer than its name.
bool names_module(std::string_view dotted, const model::Module &module) {
  for (std::size_t i = module.parts.size(); i > 0 && !dotted.empty(); --i) {
    if (!take_last(dotted, module.parts[i - 1].text())) {
      return false;
    }
  }
  return dotted.empty();
}

bool names_class(std::string_view dotted, const model::ClassInfo &type) {
  return take_last(dotted, type.name.text()) && type.module != nullptr && names_module(dotted, *type.module);
}

bool names_value(std::string_view dotted, const model::Value &value) {
  switch (value.tag) {
  case model::Value::Tag::Api:
    return value.name().text() == dotted || value.name() == canonical_name(dotted);
  case model::Value::Tag::Class:
    return names_class(dotted, *value.type);
  case model::Value::Tag::Function:
  case model::Value::Tag::Method: {
    const model::FunctionInfo &function = *value.function;
    if (!take_last(dotted, function.name.text())) {
      return false;
    }
    return function.type != nullptr ? names_class(dotted, *function.type)
                                    : function.module != nullptr && names_module(dotted, *function.module);
  }
  default:
    return false;
  }
}

} // namespace

void set_user_deprecations(std::vector<UserDeprecation> all) { deprecations() = std::move(all); }

const UserDeprecation *user_deprecation_of(const Site &site, const Node &node) {
  if (deprecations().empty() || node.context != Context::Load) {
    return nullptr;
  }
  const model::Value value = value_of(site, static_cast<const Expr *>(&node));
  const auto found = std::ranges::find_if(
      deprecations(), [&value](const UserDeprecation &one) { return names_value(one.name, value); });
  return found != deprecations().end() ? &*found : nullptr;
}

std::vector<std::string_view> user_deprecated_names() {
  std::vector<std::string_view> names;
  for (const UserDeprecation &one : deprecations()) {
    names.push_back(std::string_view(one.name).substr(one.name.rfind('.') + 1));
  }
  return names;
}

} // namespace deepperf::rules
