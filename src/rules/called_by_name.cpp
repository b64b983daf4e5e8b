#include "rules/called_by_name.h"

#include "model/variance.h"
#include "python/literals.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules {

using namespace python;

namespace {

struct NamedCalls {
  std::unordered_map<u32, std::vector<const model::CallSite *>> of; // by the method's name
};

// A name that is made of a parameter: `hook`, f"on_{hook}".
struct NamePattern {
  u32 param = 0;
  std::string before;
  std::string after;
};

std::optional<NamePattern> pattern_of(const model::FunctionInfo &function, const Expr *expr) {
  NamePattern pattern;
  const Name *name = as<Name>(expr);
  if (const auto *joined = as<JoinedStr>(expr)) {
    for (const Expr *part : joined->values) {
      const auto *value = as<FormattedValue>(part);
      if (value != nullptr && (name != nullptr || value->format_spec != nullptr)) {
        return std::nullopt;
      }
      if (value != nullptr) {
        name = as<Name>(value->value);
      } else if (const StringConstant *text = as_string(part)) {
        (name != nullptr ? pattern.after : pattern.before) += string_value(function.module->parsed->source, *text);
      }
    }
  }
  for (u32 i = 0; name != nullptr && i < function.params.size(); ++i) {
    if (function.params[i]->name == name->id) {
      pattern.param = i;
      return pattern;
    }
  }
  return std::nullopt;
}

// What a function gets by a name that it is given, and may call: `getattr(callback, hook)`.
std::vector<NamePattern> names_called(const model::FunctionInfo &function) {
  std::vector<NamePattern> found;
  const FunctionDef *const definition = function.definition();
  if (definition == nullptr || function.params.empty()) {
    return found;
  }
  any_node(definition->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *callee = call != nullptr ? as<Name>(call->func) : nullptr;
    if (callee != nullptr && callee->id.text() == "getattr" && call->args.size() >= 2) {
      if (std::optional<NamePattern> pattern = pattern_of(function, call->args[1])) {
        found.push_back(*std::move(pattern));
      }
    }
    return false;
  });
  return found;
}

NamedCalls find_named_calls(const Site &site) {
  NamedCalls found;
  for (const model::FunctionInfo &function : site.project.functions) {
    if (function.called_by.empty()) {
      continue;
    }
    for (const NamePattern &pattern : names_called(function)) {
      for (const model::CallSite *caller : function.called_by) {
        const Expr *given = model::passed_argument(*caller, pattern.param);
        const auto name =
            given != nullptr ? model::constant_of(scope_of(site_of(site, *caller->call)), given) : std::nullopt;
        if (name.has_value() && name->as_string().has_value()) {
          found.of[intern(pattern.before + name->text + pattern.after).id].push_back(caller);
        }
      }
    }
  }
  return found;
}

} // namespace

const std::vector<const model::CallSite *> &calls_by_name(const Site &site, Symbol method) {
  static const std::vector<const model::CallSite *> kNone;
  const NamedCalls &all = site.memory.recall<NamedCalls>(&site.project, [&] { return find_named_calls(site); });
  const auto known = all.of.find(method.id);
  return known != all.of.end() ? known->second : kNone;
}

} // namespace deepperf::rules
