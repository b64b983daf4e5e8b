#include "rules/assignments.h"
#include "rules/math_call.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::rollout_with_graph {

using namespace python;

namespace {

struct Ratios {
  const Node *first = nullptr; // exp(new - old) of log-probabilities
  const model::Module *module = nullptr;
};

bool is_log_probability(const Site &there, const Expr *expr, u32 depth = 0) {
  const auto *call = as<Call>(expr);
  if (call != nullptr) {
    return called_method(*call) == "log_prob";
  }
  const auto *name = as<Name>(expr);
  const Expr *const value = name != nullptr && depth < 3 ? assigned_before(there, name->id, name->start) : nullptr;
  return value != nullptr && is_log_probability(there, value, depth + 1);
}

// The importance ratio of PPO: the log-probabilities of the old policy are constants in it.
const Ratios &ratios_of(const Site &site) {
  return site.memory.recall<Ratios>(&site.project, [&site] {
    Ratios found;
    for (const model::FunctionInfo &function : site.project.functions) {
      if (!function.module->torch || found.first != nullptr ||
          (function.definition() == nullptr && function.node != nullptr)) {
        continue;
      }
      Site there = site;
      there.function = &function;
      there.module = function.module;
      there.type = function.type;
      there.ancestors.clear();
      any_node(body_around(there), [&](const Node *node) {
        const auto *call = as<Call>(node);
        const MathCall exponential = call != nullptr ? math_call(there, call) : MathCall{};
        // (new - old).exp() of what nobody told us is a tensor, too.
        const auto *difference = exponential.is("exp")                              ? as<BinOp>(exponential.operand)
                                 : call != nullptr && called_method(*call) == "exp" ? as<BinOp>(receiver_of(*call))
                                                                                    : nullptr;
        if (difference != nullptr && difference->op() == Operator::Sub && is_log_probability(there, difference->left)) {
          found.first = node;
          found.module = function.module;
        }
        return found.first != nullptr;
      });
    }
    return found;
  });
}

// Does each iteration of the loop act in an environment: `env.step(action)`?
bool acts(const model::Loop &loop) {
  return any_node(loop.node, [](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && called_method(*call) == "step" && call->args.size() == 1 &&
           model::kind_of(receiver_of(*call)) == Kind::Unknown;
  });
}

// Is the value stored as it is: in an entry, an attribute, or by append(), add() or the like?
bool is_stored(const Site &site, const Node *value, const Node *loop) {
  const Stmt *const statement = statement_around(site);
  if (const auto *assign = as<Assign>(statement)) {
    const Expr *target = assign->targets[0];
    const auto *targets = as<Tuple>(target);
    const auto *values = as<Tuple>(assign->value);
    if (targets != nullptr && values != nullptr && targets->elts.size() == values->elts.size()) {
      for (u32 i = 0; i < values->elts.size(); ++i) {
        if (values->elts[i] == value) {
          target = targets->elts[i];
        }
      }
    } else if (assign->value != value) {
      return false;
    }
    if (target->kind == NodeKind::Subscript) {
      return true;
    }
    // Under a name that a call of a method gets.
    const auto *name = as<Name>(target);
    return name != nullptr && any_node(loop, [&](const Node *node) {
             const auto *call = as<Call>(node);
             return call != nullptr && receiver_of(*call) != nullptr && call->start > assign->end &&
                    (called_method(*call) == "append" || called_method(*call) == "add" ||
                     called_method(*call) == "push" || called_method(*call) == "store") &&
                    std::ranges::any_of(call->args, [name](const Expr *arg) {
                      const auto *given = as<Name>(arg);
                      return given != nullptr && given->id == name->id;
                    });
           });
  }
  const auto *expression = as<ExprStmt>(statement);
  const auto *call = expression != nullptr ? as<Call>(expression->value) : nullptr;
  return call != nullptr && receiver_of(*call) != nullptr &&
         std::ranges::any_of(call->args, [value](const Expr *arg) { return arg == value; });
}

// dist.log_prob(action) in a loop that gathers experience.
void check(Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  if (loop == nullptr || loop->steps || site.function == nullptr || !site.module->torch || site.module->is_test ||
      under_no_grad(site) || context_of(site).no_grad != PlaceContext::NoGrad::Never || !acts(*loop) ||
      !is_stored(site, &call, loop->node)) {
    return;
  }
  // The policy may have run without gradients, a few lines before.
  constexpr std::string_view kHandled[] = {"no_grad", "inference_mode", "detach", "grad_enabled"};
  if (function_has_word(site, kHandled)) {
    return;
  }
  const Ratios &ratios = ratios_of(site);
  if (ratios.first == nullptr) {
    return; // a policy gradient needs the graph
  }
  Finding &finding = report(site, call,
                            "the log-probabilities of the rollout are stored with their autograd graph, which every "
                            "update then traverses again",
                            "collect the rollout under `torch.no_grad()`");
  finding.notes.push_back({ratios.module->file, ratios.first->span(), "they are constants in this ratio"});
}

} // namespace

extern constinit const Rule kRolloutWithGraph = {
    .info = {.code = "DP229",
             .name = "rollout-with-graph",
             .summary = "log-probabilities of a rollout that are stored with their autograd graph",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Out of Memory, Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that acts in an environment and stores `dist.log_prob(action)` with gradients enabled, in a program that computes the ratio
`exp(new - old)` of PPO from it.

## Why it is wrong

In the ratio the old log-probabilities are constants. With their graph, gradients also flow into the policy that acted, and the second epoch
over the same rollout calls `backward()` on a graph that was freed: "Trying to backward through the graph a second time". The graphs of all
steps of the rollout stay in memory.

## Bad

```python
import torch
from torch.distributions import Categorical


def collect(env, policy, observation, steps):
    actions, old = [], []
    for _ in range(steps):
        dist = Categorical(logits=policy(observation))
        action = dist.sample()
        observation = env.step(action)
        actions.append(action)
        old.append(dist.log_prob(action))
    return torch.stack(actions), torch.stack(old)


def ratio(policy, observations, actions, old):
    new = Categorical(logits=policy(observations)).log_prob(actions)
    return torch.exp(new - old)
```

## Good

```python
import torch
from torch.distributions import Categorical


@torch.no_grad()
def collect(env, policy, observation, steps):
    actions, old = [], []
    for _ in range(steps):
        dist = Categorical(logits=policy(observation))
        action = dist.sample()
        observation = env.step(action)
        actions.append(action)
        old.append(dist.log_prob(action))
    return torch.stack(actions), torch.stack(old)


def ratio(policy, observations, actions, old):
    new = Categorical(logits=policy(observations)).log_prob(actions)
    return torch.exp(new - old)
```

## When it is wrong

Where the stored values are detached later, in code that is not seen.

## References

- PyTorch documentation: autograd mechanics, locally disabling gradient computation
)"},
    .calls = "*.log_prob",
    .on_call = check};

} // namespace deepperf::rules::rollout_with_graph
