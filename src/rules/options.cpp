#include "rules/options.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

const model::ConstantValue *certain(const std::optional<model::ConstantValue> &constant) {
  return constant.has_value() && !constant->overridable ? &*constant : nullptr;
}

} // namespace

std::optional<bool> Option::as_bool() const {
  const model::ConstantValue *const known = certain(constant);
  return known != nullptr ? known->as_bool() : std::nullopt;
}

std::optional<i64> Option::as_integer() const {
  const model::ConstantValue *const known = certain(constant);
  return known != nullptr ? known->as_integer() : std::nullopt;
}

std::optional<std::string> Option::as_string() const {
  const model::ConstantValue *const known = certain(constant);
  return known != nullptr ? known->as_string() : std::nullopt;
}

Option option_of(const Site &site, const Call &call, std::string_view name) {
  Option option;
  const model::Argument argument = argument_of(site, call, ~0U, name);
  option.is_absent = argument.is_absent();
  option.written = keyword_argument(call, name);
  if (!argument.unknown && !argument.may_be_absent && argument.given.size() == 1) {
    option.value = argument.given[0].expr;
    option.scope = argument.given[0].scope;
    option.constant = setting_of(site, argument, model::ConstantValue::none());
  }
  return option;
}

bool are_absent(const Site &site, const Call &call, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(names,
                             [&](std::string_view name) { return argument_of(site, call, ~0U, name).is_absent(); });
}

Finding &report_option(Site &site, const Call &call, const Option &option, std::string message, std::string advice) {
  if (option.written != nullptr || option.value == nullptr) {
    const Node &place = option.written != nullptr ? static_cast<const Node &>(*option.written) : call;
    return report(site, place, std::move(message), std::move(advice));
  }
  Finding &finding = report(site.findings, *site.rule, *option.scope.module, option.value->span(), std::move(message),
                            std::move(advice));
  finding.notes.push_back({site.module->file, call.span(), "the option is used here"});
  return finding;
}

} // namespace deepperf::rules
