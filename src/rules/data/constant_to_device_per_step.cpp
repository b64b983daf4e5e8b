#include "rules/repetition.h"
#include "rules/tracing.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::constant_to_device_per_step {

using namespace python;

namespace {

// An array that was read or computed once: its maker stands outside of the loop.
bool is_large_array(const Site &site, const Expr *expr) {
  const model::Value value = value_of(site, expr);
  u32 arrays = 0;
  u32 others = 0;
  for_each_alternative(
      value, [&](const model::Value &one) { ++(one.is_kind(Kind::NumpyArray) && !one.container ? arrays : others); });
  return arrays > 0 && others == 0 && !value.open && !value.none;
}

void check(Site &site, const Call &call) {
  const Expr *array = argument(call, 0, called_api(site, call) == "jax.device_put" ? "x" : "object");
  if (array == nullptr || !site.module->jax || site.module->is_test || tracers_at(site) != 0 ||
      (array->kind != NodeKind::Name && array->kind != NodeKind::Attribute) || !is_large_array(site, array)) {
    return;
  }
  const Repetition repetition = repetition_of(site);
  if (repetition.loop == nullptr || !stays_same(site, repetition, array)) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("`{}` does not change, and is copied to the device again in every iteration", text_of(site, array)),
      fmt::format("copy it once before the loop, and use the result of `{}` in all iterations", text_of(site, &call)));
  add_note(finding, site, repetition);
}

} // namespace

extern constinit const Rule kConstantToDevicePerStep = {
    .info = {.code = "DP125",
             .name = "constant-to-device-per-step",
             .summary = "a NumPy array that is copied to the device again in every JAX step",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`jax.device_put(x)`, `jnp.asarray(x)` or `jnp.array(x)` of a NumPy array that stays the same, in a loop or in a function that a loop calls.

## Why it costs

The whole array crosses the bus in every step, while the device waits for it. A table of a gigabyte takes a tenth of a second, many times what the
step itself takes.

## Bad

```python
import jax
import numpy as np

table = np.load("table.npy")


def lookup(step, queries):
    results = []
    for query in queries:
        results.append(step(jax.device_put(table), query))
    return results
```

## Good

```python
import jax
import numpy as np

table = jax.device_put(np.load("table.npy"))


def lookup(step, queries):
    results = []
    for query in queries:
        results.append(step(table, query))
    return results
```

## When it is wrong

Where the step donates the array, or where the device has no room for it between the steps.

## References

- JAX documentation of `jax.device_put`
)"},
    .calls = "jax.device_put jax.numpy.asarray jax.numpy.array",
    .on_call = check};

} // namespace deepperf::rules::constant_to_device_per_step
