#include "rules/collators.h"

#include "model/bind.h"
#include "model/classes.h"
#include "python/children.h"
#include "rules/reach.h"

#include <unordered_set>

namespace deepperf::rules {

using namespace python;

namespace {

struct Collators {
  std::unordered_set<const model::FunctionInfo *> functions;
};

void find_collators(const model::Project &project, const model::FunctionInfo &function, const Node *node,
                    Collators &found) {
  if (node->kind == NodeKind::Name || node->kind == NodeKind::Constant) {
    return;
  }
  const auto *given = as<Call>(node);
  const Keyword *collate = given != nullptr ? keyword_argument(*given, "collate_fn") : nullptr;
  const Keyword *const collator = given != nullptr ? keyword_argument(*given, "data_collator") : nullptr;
  collate = collate != nullptr ? collate : collator;
  if (collate != nullptr) {
    const model::Value value = model::value_of(model::scope_of(project, function), collate->value);
    for_each_alternative(value, [&](const model::Value &one) {
      if (one.is(model::Value::Tag::Function) || one.is(model::Value::Tag::Method)) {
        found.functions.insert(one.function);
      } else if (one.is(model::Value::Tag::Object)) {
        const model::Value *const call = model::find_member(*one.type, intern("__call__"));
        if (call != nullptr && call->is(model::Value::Tag::Function)) {
          found.functions.insert(call->function);
        }
      }
    });
  }
  const model::FunctionInfo *const inner = project.function_at(node);
  for_each_child(
      node, [&](const Node *child) { find_collators(project, inner != nullptr ? *inner : function, child, found); });
}

const Collators &collators_of(const Site &site) {
  return site.memory.recall<Collators>(&site.project, [&] {
    Collators found;
    for (const model::Module &module : site.project.modules) {
      // Few files name one, and a search of the text is far cheaper than a walk of the tree.
      const bool names_one = has_word(module.parsed->source.text(), {"collate_fn", "data_collator"});
      if (module.torch && module.body != nullptr && names_one) {
        for (const Stmt *statement : module.parsed->tree.body) {
          find_collators(site.project, *module.body, statement, found);
        }
      }
    }
    return found;
  });
}

} // namespace

bool is_collator(const Site &site, const model::FunctionInfo *function) {
  return function != nullptr && collators_of(site).functions.contains(function);
}

} // namespace deepperf::rules
