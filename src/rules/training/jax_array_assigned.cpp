#include "rules/reach.h"
#include "rules/site.h"
#include <fmt/format.h>

namespace deepperf::rules::jax_array_assigned {

using namespace python;

namespace {

// A JAX array wherever it comes from, and nothing else.
bool is_jax_array(const Site &site, const Expr *expr) {
  if (expr->kind != NodeKind::Name && expr->kind != NodeKind::Attribute) {
    return false;
  }
  const model::Value value = value_of(site, expr);
  u32 arrays = 0;
  u32 others = 0;
  for_each_alternative(value, [&](const model::Value &one) {
    // What jax.lax and jax.tree_util give has the form of what they get, which may be a dict.
    const std::string_view api =
        one.is_kind(Kind::JaxArray) && one.maker() != nullptr ? called_api(site, *one.maker()) : std::string_view{};
    const bool is_array = api.starts_with("jax.numpy.") || api.starts_with("jax.random.");
    ++(is_array && !one.container ? arrays : others);
  });
  return arrays > 0 && others == 0 && !value.open && !value.none;
}

void check(Site &site, const Node &node) {
  if (!site.module->jax || site.module->is_test) {
    return;
  }
  const auto *plain = as<Assign>(&node);
  const auto *changed = as<AugAssign>(&node);
  const Expr *target = plain != nullptr     ? (plain->targets.size() == 1 ? plain->targets[0] : nullptr)
                       : changed != nullptr ? changed->target
                                            : nullptr;
  const auto *element = as<Subscript>(target);
  const auto *key = element != nullptr ? as<Constant>(element->slice) : nullptr;
  if (key != nullptr && (key->is_string() || text_of(site, key) == "...")) {
    return; // a dict, or a reference of Flax
  }
  if (element == nullptr || !is_jax_array(site, element->value) ||
      file_has_word(site, {"pallas", "new_ref", "array_ref", "run_state"})) {
    return;
  }
  const Expr *value = plain != nullptr ? plain->value : changed->value;
  const std::string_view array = text_of(site, element->value);
  const bool adds = changed != nullptr && changed->op() == Operator::Add;
  report(site, *element,
         fmt::format("JAX arrays cannot be changed in place, so assigning to `{}` raises an error",
                     text_of(site, element)),
         fmt::format("use `{0} = {0}.at[{1}].{2}({3})`", array, text_of(site, element->slice),
                     plain != nullptr ? "set"
                     : adds           ? "add"
                                      : "multiply",
                     text_of(site, value)));
}

} // namespace

extern constinit const Rule kJaxArrayAssigned = {
    .info = {.code = "DP959",
             .name = "jax-array-assigned",
             .summary = "an element of a JAX array that is assigned in place",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`x[i] = value` or `x[i] += value` for an array of `jax.numpy`.

## Why it is wrong

JAX arrays are immutable, and the assignment raises a TypeError. `x.at[i].set(value)` returns a new array; under `jax.jit` the compiler
updates in place where it can.

## Bad

```python
import jax.numpy as jnp


def first_zero(n):
    x = jnp.ones(n)
    x[0] = 0.0
    return x
```

## Good

```python
import jax.numpy as jnp


def first_zero(n):
    x = jnp.ones(n)
    return x.at[0].set(0.0)
```

## When it is wrong

No false positives are known.

## References

- JAX documentation of `jax.numpy.ndarray.at`
)"},
    .nodes = {NodeKind::Assign, NodeKind::AugAssign},
    .on_node = check};

} // namespace deepperf::rules::jax_array_assigned
