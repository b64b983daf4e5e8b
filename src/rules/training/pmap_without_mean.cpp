#include "rules/jax.h"
#include "rules/origins.h"
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

// What a call applies to the parameters: gradients, or the updates that an optimizer made of them; null if it is none.
const Expr *applied_by(const Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  const std::string_view api = called_api(site, call);
  if (api == "optax.apply_updates" || api == "equinox.apply_updates") {
    return call.args.size() > 1 ? call.args[1] : nullptr;
  }
  if (method == "apply_gradients") {
    const Keyword *given = keyword_argument(call, "grads");
    return given != nullptr ? given->value : nullptr;
  }
  return method == "apply_gradient" && !call.args.empty() ? call.args[0] : nullptr;
}

bool is_reduction(std::string_view api) {
  return api.ends_with(".pmean") || api.ends_with(".psum") || api.ends_with(".all_gather") ||
         api.ends_with(".psum_scatter");
}

// Where the gradients come from that are applied, if nothing on the way puts those of all devices together.
struct LocalGradient {
  const FunctionInfo *function = nullptr;
  const Call *call = nullptr;
  bool is_other = false; // reduced on some way, or perhaps
};

LocalGradient gradient_behind(const Site &site, const FunctionInfo &function, const Expr *applied) {
  LocalGradient found;
  visit_origins(site, function, applied, [&](const Origin &origin) {
    if (origin.is_gradient) {
      found.call = static_cast<const Call *>(origin.expr);
      found.function = origin.function;
      static constexpr std::string_view kWords[] = {"pmean", "psum", "all_gather", "lax.p"};
      found.is_other |= origin.differentiated == nullptr || has_word(text_of(*origin.differentiated), kWords);
      return Onward::Stop;
    }
    const Site there = site_of_origin(site, *origin.function);
    const auto *call = as<Call>(origin.expr);
    const model::Value value = call == nullptr ? value_of(there, origin.expr) : model::Value{};
    const std::string_view api = call != nullptr                    ? called_api(there, *call)
                                 : value.is(model::Value::Tag::Api) ? value.name().text()
                                                                    : std::string_view{};
    if (is_reduction(api)) {
      found.is_other = true;
      return Onward::Stop;
    }
    const bool is_known = api.starts_with("jax.") || api.starts_with("optax.") || api.starts_with("flax.") ||
                          api.starts_with("equinox.") || api.starts_with("functools.") || api.find('.') == api.npos;
    if (call != nullptr && (api.empty() ? called_method(*call) != "update" : !is_known)) {
      found.is_other = true; // it may do anything
      return Onward::Stop;
    }
    return Onward::Through;
  });
  return found;
}

void check(Site &site, const Node &node) {
  const FunctionInfo *function = site.project.function_at(&node);
  if (function == nullptr || !site.module->jax || site.module->is_test || function->compiled_at == nullptr ||
      (function->tracers & model::kByJaxJit) == 0 || !is_mapped(site, *function)) {
    return;
  }
  const auto look_in = [&](const FunctionInfo &where, const Node &code) {
    const Site there = site_of_origin(site, where);
    bool reported = false;
    any_node(&code, [&](const Node *part) {
      const auto *call = as<Call>(part);
      const Expr *applied = call != nullptr ? applied_by(there, *call) : nullptr;
      const LocalGradient gradient = applied != nullptr ? gradient_behind(site, where, applied) : LocalGradient{};
      if (gradient.call == nullptr || gradient.is_other) {
        return false;
      }
      Site place = there;
      Finding &finding = report(place, *call,
                                "each device updates its parameters with the gradients of its own part of the batch, "
                                "so the copies of the model drift apart",
                                "average the gradients first: `grads = jax.lax.pmean(grads, axis_name=\"batch\")`");
      add_note(finding, site, *function->compiled_at, "runs on every device");
      finding.notes.push_back({gradient.function->module->file,
                               {gradient.call->start, gradient.call->end},
                               "these gradients are of one device"});
      reported = true;
      return true;
    });
    return reported;
  };
  const auto &definition = static_cast<const FunctionDef &>(node);
  for (const Stmt *statement : definition.body) {
    if (look_in(*function, *statement)) {
      return;
    }
  }
  // What it calls, and what those hand to lax.scan and the like.
  std::vector<const FunctionInfo *> run = reached_functions(*function, node);
  for (const FunctionInfo &other : site.project.functions) {
    for (const HandedTo &handed : other.module->jax ? handed_to(site, other) : std::vector<HandedTo>{}) {
      const FunctionInfo *caller = site.project.caller_of(handed.transform);
      const bool is_run = caller == function || std::ranges::find(run, caller) != run.end();
      if (is_run && caller != nullptr && std::ranges::find(run, &other) == run.end()) {
        run.push_back(&other);
      }
    }
  }
  for (const FunctionInfo *reached : run) {
    const FunctionDef *helper = reached->definition();
    for (const Stmt *statement : helper != nullptr ? helper->body : Block{}) {
      if (look_in(*reached, *statement)) {
        return;
      }
    }
  }
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

A function under `jax.pmap` that computes gradients and applies them, itself or in what it calls, where no `jax.lax.pmean`, `psum` or the like
comes between the two. An average of the metrics alone does not help.

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

Where each device trains its own model, as for an ensemble or a search.

## References

- Flax guide "Ensembling on multiple devices", JAX documentation of `jax.lax.pmean`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::pmap_without_mean
