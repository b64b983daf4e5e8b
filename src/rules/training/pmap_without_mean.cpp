#include "rules/jax.h"
#include "rules/reach.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::pmap_without_mean {

using namespace python;
using model::FunctionInfo;

namespace {

// Is it jax.pmap that compiles the function, as a decorator, in a partial, or in a call?
bool is_mapped(const Site &site, const FunctionInfo &function) {
  const Site there = site_around(site, function);
  const auto is_pmap = [&](const Expr *expr) {
    const model::Value value = value_of(there, expr);
    return value.is(model::Value::Tag::Api) && value.name().text() == "jax.pmap";
  };
  const auto *made = as<Call>(function.compiled_at);
  return made == nullptr ? is_pmap(function.compiled_at)
                         : is_pmap(made->func) || (!made->args.empty() && is_pmap(made->args[0]));
}

bool is_gradient(std::string_view api) {
  return api == "jax.grad" || api == "jax.value_and_grad" || api == "haiku.grad" || api == "haiku.value_and_grad";
}

void check(Site &site, const Node &node) {
  const FunctionInfo *function = site.project.function_at(&node);
  if (function == nullptr || !site.module->jax || site.module->is_test || function->compiled_at == nullptr ||
      (function->tracers & model::kByJaxJit) == 0 || !is_mapped(site, *function)) {
    return;
  }
  static constexpr std::string_view kWords[] = {"pmean", "psum", "all_gather", "axis_name", "cross_replica", "lax.p"};
  const auto &definition = static_cast<const FunctionDef &>(node);
  const Call *gradient = nullptr;
  const Call *update = nullptr;
  bool is_reduced = false;
  any_node_inside(&node, [&](const Node *part) {
    const auto *call = as<Call>(part);
    if (call == nullptr || std::ranges::find(definition.decorators, part) != definition.decorators.end()) {
      return false;
    }
    const std::string_view api = called_api(site, *call);
    const std::string_view method = called_method(*call);
    gradient = is_gradient(api) ? call : gradient;
    is_reduced |= api.ends_with(".pmean") || api.ends_with(".psum") || api.ends_with("all_gather");
    if ((method == "apply_gradients" && keyword_argument(*call, "grads") != nullptr) || api == "optax.apply_updates") {
      update = call;
    }
    return false;
  });
  if (gradient == nullptr || update == nullptr || is_reduced) {
    return;
  }
  for (const FunctionInfo *reached : reached_functions(*function, node)) {
    if (has_word(text_of(*reached), kWords)) {
      return;
    }
  }
  Finding &finding = report(site, *update,
                            "each device updates its parameters with the gradients of its own part of the batch, so "
                            "the copies of the model drift apart",
                            "average them first: `grads = jax.lax.pmean(grads, axis_name=\"batch\")`");
  add_note(finding, site, *function->compiled_at, "runs on every device");
  add_note(finding, site, *gradient, "these gradients are of one device");
}

} // namespace

extern constinit const Rule kPmapWithoutMean = {
    .info = {.code = "DP915",
             .name = "pmap-without-mean",
             .summary = "a training step under `jax.pmap` that never averages gradients across devices",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A function under `jax.pmap` that computes gradients and applies them, without `jax.lax.pmean`, `psum` or the like in it or in what it calls.

## Why it is wrong

`pmap` runs the step on every device with a part of the batch. Without a mean over the devices each of them trains its own copy of the model
on its own part of the data, and only the first copy is evaluated and saved.

## Bad

```python
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.pmap, axis_name="batch")
def train_step(state, x, y):
    grads = jax.grad(lambda p: jnp.mean((state.apply_fn(p, x) - y) ** 2))(state.params)
    return state.apply_gradients(grads=grads)
```

## Good

```python
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.pmap, axis_name="batch")
def train_step(state, x, y):
    grads = jax.grad(lambda p: jnp.mean((state.apply_fn(p, x) - y) ** 2))(state.params)
    grads = jax.lax.pmean(grads, axis_name="batch")
    return state.apply_gradients(grads=grads)
```

## When it is wrong

Where the devices train models of their own, as for an ensemble or a search.

## References

- Flax guide "Ensembling on multiple devices", JAX documentation of `jax.lax.pmean`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::pmap_without_mean
