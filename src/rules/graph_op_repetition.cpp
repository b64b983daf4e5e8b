#include "rules/graph_op_repetition.h"

#include "model/variance.h"
#include "python/children.h"
#include "rules/graph_op.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Loop;
using model::OpFact;

namespace {

bool gives_names(const Expr *scope) {
  const auto *call = as<Call>(scope);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  return method != nullptr && (method->attr.text() == "name_scope" || method->attr.text() == "variable_scope");
}

void count_stores(const Node *node, std::unordered_map<u32, u32> &names) {
  if (const auto *name = as<Name>(node); name != nullptr && name->context == Context::Store) {
    ++names[name->id.id];
  }
  for_each_child(node, [&names](const Node *child) { count_stores(child, names); });
}

} // namespace

bool GraphOpRepetition::is_invariant(const OpFact &op, const Loop &loop) {
  if (needs_session(op) || op.api.text().ends_with("TensorArray") || is_broken(loop) ||
      (op.traits & kStatefulOp) != 0 || starts_accumulation(op, loop) || model::varies(project_, loop, op.call)) {
    return false;
  }
  return !stands_in_scope_of_iteration(op, loop, false); // on another device in each iteration
}

bool GraphOpRepetition::is_broken(const Loop &loop) {
  const Node *const around = loop.function->node != nullptr ? loop.function->node : loop.node;
  return std::ranges::any_of(loop.function->module->parsed->tree.errors, [around](const SyntaxError &error) {
    return around->start <= error.span.start && error.span.start <= around->end;
  });
}

bool GraphOpRepetition::stands_in_scope_of_iteration(const OpFact &op, const Loop &loop, bool names) const {
  for (const model::OpScope *scope = op.scope; scope != nullptr; scope = scope->outer) {
    if (gives_names(scope->context) == names && contains(loop.node, scope->context) &&
        depends_on(scope->context, loop)) {
      return true;
    }
  }
  return false;
}

// Only what is passed counts: that the scope itself does something is nothing new.
bool GraphOpRepetition::depends_on(const Expr *scope, const Loop &loop) const {
  const auto *call = as<Call>(scope);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  return call == nullptr || (method != nullptr && model::varies(project_, loop, method->value)) ||
         std::ranges::any_of(call->args, [&](const Expr *arg) { return model::varies(project_, loop, arg); }) ||
         std::ranges::any_of(call->keywords,
                             [&](const Keyword *keyword) { return model::varies(project_, loop, keyword->value); });
}

// `total = tf.zeros(…)`, which an inner loop then adds to: each iteration needs its own.
bool GraphOpRepetition::starts_accumulation(const OpFact &op, const Loop &loop) {
  if (!op.target || (op.traits & kConstant) == 0) {
    return false;
  }
  const Stores &stores = stores_of(loop);
  const auto known = stores.names.find(op.target.id);
  u32 bindings = known != stores.names.end() ? known->second : 0;
  const auto own = std::ranges::upper_bound(stores.going_on, op.call->start, {}, &Assign::start);
  if (own != stores.going_on.begin() && contains(*(own - 1), op.call)) {
    std::unordered_map<u32, u32> names;
    for (const Expr *target : (*(own - 1))->targets) {
      count_stores(target, names);
    }
    bindings += names[op.target.id];
  }
  return bindings > 1;
}

const GraphOpRepetition::Stores &GraphOpRepetition::stores_of(const Loop &loop) {
  const auto [known, is_new] = stores_.try_emplace(&loop);
  if (is_new) {
    Stores &stores = known->second;
    for_each_child(loop.node, [&stores](const Node *child) {
      const auto *assignment = as<Assign>(child);
      const bool goes_on = assignment != nullptr && assignment->value->kind == NodeKind::Call;
      if (goes_on) {
        stores.going_on.push_back(assignment);
      }
      count_stores(goes_on ? assignment->value : child, stores.names);
    });
  }
  return known->second;
}

bool GraphOpRepetition::arguments_stay_same(const model::CallSite &site, const Loop &loop) const {
  return std::ranges::none_of(site.call->args, [&](const Expr *arg) { return model::varies(project_, loop, arg); }) &&
         std::ranges::none_of(site.call->keywords,
                              [&](const Keyword *keyword) { return model::varies(project_, loop, keyword->value); });
}

bool GraphOpRepetition::stays_same(const model::CallSite &site, const model::ReachedOp &reached, const Loop &loop) {
  if (reached.varies || needs_session(*reached.op) || (reached.op->traits & kStatefulOp) != 0) {
    return false;
  }
  for (const Symbol attribute : reached.attributes) {
    if (std::ranges::binary_search(loop.attributes, attribute.id, {}, &Symbol::id)) {
      return false;
    }
  }
  if (!reached.attributes.empty()) {
    const std::unordered_set<u32> &stored = stored_by_callees(*loop.function);
    if (std::ranges::any_of(reached.attributes,
                            [&stored](Symbol attribute) { return stored.contains(attribute.id); })) {
      return false;
    }
  }
  // What holds the attributes must itself stay the same.
  if (const auto *method = as<Attribute>(site.call->func);
      method != nullptr && site.bound && model::varies(project_, loop, method->value)) {
    return false;
  }
  for (const Expr *arg : site.call->args) {
    if (arg->kind == NodeKind::Starred) {
      return false;
    }
  }
  for (u32 i = 0; i < 64 && i < site.callee->params.size(); ++i) {
    if ((reached.params >> i & 1U) == 0) {
      continue;
    }
    const Expr *passed = model::passed_argument(site, i);
    if (passed != nullptr && model::varies(project_, loop, passed)) {
      return false;
    }
  }
  return true;
}

// Attributes that the functions which a function calls store to.
const std::unordered_set<u32> &GraphOpRepetition::stored_by_callees(const FunctionInfo &function) {
  const auto [known, is_new] = stored_by_callees_.try_emplace(&function);
  if (is_new) {
    for (const model::CallSite &call : function.calls) {
      for (const Symbol attribute : call.callee->attribute_stores) {
        known->second.insert(attribute.id);
      }
    }
  }
  return known->second;
}

} // namespace deepperf::rules
