#include "rules/sampling_loop.h"

#include "base/symbol_list.h"
#include "model/context.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/timed.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// Does it call a model that is there before the loop? Of an ensemble or a list of layers each one runs once.
template <class Place> bool calls_model(const Place &place, const model::Loop *loop) {
  return any_node(place, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || model::kind_of(call->func) != Kind::TorchModule || call->func->kind == NodeKind::Call) {
      return false;
    }
    const Name *const root = model::root_name(call->func);
    return loop == nullptr || root == nullptr || !contains(loop->assigned, root->id);
  });
}

struct CallsModel {
  bool value = false; // in its own code
};

bool function_calls_model(const Site &site, const model::FunctionInfo &function) {
  return site.memory
      .recall<CallsModel>(&function,
                          [&] {
                            const FunctionDef *const definition = function.definition();
                            return CallsModel{definition != nullptr && calls_model(definition->body, nullptr)};
                          })
      .value;
}

struct RunsModel {
  bool value = false; // in its own code, or in that of a function that it always calls
};

bool function_runs_model(const Site &site, const model::FunctionInfo &function) {
  return site.memory
      .recall<RunsModel>(&function,
                         [&] {
                           return RunsModel{function_calls_model(site, function) ||
                                            std::ranges::any_of(function.calls, [&](const model::CallSite &call) {
                                              return !call.conditional && function_calls_model(site, *call.callee);
                                            })};
                         })
      .value;
}

// Does each iteration run a model, in the loop's own code or at most two calls away?
bool runs_model(const Site &site, const model::Loop &loop) {
  return calls_model(loop.node, &loop) ||
         std::ranges::any_of(model::calls_inside(*site.function, *loop.node), [&](const model::CallSite *call) {
           return !call->conditional && !call->once && !call->behind_guard && function_runs_model(site, *call->callee);
         });
}

} // namespace

bool is_sampling_loop(const Site &site, const model::Loop &loop) {
  if (loop.node->kind != NodeKind::For && loop.node->kind != NodeKind::While) {
    return false;
  }
  for (const model::Loop *outer = &loop; outer != nullptr; outer = outer->parent) {
    if (outer->few_iterations || outer->steps || outer->evaluates) {
      return false;
    }
  }
  constexpr u16 kInSteps = model::kPerTrainingStep | model::kSomeTrainingSteps;
  if (loop.trains || (site.function->context & kInSteps) != 0 || in_forward_pass(site) || !runs_model(site, loop) ||
      is_timed(site, *loop.node)) {
    return false;
  }
  return std::ranges::none_of(loops_inside(*site.function, *loop.node), [&](const model::Loop *inner) {
    return inner != &loop && !inner->few_iterations && runs_model(site, *inner);
  });
}

bool runs_model_itself(const Site &site, const model::Loop &loop) {
  const auto calls_it = [&](const model::FunctionInfo &function) {
    return function.loops.empty() && function_calls_model(site, function);
  };
  return calls_model(loop.node, &loop) ||
         std::ranges::any_of(model::calls_inside(*site.function, *loop.node), [&](const model::CallSite *call) {
           return calls_it(*call->callee) ||
                  (call->callee->loops.empty() && std::ranges::any_of(call->callee->calls, [&](const auto &inner) {
                     return calls_it(*inner.callee);
                   }));
         });
}

} // namespace deepperf::rules
