#include "rules/jax.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::state_not_donated {

using namespace python;
using model::Value;

namespace {

// The argument that the call's result replaces: `state` of `state, loss = step(state, batch)`.
const Name *replaced_argument(const Assign &assignment, const Call &call) {
  const auto *tuple = as<Tuple>(assignment.targets[0]);
  const auto is_bound = [&](const Name &name) {
    const auto is_it = [&](const Expr *target) {
      const auto *bound = as<Name>(target);
      return bound != nullptr && bound->id == name.id;
    };
    return tuple != nullptr ? std::ranges::any_of(tuple->elts, is_it) : is_it(assignment.targets[0]);
  };
  for (const Expr *arg : call.args) {
    const auto *name = as<Name>(arg);
    if (name != nullptr && is_bound(*name)) {
      return name;
    }
  }
  return nullptr;
}

// Which compiled functions were reported: each is, once.
struct Known {
  mutable bool is_reported = false;
};

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *call = as<Call>(assignment.value);
  if (!site.module->jax || site.module->is_test || call == nullptr || call->fact == 0 ||
      assignment.targets.size() != 1) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const Value callee =
      loop != nullptr && runs_compiled_jax(site.project, *call) ? site.project.callee_of(call) : Value{};
  if (!callee.is(Value::Tag::Function) && !callee.is(Value::Tag::Method)) {
    return;
  }
  const model::FunctionInfo &step = *callee.function;
  const auto &module_text = step.module->parsed->source;
  const std::string_view compiler = module_text.part(step.compiled_at->start, step.compiled_at->end);
  if (has_word(compiler, {"donate", "filter_jit", "nnx"}) || !has_word(rules::text_of(step), {"grad"}) ||
      !has_word(rules::text_of(step), {"apply_gradients(", "opt_state", "optimizer_state"})) {
    return;
  }
  const Name *state = replaced_argument(assignment, *call);
  const Known &known = site.memory.recall<Known>(&step, [] { return Known{}; });
  if (state == nullptr || known.is_reported) {
    return;
  }
  known.is_reported = true;
  Finding &finding = report(
      site.findings, *site.rule, *step.module, step.compiled_at->span(),
      fmt::format("the old and the new `{}` are in memory at the same time, as the step does not donate its input",
                  state->id.text()),
      "let JAX reuse the buffers: `@functools.partial(jax.jit, donate_argnums=(0,))`, and do not use the old state "
      "again");
  finding.notes.push_back({site.module->file, call->span(), "the result replaces it here"});
}

} // namespace

extern constinit const Rule kStateNotDonated = {
    .info = {.code = "DP225",
             .name = "state-not-donated",
             .summary = "a compiled JAX training step that keeps the old state next to the new one",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

A training step with optimizer state under `jax.jit` or `jax.pmap`, without `donate_argnums` or `donate_argnames`, whose result replaces one of its arguments in a
loop: `state, loss = train_step(state, batch)`. It is a hint, as it matters for large models only.

## Why it costs

JAX arrays are immutable, so the step allocates new parameters and optimizer state while the caller still holds the old ones: the state takes
twice its memory. A donated argument gives its buffers to the result.

## Bad

```python
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


@jax.jit
def train_step(params, opt_state, batch):
    grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def train(params, batches):
    opt_state = optimizer.init(params)
    for batch in batches:
        params, opt_state = train_step(params, opt_state, batch)
    return params
```

## Good

```python
import functools

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def train_step(params, opt_state, batch):
    grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def train(params, batches):
    opt_state = optimizer.init(params)
    for batch in batches:
        params, opt_state = train_step(params, opt_state, batch)
    return params
```

## When it is wrong

Where the old state is used again, as for a checkpoint that is written in the background.

## References

- JAX documentation, "Buffer donation"
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::state_not_donated
