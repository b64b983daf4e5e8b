// Which defaults do options of the command line have: argparse, absl flags, click?
#include "model/constant_evaluator.h"
#include "python/call.h"
#include "python/literals.h"

namespace deepperf::model {

using namespace python;

// `@click.option("--workers", default=4)` above the function.
CallPlace ConstantEvaluator::click_option(const FunctionInfo &function, Symbol name) const {
  const FunctionDef *definition = function.definition();
  const FunctionInfo *const around = function.parent != nullptr ? function.parent : &function;
  if (definition == nullptr || !name) {
    return {};
  }
  const auto found = index_.options.find(name.id);
  if (found != index_.options.end()) {
    for (const Expr *decorator : definition->decorators) {
      for (const CallPlace &option : found->second) {
        if (option.call == decorator) {
          return {around, option.call};
        }
      }
    }
  }
  return {};
}

// The default of add_argument(…), DEFINE_…(…) or click.option(…).
void ConstantEvaluator::option_sources(const CallPlace &option, Sources &into) {
  const Scope at = scope_of(project_, *option.function);
  if (called_name(*option.call).starts_with("DEFINE_")) {
    if (const Expr *value = python::argument(*option.call, 1, "default")) {
      into.given.push_back({at, value, true});
    } else {
      into.unknown = true;
    }
    return;
  }
  if (const Keyword *value = keyword_argument(*option.call, "default")) {
    into.given.push_back({at, value->value, true});
    return;
  }
  const Keyword *const action = keyword_argument(*option.call, "action");
  const Keyword *const flag = keyword_argument(*option.call, "is_flag");
  ConstantValue preset = ConstantValue::none();
  if (action != nullptr) {
    const StringConstant *const text = as_string(action->value);
    const std::string kind = text != nullptr ? string_value(at.module->parsed->source, *text) : std::string{};
    if (kind == "store_true" || kind == "store_false") {
      preset = ConstantValue::of(kind == "store_false");
    } else if (kind != "store") {
      into.unknown = true;
      return;
    }
  } else if (flag != nullptr && is_constant(flag->value, ConstantKind::True)) {
    preset = ConstantValue::of(false);
  }
  for (const Keyword *keyword : option.call->keywords) {
    into.unknown |= !keyword->name;
  }
  preset.overridable = true;
  into.presets.push_back(preset);
}

// `args.workers` of what argparse parsed.
void ConstantEvaluator::parsed_sources(const Value &parsed, Symbol name, Sources &into) {
  const auto is_same_parser = [&parsed](const Value &parser) {
    bool found = parser.is_unknown();
    for_each_alternative(parser, [&](const Value &one) {
      for_each_alternative(parsed, [&](const Value &other) { found |= one.maker() == other.maker(); });
    });
    return found;
  };
  const auto options = index_.options.find(name.id);
  if (options == index_.options.end()) {
    into.unknown = true;
    return;
  }
  for (const CallPlace &option : options->second) {
    if (is_same_parser(value_of(scope_of(project_, *option.function), receiver_of(*option.call)))) {
      option_sources(option, into);
    }
  }
  const auto stores = index_.attribute_stores.find(name.id);
  if (stores != index_.attribute_stores.end()) {
    for (const AttributeStore &store : stores->second) {
      const Value object = value_of(scope_of(project_, *store.function), store.object);
      into.unknown |=
          object.is_unknown() || object.is_kind(Kind::ArgumentNamespace) || object.is_kind(Kind::ArgumentParser);
    }
  }
}

} // namespace deepperf::model
