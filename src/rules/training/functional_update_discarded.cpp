#include "base/name_table.h"
#include "rules/jax.h"
#include "rules/reach.h"

#include <fmt/format.h>

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

void check(Site &site, const Node &node) {
  const auto &statement = static_cast<const ExprStmt &>(node);
  const auto *call = as<Call>(statement.value);
  if (call == nullptr || !site.module->jax || is_shown_by_notebook(site, statement)) {
    return;
  }
  if (enclosing(site, NodeKind::With) != nullptr && site.module->is_test) {
    return; // with assertRaises(…)
  }
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
result is not used.

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
    .nodes = {NodeKind::ExprStmt},
    .on_node = check};

} // namespace deepperf::rules::functional_update_discarded
