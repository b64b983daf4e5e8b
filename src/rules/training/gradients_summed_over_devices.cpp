#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::gradients_summed_over_devices {

using namespace python;

namespace {

// Does the function end in a mean, so that its gradient on one device is that of an average?
bool returns_mean(const Site &site, const model::FunctionInfo &function) {
  bool is_mean = false;
  bool is_other = false;
  visit_result_origins(site, function, {}, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    const auto *sum = as<BinOp>(origin.expr);
    if (sum != nullptr && (sum->op() == Operator::Add || sum->op() == Operator::Mult)) {
      return Onward::Through;
    }
    if (origin.expr->kind == NodeKind::Constant || origin.expr->kind == NodeKind::Attribute) {
      return Onward::Stop;
    }
    (name == "mean" || name == "average" ? is_mean : is_other) = true;
    return Onward::Stop;
  });
  return is_mean && !is_other;
}

void check(Site &site, const Call &call) {
  const Expr *summed = argument(call, 0, "x");
  if (summed == nullptr || site.function == nullptr || site.module->is_test ||
      file_has_word(site, {"device_count", "psum(1", "psum(jnp.ones", "axis_size", "num_devices", "n_devices",
                           "world_size", "process_count"})) {
    return; // whoever counts the devices may divide by their number
  }
  const model::FunctionInfo *differentiated = nullptr;
  bool is_other = false;
  visit_origins(site, *site.function, summed, [&](const Origin &origin) {
    if (origin.is_gradient) {
      differentiated = origin.differentiated;
    } else if (origin.parameter_of != nullptr) {
      return Onward::Through;
    } else {
      is_other = true;
    }
    return Onward::Stop;
  });
  if (is_other || differentiated == nullptr || !returns_mean(site, *differentiated)) {
    return;
  }
  report(site, call,
         "the gradients of all devices are summed, although each is the gradient of a mean, so the step grows with the "
         "number of devices",
         fmt::format("average them: `jax.lax.pmean({}, …)`", text_of(site, summed)));
}

} // namespace

extern constinit const Rule kGradientsSummedOverDevices = {
    .info = {.code = "DP979",
             .name = "gradients-summed-over-devices",
             .summary = "gradients of a mean loss that `psum` adds up over devices",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`jax.lax.psum` of gradients of a loss that is a mean over the examples of one device, in a file that never reads the number of devices.

## Why it is wrong

The mean of the whole batch has the mean of the devices' gradients. Their sum is larger by the number of devices, so the learning rate changes
with the machine that the program runs on.

## Bad

```python
import functools

import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean((x @ params) ** 2)


@functools.partial(jax.pmap, axis_name="devices")
def gradients(params, x):
    grads = jax.grad(loss_fn)(params, x)
    return jax.lax.psum(grads, "devices")
```

## Good

```python
import functools

import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean((x @ params) ** 2)


@functools.partial(jax.pmap, axis_name="devices")
def gradients(params, x):
    grads = jax.grad(loss_fn)(params, x)
    return jax.lax.pmean(grads, "devices")
```

## When it is wrong

Where the learning rate was chosen for the sum.

## References

- JAX documentation: `jax.lax.pmean`
)"},
    .calls = "jax.lax.psum",
    .on_call = check};

} // namespace deepperf::rules::gradients_summed_over_devices
