#include "rules/device_wait.h"
#include "rules/tracing.h"

namespace deepperf::rules::jax_sync_every_step {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  if (!site.module->jax || site.function == nullptr || tracers_at(site) != 0 || site.module->is_test) {
    return;
  }
  const model::Loop *loop = site.project.loop_at(&node);
  if (loop == nullptr || loop->few_iterations || (loop->trains && !loop->steps)) {
    return; // of the last kind are loops over epochs
  }
  const DeviceWaits found = waits_in_iteration(site, *loop);
  report_waits(site, *loop, found, "keep the arrays, and convert them after the loop or every 100 steps");
}

} // namespace

extern constinit const Rule kJaxSyncEveryStep = {
    .info = {.code = "DP116",
             .name = "jax-sync-every-step",
             .summary = "a value that is read back from the device in every iteration of a JAX loop",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that calls a compiled function (`jax.jit`, `pmap`, …) and reads its result in every iteration: `float(loss)`,
`.item()`, `jax.device_get`, a NumPy function, `block_until_ready`, an `if` that compares it, `print` and f-strings. The rule follows the result
through variables, elements, arithmetic and helpers that return it, and reports all places of one loop together.

Loops that train, and loops that call the function for each batch of something, are reported as proven. Places that only print or log are
hints. So are loops that act on an environment or stop by the value, and loops whose compiled function runs a `scan` itself, since one iteration may be an epoch
there.

## Why it costs

JAX returns from a compiled function immediately and computes in the background, so Python can prepare the next batch.
Reading a value waits until the device is done, and the device is then idle while Python prepares the next step.

## Bad

```python
import jax
import jax.numpy as jnp
import optax


@jax.jit
def train_step(params, batch):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    return optax.apply_updates(params, grads), loss


def train(params, batches):
    losses = []
    for batch in batches:
        params, loss = train_step(params, batch)
        losses.append(float(loss))
    return params, losses
```

## Good

```python
import jax
import jax.numpy as jnp
import optax


@jax.jit
def train_step(params, batch):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    return optax.apply_updates(params, grads), loss


def train(params, batches):
    losses = []
    for batch in batches:
        params, loss = train_step(params, batch)
        losses.append(loss)
    return params, jax.device_get(losses)
```

## When it is wrong

Where the steps are long, or where the next one needs the value. The rule is silent under `if step % 100 == 0`, and in
loops that read a clock.

## References

- JAX documentation, "Asynchronous dispatch"
)"},
    .nodes = {NodeKind::For, NodeKind::While, NodeKind::ListComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::jax_sync_every_step
