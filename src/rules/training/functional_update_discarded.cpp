#include "base/name_table.h"
#include "model/variance.h"
#include "rules/jax.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::functional_update_discarded {

using namespace python;

namespace {

// `x.at[i]` of `x.at[i].set(v)`; null if the call is something else.
const Attribute *updated_by(const Call &call) {
  static const NameTable kUpdates(
      {"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"});
  const auto *method = as<Attribute>(call.func);
  const auto *element = method != nullptr && kUpdates.has(method->attr) ? as<Subscript>(method->value) : nullptr;
  const auto *at = element != nullptr ? as<Attribute>(element->value) : nullptr;
  return at != nullptr && at->attr.text() == "at" ? at : nullptr;
}

// References to memory, as Pallas kernels and jax.new_ref have them, are updated in place.
bool may_be_reference(const Site &site, const Expr *array) {
  return text_of(site, array).ends_with("_ref") || text_of(site, array).ends_with("_ptr") ||
         file_has_word(site, {"pallas", "new_ref", "array_ref", "run_state", "mutable_array"});
}

// ---- The state of an optimizer --------------------------------------------------------------------------------------

struct StateUses {
  bool is_optax = false; // the updates go to optax.apply_updates, or the optimizer is known
  bool is_read = false;  // somebody takes the new state
  bool is_fresh = false; // the state that goes in was just made
};

// `updates, _ = tx.update(grads, opt_state)`: what becomes of both, in the function around it.
StateUses uses_of(const Site &site, const Call &update, const Name &updates, const Name &state) {
  StateUses uses;
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const auto *passed = as<Name>(update.args[1]);
  const model::Loop *loop = loop_around(site);
  for (const Stmt *statement : body) {
    any_node_inside(statement, [&](const Node *node) {
      if (const auto *name = as<Name>(node)) {
        uses.is_read |= name->id == state.id && name->context == Context::Load && name->id.text() != "_";
      } else if (const auto *call = as<Call>(node)) {
        const std::string_view api = called_api(site, *call);
        uses.is_optax |= (api == "optax.apply_updates" || api == "equinox.apply_updates") && call->args.size() == 2 &&
                         mentions(call->args[1], updates.id);
      } else if (const auto *assignment = as<Assign>(node)) {
        const auto *made = as<Call>(run_by(assignment->value));
        const bool is_before = loop != nullptr && !contains(loop->node, node); // it stays the same in all iterations
        uses.is_fresh |=
            !is_before && passed != nullptr && made != nullptr && called_method(*made) == "init" &&
            std::ranges::any_of(assignment->targets, [&](const Expr *target) { return mentions(target, passed->id); });
      }
      return false;
    });
  }
  return uses;
}

// Optimizers that keep nothing between steps.
bool is_stateless(const Site &site, const Expr *optimizer) {
  const std::vector<model::Argument::Given> made = model::written_as(scope_of(site), optimizer);
  return std::ranges::any_of(made, [&](const model::Argument::Given &given) {
    const auto *call = as<Call>(given.expr);
    const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
    return (api == "optax.sgd" && argument(*call, 1, "momentum") == nullptr) || api == "optax.identity" ||
           api == "optax.scale" || api == "optax.clip" || api == "optax.clip_by_global_norm" ||
           api == "optax.clip_by_block_rms" || api == "optax.adaptive_grad_clip" || api == "optax.centralize" ||
           api == "optax.add_decayed_weights" || api == "optax.set_to_zero" || api == "optax.zero_nans" ||
           api == "optax.keep_params_nonnegative";
  });
}

// `updates = tx.update(grads, opt_state)[0]`
void check_first(Site &site, const Assign &assignment) {
  const auto *first = as<Subscript>(assignment.value);
  const auto *update = first != nullptr ? as<Call>(first->value) : nullptr;
  const auto *updates = assignment.targets.size() == 1 ? as<Name>(assignment.targets[0]) : nullptr;
  if (update == nullptr || updates == nullptr || called_method(*update) != "update" || update->args.size() < 2 ||
      integer_of(site, first->slice) != 0 || !site.module->jax || site.module->is_test ||
      update->args[1]->kind == NodeKind::Call) {
    return;
  }
  const StateUses uses = uses_of(site, *update, *updates, *updates);
  if ((uses.is_optax || is_optax_optimizer(site, receiver_of(*update))) && !uses.is_fresh &&
      !is_stateless(site, receiver_of(*update))) {
    report(site, *first, "the optimizer's new state is discarded, so momentum, step count and schedule never advance",
           fmt::format("keep it: `{}, {} = {}`, and return it to the caller", updates->id.text(),
                       text_of(site, update->args[1]), text_of(site, update)));
  }
}

void check_state(Site &site, const Assign &assignment) {
  const auto *update = as<Call>(assignment.value);
  const auto *pair = assignment.targets.size() == 1 ? as<Tuple>(assignment.targets[0]) : nullptr;
  if (update == nullptr || pair == nullptr || pair->elts.size() != 2 || called_method(*update) != "update" ||
      update->args.size() < 2 || !site.module->jax || site.module->is_test) {
    return;
  }
  const auto *updates = as<Name>(pair->elts[0]);
  const auto *state = as<Name>(pair->elts[1]);
  if (updates == nullptr || state == nullptr) {
    return;
  }
  // At the top of a script a loop may read it in its next iteration.
  const auto *passed = as<Name>(update->args[1]);
  if (passed != nullptr && passed->id == state->id) {
    return;
  }
  const StateUses uses = uses_of(site, *update, *updates, *state);
  const bool is_optax = uses.is_optax || is_optax_optimizer(site, receiver_of(*update));
  if (!is_optax || uses.is_read || uses.is_fresh || is_stateless(site, receiver_of(*update)) ||
      update->args[1]->kind == NodeKind::Call) {
    return;
  }
  report(site, *state, "the optimizer's new state is discarded, so momentum, step count and schedule never advance",
         fmt::format("keep it: `{}, {} = {}`, and return it to the caller", updates->id.text(),
                     text_of(site, update->args[1]), text_of(site, update)));
}

// Parameters that a step function returns updated copies of: bit i for parameter i.
struct Updated {
  u64 bits = 0;
};

u64 updated_parameters(const Site &site, const model::FunctionInfo &function) {
  return site.memory
      .recall<Updated>(
          &function,
          [&] {
            Updated updated;
            const FunctionDef *definition = function.definition();
            const auto bit_of = [&](const Expr *expr) {
              const auto *name = as<Name>(expr);
              for (u32 i = 0; name != nullptr && i < function.params.size() && i < 64; ++i) {
                if (function.params[i]->name == name->id) {
                  return u64{1} << i;
                }
              }
              return u64{0};
            };
            bool is_optax = false;
            u64 states = 0;
            bool returns = false;
            any_node(definition->body, [&](const Node *node) {
              const auto *result = as<Return>(node);
              returns |= result != nullptr && result->value != nullptr;
              const auto *call = as<Call>(node);
              if (call == nullptr) {
                return false;
              }
              const std::string_view api = called_api(site, *call);
              if ((api == "optax.apply_updates" || api == "equinox.apply_updates") && call->args.size() == 2) {
                is_optax = true;
                updated.bits |= bit_of(call->args[0]);
              } else if (called_method(*call) == "update" && call->args.size() >= 2) {
                states |= bit_of(call->args[1]);
              } else if (called_method(*call) == "apply_gradients" && keyword_argument(*call, "grads") != nullptr) {
                updated.bits |= bit_of(receiver_of(*call));
              }
              return false;
            });
            updated.bits = returns ? updated.bits | (is_optax ? states : 0) : 0;
            return updated;
          })
      .bits;
}

// `_, loss = step(state, batch)` in a loop that never assigns `state`: all steps begin with the same one.
void check_step(Site &site, const Assign &assignment) {
  const auto *call = as<Call>(assignment.value);
  const model::Loop *loop = call != nullptr && call->fact != 0 ? long_loop_around(site) : nullptr;
  if (loop == nullptr || loop->node->kind == NodeKind::ListComp || !site.module->jax || site.module->is_test ||
      has_hidden_arguments(*call)) {
    return;
  }
  const model::FunctionInfo *step = called_function(site, *call);
  const u64 updated = step != nullptr && step->definition() != nullptr ? updated_parameters(site, *step) : 0;
  const bool is_bound = step != nullptr && step->type != nullptr && !step->is_static;
  for (u32 i = 0; updated != 0 && i < step->params.size() && i < 64; ++i) {
    const auto *state =
        (updated >> i & 1U) != 0 ? as<Name>(model::passed_argument(*call, *step, is_bound, i)) : nullptr;
    // In the loop itself or one around it, a name that is bound there has another value in each iteration.
    bool is_new = state == nullptr || site.function->slot_of(state->id) == model::FunctionInfo::kNoSlot;
    for (const model::Loop *at = loop; at != nullptr && !is_new; at = at->parent) {
      is_new = is_bound_in(*at, state->id);
    }
    if (is_new || function_has_word(site, {"benchmark", "block_until_ready", "timeit"})) {
      continue;
    }
    Finding &finding =
        report(site, *state,
               fmt::format("`{}` is the same in every iteration: the updated one that `{}` returns is "
                           "not kept",
                           state->id.text(), text_of(site, call->func)),
               fmt::format("assign what `{}` returns to `{}`", text_of(site, call->func), state->id.text()));
    add_note(finding, site, *loop->node, "nothing in this loop assigns it");
    return;
  }
}

// A function of the project whose whole result is `jax.tree.map(…)`: all that it does is compute it.
bool only_computes(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  const auto *result =
      definition != nullptr && definition->body.size() == 1 ? as<Return>(definition->body.front()) : nullptr;
  const auto *call = result != nullptr ? as<Call>(result->value) : nullptr;
  const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
  const std::string_view api = callee.is(model::Value::Tag::Api) ? callee.name().text() : std::string_view{};
  static constexpr std::string_view kMaps[] = {"jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map",
                                               "jax.tree_multimap", "jax.tree_util.tree_multimap"};
  const bool is_map = std::ranges::find(kMaps, api) != std::end(kMaps);
  const auto *lambda = is_map && !call->args.empty() ? as<Lambda>(call->args[0]) : nullptr;
  return (lambda != nullptr &&
          !any_node(lambda->body, [](const Node *node) { return node->kind == NodeKind::Call; })) ||
         api == "optax.apply_updates" || api == "optax.incremental_update";
}

// `ema.blend(average, params)` as a statement: trees are not changed in place.
void check_pure(Site &site, const Call &call) {
  const model::FunctionInfo *function = call.fact != 0 ? called_function(site, call) : nullptr;
  if (function == nullptr || site.module->is_test || !only_computes(site, *function)) {
    return;
  }
  report(
      site, call,
      fmt::format("`{}` returns a new tree and changes nothing, so this call has no effect", text_of(site, call.func)),
      "assign the result");
}

void check(Site &site, const Node &node) {
  if (const auto *assignment = as<Assign>(&node)) {
    check_state(site, *assignment);
    check_first(site, *assignment);
    return check_step(site, *assignment);
  }
  const auto &statement = static_cast<const ExprStmt &>(node);
  const auto *call = as<Call>(statement.value);
  if (call == nullptr || !site.module->jax || is_shown_by_notebook(site, statement)) {
    return;
  }
  if (enclosing(site, NodeKind::With) != nullptr && site.module->is_test) {
    return; // with assertRaises(…)
  }
  check_pure(site, *call);
  if (const Attribute *at = updated_by(*call)) {
    if (model::kind_of(at->value) != Kind::PandasFrame && !may_be_reference(site, at->value)) {
      const std::string_view array = text_of(site, at->value);
      report(site, *call,
             fmt::format("`{}` keeps its old values: the updated copy that this call returns is discarded", array),
             fmt::format("assign it: `{} = {}`", array, text_of(site, call)));
    }
    return;
  }
  const std::string_view api = called_api(site, *call);
  if (api == "optax.apply_updates" && call->args.size() == 2) {
    report(site, *call, "the updated parameters that this call returns are discarded, so nothing is learned",
           fmt::format("assign them: `{} = {}`", text_of(site, call->args[0]), text_of(site, call)));
    return;
  }
  // TrainState.apply_gradients(grads=…) of Flax; optimizers of Keras are told their gradients by position.
  const Expr *state = called_method(*call) == "apply_gradients" ? receiver_of(*call) : nullptr;
  if (state != nullptr && keyword_argument(*call, "grads") != nullptr && !site.module->tensorflow &&
      !site.project.callee_of(call).known()) {
    report(site, *call, "the new train state that this call returns is discarded, so nothing is learned",
           fmt::format("assign it: `{} = {}`", text_of(site, state), text_of(site, call)));
  }
}

} // namespace

extern constinit const Rule kFunctionalUpdateDiscarded = {
    .info = {.code = "DP849",
             .name = "functional-update-discarded",
             .summary = "an update of a JAX array or train state whose result is discarded",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`x.at[i].set(v)`, `.add(v)` and similar, `optax.apply_updates(params, updates)` and `state.apply_gradients(grads=grads)` as statements whose
result is not used. Also the new state of an Optax optimizer that is not used (`updates, _ = tx.update(grads, opt_state)`), and a loop that
calls a training step with parameters or a state that it never replaces by what the step returns.

## Why it is wrong

JAX arrays are immutable. All of these return a new array, or a new tree of arrays, and leave the old one unchanged. Without an assignment
the line does nothing, and JAX does not report it.

## Bad

```python
import jax.numpy as jnp


def targets(q, actions, y):
    q = jnp.asarray(q)
    q.at[jnp.arange(len(actions)), actions].set(y)
    return q
```

## Good

```python
import jax.numpy as jnp


def targets(q, actions, y):
    q = jnp.asarray(q)
    q = q.at[jnp.arange(len(actions)), actions].set(y)
    return q
```

## When it is wrong

References (`jax.new_ref`, Pallas kernels) are updated in place; files that use them are not reported. Neither is the last line of a
notebook cell, whose value is displayed.

## References

- JAX documentation of `jax.numpy.ndarray.at`
- JAX documentation "Common gotchas": in-place updates
)"},
    .nodes = {NodeKind::ExprStmt, NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::functional_update_discarded
