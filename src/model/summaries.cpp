// Function summaries: which operations a call leads to, at any depth, and on which of its arguments they depend.
// Bottom-up over the call graph; where functions call each other in a circle, the circle is cut.
#include "model/bind.h"
#include "model/project.h"
#include "model/variance.h"

#include <algorithm>

namespace deepperf::model {

namespace {

// A summary names this many operations at most: enough to say what a call costs, and a bound for what it takes.
constexpr std::size_t kMostReached = 24;

void summarise_function(const Project &project, FunctionInfo &function) {
  if (function.summarised) {
    return;
  }
  function.summarised = true;             // also where a circle of calls comes back to it
  function.reached.reserve(kMostReached); // so that nothing that points into it ever moves
  const DependencyFinder finder(project, function);
  for (const OpFact &op : function.ops) {
    if (function.reached.size() >= kMostReached) {
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
    function.reached.push_back(std::move(reached));
  }
  for (const CallSite &site : function.calls) {
    if (site.once || site.behind_guard || site.by_type || site.in_tape || site.callee->traced) {
      continue;
    }
    summarise_function(project, *site.callee);
    for (const ReachedOp &inner : site.callee->reached) {
      if (function.reached.size() >= kMostReached) {
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
      function.reached.push_back(std::move(reached));
    }
  }
}

} // namespace

const std::vector<ReachedOp> &reached_by(const Project &project, FunctionInfo &function) {
  summarise_function(project, function);
  return function.reached;
}

} // namespace deepperf::model
