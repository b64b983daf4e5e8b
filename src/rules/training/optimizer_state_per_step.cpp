#include "model/variance.h"
#include "rules/jax.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::optimizer_state_per_step {

using namespace python;

namespace {

// Optimizers that keep nothing but a count, or nothing at all, between steps.
bool is_stateless(const Site &site, const Expr *optimizer) {
  bool found = false;
  visit_origins(site, *site.function, optimizer, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
    const std::string_view api = callee.is(model::Value::Tag::Api) ? callee.name().text() : std::string_view{};
    found |= api == "optax.sgd" && argument(*call, 1, "momentum") == nullptr;
    return origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
  });
  return found;
}

bool is_name(const Expr *expr, Symbol name) {
  const auto *plain = as<Name>(expr);
  return plain != nullptr && plain->id == name;
}

struct Uses {
  const Call *update = nullptr; // of the optimizer, with the fresh state
  bool is_kept = false;         // the state leaves the function, or is used in one inside of it
  u32 bound = 0;                // how often the name is
};

// How the fresh state is used in the code around.
Uses uses_of(const Block &body, Symbol state, std::string_view optimizer, const Site &site) {
  Uses uses;
  for (const Stmt *statement : body) {
    any_node_inside(statement, [&](const Node *node) {
      if (const auto *call = as<Call>(node)) {
        const Expr *receiver = receiver_of(*call);
        if (receiver != nullptr && called_method(*call) == "update" && call->args.size() >= 2 &&
            is_name(call->args[1], state) && text_of(site, receiver) == optimizer) {
          uses.update = call;
        }
      } else if (const auto *result = as<Return>(node)) {
        uses.is_kept |= result->value != nullptr && mentions(result->value, state);
      } else if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda ||
                 node->kind == NodeKind::Yield || node->kind == NodeKind::Global || node->kind == NodeKind::Nonlocal) {
        uses.is_kept |= mentions(node, state);
      } else if (const auto *name = as<Name>(node)) {
        uses.bound += name->id == state && name->context == Context::Store ? 1 : 0;
      }
      return false;
    });
  }
  return uses;
}

// `def run_epoch(params, state): state = tx.init(params)`: what the caller carries from call to call is thrown away.
bool check_parameter(Site &site, const Call &call, const Expr &optimizer, const Name &state) {
  const model::FunctionInfo &function = *site.function;
  const FunctionDef *definition = function.definition();
  u32 index = 0;
  while (index < function.params.size() && function.params[index]->name != state.id) {
    ++index;
  }
  if (definition == nullptr || index == function.params.size() || site.ancestors.size() < 2 ||
      site.ancestors[site.ancestors.size() - 2] != definition || !is_optax_optimizer(site, &optimizer) ||
      is_stateless(site, &optimizer)) {
    return false;
  }
  const bool is_read_before = any_node(definition->body, [&](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && name->id == state.id && name->start < state.start;
  });
  // A loop that binds what it passes to what it gets back.
  const auto carries = [&](const model::CallSite *caller) {
    const auto *given = as<Name>(model::passed_argument(*caller, index));
    return given != nullptr && caller->loop != nullptr && !caller->loop->few_iterations && !caller->once &&
           is_bound_in(*caller->loop, given->id);
  };
  const auto caller = std::ranges::find_if(function.called_by, carries);
  if (is_read_before || caller == function.called_by.end()) {
    return false;
  }
  Finding &finding = report(site, call,
                            fmt::format("the `{}` that the function receives is replaced by a new one in every call, "
                                        "so the optimizer's moments and step count are lost",
                                        state.id.text()),
                            fmt::format("remove it: the caller carries `{}` from call to call", state.id.text()));
  finding.notes.push_back({(*caller)->caller->module->file, (*caller)->call->span(), "called with the state so far"});
  return true;
}

// The call in the loop that gets the fresh state, makes one update with it, and gives the next parameters.
const Call *step_with(const Site &site, const model::Loop &loop, Symbol state, const Expr *params) {
  const auto *carried = as<Name>(params);
  const Call *found = nullptr;
  u32 count = 0;
  any_node(loop.node, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
    const auto *targets = assignment != nullptr ? as<Tuple>(assignment->targets[0]) : nullptr;
    if (call == nullptr || targets == nullptr || carried == nullptr || !mentions(targets, carried->id) ||
        !mentions(targets, state)) {
      return false;
    }
    const model::FunctionInfo *callee = called_function(site, *call);
    const bool gets_it = std::ranges::any_of(call->args, [&](const Expr *given) { return is_name(given, state); });
    const bool updates_once = callee != nullptr && callee->definition() != nullptr && callee->loops.empty() &&
                              has_word(text_of(*callee), {".update("}) &&
                              !has_word(text_of(*callee), {"scan(", "fori_loop(", "while_loop("});
    found = gets_it && updates_once ? call : found;
    ++count;
    return false;
  });
  return count == 1 ? found : nullptr;
}

// In every step: in a loop, or in a function that is compiled, scanned over, or called from a loop.
bool is_in_step(const Site &site) {
  const model::Loop *loop = long_loop_around(site);
  if (loop != nullptr) {
    return runs_every_iteration(site, *loop);
  }
  if (site.function == nullptr || site.function->definition() == nullptr) {
    return false;
  }
  return (tracers_at(site) & model::kByJaxJit) != 0 || site.function->in_loop ||
         std::ranges::any_of(handed_to(site, *site.function), [](const HandedTo &to) {
           return to.api == "jax.lax.scan" || to.api == "jax.lax.fori_loop";
         });
}

// `updates, _ = tx.update(grads, tx.init(params), params)`: a state that has no name at all.
bool check_unnamed(Site &site, const Call &call, const Expr &optimizer) {
  const auto *update = !site.ancestors.empty() ? as<Call>(site.ancestors.back()) : nullptr;
  if (update == nullptr || called_method(*update) != "update" || update->args.size() < 2 || update->args[1] != &call ||
      receiver_of(*update) == nullptr || text_of(site, receiver_of(*update)) != text_of(site, &optimizer)) {
    return false;
  }
  if (is_in_step(site) && is_optax_optimizer(site, &optimizer) && !is_stateless(site, &optimizer)) {
    report(site, call, "the optimizer's state is initialized in every step, so its moments and step count are lost",
           fmt::format("call `{}` once before the loop, and carry the state from step to step", text_of(site, &call)));
  }
  return true;
}

// `state = TrainState.create(params=params, tx=tx)` in every step, which initializes the optimizer's state as well.
void check_created(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *state =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const Keyword *params = keyword_argument(call, "params");
  const Keyword *optimizer = keyword_argument(call, "tx");
  const auto *carried = params != nullptr ? as<Name>(params->value) : nullptr;
  if (loop == nullptr || state == nullptr || carried == nullptr || optimizer == nullptr || site.module->is_test ||
      !is_bound_in(*loop, carried->id) || !runs_every_iteration(site, *loop) || is_stateless(site, optimizer->value)) {
    return;
  }
  // One update, and then the parameters go on alone: `params = state.params`.
  u32 updates = 0;
  bool takes_params = false;
  any_node(loop->node, [&](const Node *node) {
    const auto *inner = as<Call>(node);
    updates += inner != nullptr && called_method(*inner) == "apply_gradients" ? 1 : 0;
    const auto *bound = as<Assign>(node);
    const auto *target = bound != nullptr && bound->targets.size() == 1 ? as<Name>(bound->targets[0]) : nullptr;
    const auto *part = bound != nullptr ? as<Attribute>(bound->value) : nullptr;
    const auto *of = part != nullptr ? as<Name>(part->value) : nullptr;
    takes_params |= target != nullptr && target->id == carried->id && of != nullptr && of->id == state->id &&
                    part->attr.text() == "params";
    return false;
  });
  const bool has_inner = std::ranges::any_of(site.function->loops, [&](const model::Loop *inner) {
    return inner != loop && contains(loop->node, inner->node);
  });
  if (updates != 1 || !takes_params || has_inner) {
    return;
  }
  report(site, call,
         fmt::format("`{}` is created in every step, so the optimizer's moments and step count are lost",
                     state->id.text()),
         fmt::format("create `{}` once before the loop, and carry it from step to step", state->id.text()));
}

void check(Site &site, const Call &call) {
  if (called_method(call) == "create") {
    return site.module->jax && site.function != nullptr ? check_created(site, call) : void();
  }
  const Expr *optimizer = receiver_of(call);
  if (site.module->jax && optimizer != nullptr && call.args.size() == 1 && site.function != nullptr &&
      check_unnamed(site, call, *optimizer)) {
    return;
  }
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *state =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (!site.module->jax || optimizer == nullptr || call.args.size() != 1 || state == nullptr ||
      assignment->value != &call || site.function == nullptr) {
    return;
  }
  if (check_parameter(site, call, *optimizer, *state)) {
    return;
  }
  // Where the state is made again and again: the loop around it, or the step that is called from one.
  const model::Loop *loop = long_loop_around(site);
  const FunctionDef *definition = site.function->definition();
  const bool is_step = loop == nullptr && definition != nullptr && is_in_step(site);
  if ((loop == nullptr && !is_step) || (loop != nullptr && !runs_every_iteration(site, *loop))) {
    return;
  }
  const auto *repeated = loop != nullptr ? as<For>(loop->node) : nullptr;
  const auto *again = loop != nullptr ? as<While>(loop->node) : nullptr;
  const Block &body = repeated != nullptr ? repeated->body : again != nullptr ? again->body : definition->body;
  Uses uses = uses_of(body, state->id, text_of(site, optimizer), site);
  if (uses.update == nullptr && loop != nullptr) {
    uses.update = step_with(site, *loop, state->id, call.args[0]);
    uses.is_kept = false;
  }
  if (uses.update == nullptr || uses.is_kept || !is_optax_optimizer(site, optimizer) || is_stateless(site, optimizer)) {
    return;
  }
  // A training of its own, with its own loop over steps.
  for (const model::Loop *inner : site.function->loops) {
    if (inner != loop && contains(inner->node, uses.update) && !contains(inner->node, &call)) {
      return;
    }
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is initialized in every step, so the optimizer's moments and step count are lost",
                         state->id.text()),
             fmt::format("call `{}` once before the loop, and carry `{}` from step to step", text_of(site, &call),
                         state->id.text()));
  add_note(finding, site, *uses.update, "the only update that uses it");
}

} // namespace

extern constinit const Rule kOptimizerStatePerStep = {
    .info = {.code = "DP850",
             .name = "optimizer-state-per-step",
             .summary = "an Optax state that is initialized again in every step",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`opt_state = optimizer.init(params)` in a training step, next to the `optimizer.update(grads, opt_state)` that uses it: in a loop, or in a
function that is compiled or called from one and does not return the state. Also a function that replaces the state which a loop passes to it
and takes back.

## Why it is wrong

The state holds Adam's moments, momentum and the step count of a learning rate schedule. If it starts from zero each time, Adam's update
reduces to the sign of the gradient, momentum has no effect, and a schedule stays at its first step.

## Bad

```python
import jax
import optax

optimizer = optax.adam(1e-3)


@jax.jit
def step(params, x):
    opt_state = optimizer.init(params)
    grads = jax.grad(lambda p: ((p * x) ** 2).mean())(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates)
```

## Good

```python
import jax
import optax

optimizer = optax.adam(1e-3)


@jax.jit
def step(params, opt_state, x):
    grads = jax.grad(lambda p: ((p * x) ** 2).mean())(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state
```

## When it is wrong

Where each call is a training run of its own that takes one step, as in the inner loop of meta-learning. Plain SGD has no state and is not
reported.

## References

- Optax documentation "Getting started"
)"},
    .calls = "*.init *.create",
    .on_call = check};

} // namespace deepperf::rules::optimizer_state_per_step
