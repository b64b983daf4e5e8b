#include "rules/origins.h"

#include "rules/tree.h"

#include <unordered_map>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

struct HandedFunctions : std::unordered_map<const FunctionInfo *, std::vector<HandedTo>> {};

class HandedSearch {
public:
  explicit HandedSearch(const model::Project &project) : project_(project) {}

  void visit(const Node *node, const Call *outer) {
    const auto *call = as<Call>(node);
    if (call != nullptr && call->fact != 0 && !call->args.empty()) {
      note(*call, outer);
    }
    for_each_child(node,
                   [&](const Node *child) { visit(child, call != nullptr && child == call->func ? call : nullptr); });
  }

  HandedFunctions found;

private:
  void note(const Call &call, const Call *outer) {
    const Value callee = project_.callee_of(&call);
    const ApiInfo *info = callee.is(Value::Tag::Api) ? find_api(callee.name()) : nullptr;
    if (info == nullptr || !info->has(kTraces) || info->has(kCompiles)) {
      return;
    }
    const FunctionInfo *caller = project_.caller_of(&call);
    const FunctionInfo *function = nullptr;
    if (call.args[0]->kind == NodeKind::Lambda) {
      function = project_.function_at(call.args[0]);
    } else if (caller != nullptr) {
      const Value value = model::value_of(model::scope_of(project_, *caller), call.args[0]);
      function = value.is(Value::Tag::Function) || value.is(Value::Tag::Method) ? value.function : nullptr;
    }
    if (function != nullptr) {
      found[function].push_back({&call, outer, callee.name().text()});
    }
  }

  const model::Project &project_;
};

} // namespace

const std::vector<HandedTo> &handed_to(const Site &site, const FunctionInfo &function) {
  static const std::vector<HandedTo> kNone;
  const HandedFunctions &all = site.memory.recall<HandedFunctions>(&site.project, [&] {
    HandedSearch search(site.project);
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.jax ? module.parsed->tree.body : Block{}) {
        search.visit(statement, nullptr);
      }
    }
    return std::move(search.found);
  });
  const auto found = all.find(&function);
  return found != all.end() ? found->second : kNone;
}

} // namespace deepperf::rules
