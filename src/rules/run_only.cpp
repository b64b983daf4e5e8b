#include "rules/run_only.h"

#include "python/children.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;

bool keeps_weights(std::string_view member) {
  constexpr std::string_view kHarmless[] = {"encode",
                                            "decode",
                                            "eval",
                                            "to",
                                            "cuda",
                                            "half",
                                            "float",
                                            "bfloat16",
                                            "config",
                                            "dtype",
                                            "device",
                                            "generate",
                                            "encode_image",
                                            "encode_text",
                                            "get_image_features",
                                            "get_text_features",
                                            "enable_slicing",
                                            "enable_tiling",
                                            "enable_xformers_memory_efficient_attention"};
  return std::ranges::find(kHarmless, member) != std::end(kHarmless);
}

namespace {

// The names that a function calls, and those that it does something else with.
struct RunNames {
  std::unordered_set<u32> run;
  std::unordered_set<u32> other;
};

bool is_run_at(const Site &site, const Call &call, const Expr &given, u32 depth);

RunNames find_run_names(const Site &site, const FunctionDef &definition, u32 depth) {
  RunNames found;
  const auto visit = [&](const auto &self, const Node *node, const Node *parent) -> void {
    const auto *outer = as<Call>(parent);
    const auto *member = as<Attribute>(parent);
    if (const auto *use = as<Name>(node)) {
      const bool is_run = outer != nullptr && (outer->func == use || is_run_at(site, *outer, *use, depth + 1));
      if (is_run) {
        found.run.insert(use->id.id);
      } else if (member == nullptr || !keeps_weights(member->attr.text())) {
        found.other.insert(use->id.id);
      }
    }
    for_each_child(node, [&](const Node *child) { self(self, child, node); });
  };
  for (const Stmt *statement : definition.body) {
    visit(visit, statement, nullptr);
  }
  return found;
}

// The parameter that an argument is passed for, by its place or by name; none if it is not known.
Symbol parameter_for(const model::FunctionInfo &function, const Call &call, const Expr &given) {
  const auto named = std::ranges::find(call.keywords, &given, &Keyword::value);
  if (named != call.keywords.end()) {
    return (*named)->name && function.has_param((*named)->name) ? (*named)->name : Symbol{};
  }
  const auto at = std::ranges::find(call.args, &given);
  const std::size_t place =
      static_cast<std::size_t>(at - call.args.begin()) + (function.type != nullptr && !function.is_static ? 1 : 0);
  return at != call.args.end() && place < function.params.size() ? function.params[static_cast<u32>(place)]->name
                                                                 : Symbol{};
}

bool is_run_at(const Site &site, const Call &call, const Expr &given, u32 depth) {
  constexpr u32 kMostPassed = 3;
  const model::FunctionInfo *const function = depth < kMostPassed ? called_function(site, call) : nullptr;
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr) {
    return false;
  }
  const Symbol param = parameter_for(*function, call, given);
  if (!param) {
    return false;
  }
  const auto find = [&] { return find_run_names(site, *definition, depth); };
  const RunNames uses = depth == 0 ? site.memory.recall<RunNames>(definition, find) : find();
  return uses.run.contains(param.id) && !uses.other.contains(param.id);
}

} // namespace

bool is_run_by_callee(const Site &site, const Call &call, const Expr &given) { return is_run_at(site, call, given, 0); }

} // namespace deepperf::rules
