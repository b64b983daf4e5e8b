#include "rules/session_branches.h"

#include "model/variance.h"
#include "python/children.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Loop;

bool SessionBranches::runs_elsewhere_only(const Node *node, const Loop &loop) {
  const Branches &branches = branches_of(loop);
  const auto behind = std::ranges::upper_bound(branches.all, node->start, {},
                                               [](const Branch &branch) { return branch.statement->start; });
  const If *outermost = nullptr;
  // The innermost that could be around it, and from there outwards.
  for (std::ptrdiff_t at = behind - branches.all.begin() - 1; at >= 0; at = branches.all[at].parent) {
    const If *const branch = branches.all[at].statement;
    if (contains(branch, node) && !contains(branch->test, node) && !model::varies(project_, loop, branch->test)) {
      outermost = branch;
    }
  }
  if (outermost == nullptr) {
    return false;
  }
  const bool in_body = node->start < outermost->orelse.front()->start;
  const Block &other = in_body ? outermost->orelse : outermost->body;
  const auto [known, is_new] = session_elsewhere_.try_emplace({&loop, other.begin()}, false);
  if (is_new) {
    known->second = runs_session(loop.node, &other);
  }
  return !known->second;
}

const SessionBranches::Branches &SessionBranches::branches_of(const Loop &loop) {
  const auto [known, is_new] = branches_.try_emplace(&loop);
  if (is_new) {
    const auto find = [&all = known->second.all](const auto &self, const Node *at, std::ptrdiff_t parent) -> void {
      for_each_child(at, [&](const Node *child) {
        const auto *branch = as<If>(child);
        std::ptrdiff_t inner = parent;
        if (branch != nullptr && !branch->orelse.empty()) {
          inner = static_cast<std::ptrdiff_t>(all.size());
          all.push_back({branch, parent});
        }
        self(self, child, inner);
      });
    };
    find(find, loop.node, -1);
  }
  return known->second;
}

// Does a session run in the code, somewhere else than in the block?
bool SessionBranches::runs_session(const Node *code, const Block *without) const {
  if (const auto *call = as<Call>(code)) {
    const model::Value callee = project_.callee_of(call);
    const bool is_function = callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method);
    const ApiInfo *const info = callee.is(model::Value::Tag::ApiMethod)
                                    ? find_method(callee.receiver().kind, callee.name())
                                : callee.is(model::Value::Tag::Api) ? find_api(callee.name())
                                                                    : nullptr;
    const auto *method = as<Attribute>(call->func);
    if ((is_function && callee.function->runs_session) || (info != nullptr && info->has(kSessionRun)) ||
        (!callee.known() && method != nullptr && (method->attr.text() == "run" || method->attr.text() == "eval"))) {
      return true;
    }
    if (callee.is(model::Value::Tag::Class) || callee.is(model::Value::Tag::Object)) {
      return true; // who knows what its methods do
    }
  }
  bool found = false;
  for_each_child(code, [&](const Node *child) {
    const bool skipped = child->start >= without->front()->start && child->end <= without->back()->end;
    found = found || (!skipped && runs_session(child, without));
  });
  return found;
}

} // namespace deepperf::rules
