#include "rules/jax.h"
#include "rules/thin.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace deepperf::rules::optax_update_misused {

using namespace python;

namespace {

// Does the optimizer read the parameters, as weight decay does?
bool needs_parameters(const Site &site, const Expr *expr, const model::Scope &scope, u32 depth) {
  constexpr u32 kMostDepth = 4;
  std::vector<model::Argument::Given> written = model::written_as(scope, expr);
  if (written.empty() && expr->kind == NodeKind::Call) {
    written.push_back({scope, expr});
  }
  constexpr std::size_t kMostWritten = 64;
  return depth < kMostDepth && !written.empty() && written.size() <= kMostWritten &&
         std::ranges::all_of(written, [&](const model::Argument::Given &given) {
           const auto *call = as<Call>(given.expr);
           const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
           if (api == "optax.chain") {
             return std::ranges::any_of(call->args, [&](const Expr *arg) {
               return arg->kind != NodeKind::Starred && needs_parameters(site, arg, given.scope, depth + 1);
             });
           }
           return api == "optax.adamw" || api == "optax.lamb" || api == "optax.lars" || api == "optax.lion" ||
                  api == "optax.add_decayed_weights" || api == "optax.nadamw" || api == "optax.adafactor";
         });
}

void check_update(Site &site, const Call &call) {
  if (!site.module->jax || site.module->is_test || call.args.size() != 2 || !call.keywords.empty() ||
      call.args[1]->kind == NodeKind::Starred || call.args[0]->kind == NodeKind::Starred) {
    return;
  }
  const Expr *optimizer = receiver_of(call);
  if (optimizer != nullptr && needs_parameters(site, optimizer, scope_of(site), 0)) {
    report(site, call, "weight decay needs the parameters, and `update()` without them raises an error",
           fmt::format("pass them: `{}({}, {}, params)`", text_of(site, call.func), text_of(site, call.args[0]),
                       text_of(site, call.args[1])));
  }
}

// Is the name what jax.grad or value_and_grad gave?
bool is_gradient(const Site &site, const Block &body, Symbol name, u32 before) {
  bool found = false;
  bool other = false;
  any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->start > before) {
      return false;
    }
    for (const Expr *target : assignment->targets) {
      if (!mentions(target, name)) {
        continue;
      }
      const auto *call = as<Call>(run_by(assignment->value));
      const auto *transform = call != nullptr ? as<Call>(call->func) : nullptr;
      const std::string_view api = transform != nullptr ? called_api(site, *transform) : std::string_view{};
      (api == "jax.grad" || api == "jax.value_and_grad" ? found : other) = true;
    }
    return false;
  });
  return found && !other;
}

void check_apply(Site &site, const Call &call) {
  const auto *given = call.args.size() == 2 ? as<Name>(call.args[1]) : nullptr;
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (given == nullptr || site.module->is_test || definition == nullptr ||
      !is_gradient(site, definition->body, given->id, call.start)) {
    return;
  }
  const Call *update = nullptr;
  any_node(definition->body, [&](const Node *node) {
    const auto *one = as<Call>(node);
    const auto *first = one != nullptr && one->args.size() >= 2 ? as<Name>(one->args[0]) : nullptr;
    const bool is_update = first != nullptr && called_method(*one) == "update" && first->id == given->id;
    update = is_update ? one : update;
    return false;
  });
  if (update == nullptr) {
    return;
  }
  Finding &finding = report(site, *given,
                            fmt::format("`{}` are the gradients, so `apply_updates()` adds them without a learning "
                                        "rate, in the direction that increases the loss",
                                        given->id.text()),
                            "pass the updates that `update()` returned");
  add_note(finding, site, *update, "the updates");
}

void check(Site &site, const Call &call) {
  if (called_method(call) == "update") {
    check_update(site, call);
  }
  if (called_api(site, call) == "optax.apply_updates") {
    check_apply(site, call);
  }
}

} // namespace

extern constinit const Rule kOptaxUpdateMisused = {
    .info = {.code = "DP950",
             .name = "optax-update-misused",
             .summary =
                 "an Optax update without the parameters that it needs, or gradients that are applied as updates",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`update(grads, state)` of an Optax optimizer with weight decay (`adamw`, `lamb`, `lion`, `add_decayed_weights`, also inside `optax.chain`), without
the parameters as third argument; and `optax.apply_updates(params, grads)` where `update()` has returned updates.

## Why it is wrong

Weight decay is computed from the parameters, and Optax raises an error without them. Gradients that are applied directly increase
the loss: `apply_updates` adds, and only the optimizer turns gradients into descending steps.

## Bad

```python
import jax
import jax.numpy as jnp
import optax

tx = optax.adamw(1e-3)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state
```

## Good

```python
import jax
import jax.numpy as jnp
import optax

tx = optax.adamw(1e-3)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state
```

## When it is wrong

No false positives are known.

## References

- Optax documentation of `GradientTransformation`
)"},
    .calls = "*.update optax.apply_updates",
    .on_call = check};

} // namespace deepperf::rules::optax_update_misused
