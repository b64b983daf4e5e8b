// Function summaries: which operations a call leads to, at any depth, and on which of its arguments they depend.
// Bottom-up over the call graph; where functions call each other in a circle, the circle is cut.
#include "base/steps.h"
#include "model/bind.h"
#include "model/call_order.h"
#include "model/project.h"
#include "model/variance.h"

#include <algorithm>

namespace deepperf::model {

namespace {

// A summary names this many operations at most: enough to say what a call costs, and a bound for what it takes.
constexpr std::size_t kMostReached = 24;

bool follows(const CallSite &site) {
  return !site.once && !site.behind_guard && !site.by_type && !site.in_tape && !site.callee->traced;
}

void summarise_function(const Project &project, const FunctionInfo &function, std::vector<ReachedOp> &all) {
  const DependencyFinder finder(project, function);
  for (const OpFact &op : function.ops) {
    if (all.size() >= kMostReached) {
      return;
    }
    if (op.once || op.behind_guard || op.by_type || op.in_tape || op.initial_value ||
        (op.traits & (kRandom | kVariable)) != 0) {
      continue;
    }
    ReachedOp reached;
    reached.op = &op;
    reached.function = &function;
    Dependencies dependencies = finder.of(op.call);
    reached.params = dependencies.params;
    reached.attributes = std::move(dependencies.attributes);
    reached.varies = dependencies.varies;
    all.push_back(std::move(reached));
  }
  for (const CallSite &site : function.calls) {
    // None: where a circle of calls is cut.
    const std::vector<ReachedOp> *const callees = follows(site) ? site.callee->reached.get() : nullptr;
    if (callees == nullptr) {
      continue;
    }
    for (const ReachedOp &inner : *callees) {
      if (all.size() >= kMostReached) {
        return;
      }
      ReachedOp reached;
      reached.op = inner.op;
      reached.function = inner.function;
      reached.through = &site;
      reached.next = &inner;
      reached.varies = inner.varies;
      if (!inner.attributes.empty()) {
        // Attributes of our own object stay what they are; of another object nothing is known.
        const auto *method = python::as<python::Attribute>(site.call->func);
        const bool is_self = method != nullptr && is_own_object(function, method->value);
        reached.varies |= !is_self;
        reached.attributes = inner.attributes;
      }
      for (u32 i = 0; i < 64 && i < site.callee->params.size() && !reached.varies; ++i) {
        if ((inner.params >> i & 1U) == 0) {
          continue;
        }
        const python::Expr *passed = passed_argument(site, i);
        if (passed == nullptr) {
          continue; // its default, or the object itself
        }
        Dependencies dependencies = finder.of(passed);
        reached.params |= dependencies.params;
        reached.varies |= dependencies.varies;
        reached.attributes.insert(reached.attributes.end(), dependencies.attributes.begin(),
                                  dependencies.attributes.end());
      }
      all.push_back(std::move(reached));
    }
  }
}

} // namespace

const std::vector<ReachedOp> &reached_by(const Project &project, const FunctionInfo &function) {
  const auto is_done = [](const FunctionInfo &callee) { return callee.reached.get() != nullptr; };
  if (is_done(function)) {
    return *function.reached.get();
  }
  // Summaries point into each other, so that nobody else may make another one of the same function.
  const std::scoped_lock lock(project.work_once);
  if (!is_done(function)) {
    const SharedWork shared;
    in_call_order(function, is_done, follows, [&](std::span<const FunctionInfo *const> circle) {
      const ReadScope reads;
      for (const FunctionInfo *member : circle) {
        auto all = std::make_unique<std::vector<ReachedOp>>();
        summarise_function(project, *member, *all);
        member->reached.set(std::move(all));
      }
    });
  }
  return *function.reached.get();
}

} // namespace deepperf::model
