#include "base/symbol_list.h"
#include "rules/jax.h"
#include "rules/repetition.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::states_kept {

using namespace python;

namespace {

// The call of a compiled step in the loop that takes the value and gives the next one: `params, … = step(params, …)`.
const Call *step_carrying(const Site &site, const model::Loop &loop, Symbol name) {
  const Call *found = nullptr;
  any_node(loop.node, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
    if (call == nullptr || assignment->targets.size() != 1) {
      return false;
    }
    const auto *targets = as<Tuple>(assignment->targets[0]);
    const auto is_it = [name](const Expr *expr) {
      const auto *plain = as<Name>(expr);
      return plain != nullptr && plain->id == name;
    };
    const bool gives = targets != nullptr ? std::ranges::any_of(targets->elts, is_it) : is_it(assignment->targets[0]);
    found = gives && std::ranges::any_of(call->args, is_it) && runs_compiled_jax(site.project, *call) ? call : found;
    return found != nullptr;
  });
  return found;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->jax || called_method(call) != "append" || call.args.size() != 1 || site.function == nullptr ||
      site.module->is_test) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const auto *kept = as<Name>(call.args[0]);
  const auto *list = as<Name>(receiver_of(call));
  if (loop == nullptr || kept == nullptr || list == nullptr || !loop->steps || !runs_every_iteration(site, *loop) ||
      contains(loop->assigned, list->id)) {
    return;
  }
  const Call *step = step_carrying(site, *loop, kept->id);
  if (step == nullptr) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("`{}` of every step stays in device memory, because `{}` keeps it", kept->id.text(), list->id.text()),
      "keep only what is needed of it, or copy one of them to the host from time to time: `jax.device_get(…)`");
  add_note(finding, site, *step, "the step that returns a new one each time");
}

} // namespace

extern constinit const Rule kStatesKept = {
    .info = {.code = "DP560",
             .name = "states-kept",
             .summary = "a list that keeps the parameters or state of every JAX training step",
             .root_cause = "Model: Improper Model Parameter",
             .symptoms = "Memory Leak, Out of Memory",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`history.append(params)` in every iteration of a training loop, where `params` is what a compiled step takes and returns.

## Why it costs

Each step creates new arrays for all parameters. As long as the list holds them, none is freed: device memory grows by a whole model with every
step.

## Bad

```python
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


@jax.jit
def step(params, state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


def train(params, data):
    state = tx.init(params)
    history = []
    for x in data:
        params, state, loss = step(params, state, x)
        history.append(params)
    return history
```

## Good

```python
import functools

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def step(params, state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


def train(params, data):
    state = tx.init(params)
    losses = []
    for x in data:
        params, state, loss = step(params, state, x)
        losses.append(loss)
    return params, losses
```

## When it is wrong

Where the parameters are a few numbers, and their way through training is the result.

## References

- JAX documentation: GPU memory allocation
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::states_kept
