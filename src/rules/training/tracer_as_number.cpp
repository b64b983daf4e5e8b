#include "rules/site.h"
#include "rules/tracing.h"

#include <fmt/format.h>

namespace deepperf::rules::tracer_as_number {

using namespace python;

namespace {

bool is_jitted(const Site &site) {
  return !site.module->is_test && (tracers_at(site) & model::kByJaxJit) != 0; // tests provoke such errors
}

bool is_traced_value(const Expr *expr) { return model::kind_of(expr) == Kind::JaxArray; }

// Is the test's value one that only the compiled program knows?
bool needs_value(const Expr *test) {
  if (const auto *negation = as<UnaryOp>(test)) {
    return needs_value(negation->operand);
  }
  if (const auto *compare = as<Compare>(test)) {
    return compare->rest.size() == 1 && compare->rest[0].op <= CompareOperator::GtE &&
           (is_traced_value(compare->left) || is_traced_value(compare->rest[0].right));
  }
  return test->kind == NodeKind::Call && is_traced_value(test);
}

void check_branch(Site &site, const Node &node) {
  const Expr *test =
      node.kind == NodeKind::If ? static_cast<const If &>(node).test : static_cast<const While &>(node).test;
  if (needs_value(test) && is_jitted(site)) {
    Finding &finding =
        report(site, *test, "this condition needs the value of a traced array, so `jax.jit` raises an error",
               "use `jnp.where`, `jax.lax.cond` or `jax.lax.while_loop`");
    finding.tier = depends_on_traced_argument(site, test) ? finding.tier : Tier::Hint;
  }
}

void check_call(Site &site, const Call &call) {
  const Expr *array = called_method(call) == "item" ? receiver_of(call)
                      : call.args.size() == 1       ? call.args[0]
                                                    : nullptr;
  if (array != nullptr && is_traced_value(array) && is_jitted(site)) {
    Finding &finding = report(site, call,
                              fmt::format("`{}` needs the value of a traced array, so `jax.jit` raises an error",
                                          called_method(call) == "item" ? "item()" : text_of(site, call.func)),
                              "keep it an array, or return it and convert it outside the compiled function");
    finding.tier = depends_on_traced_argument(site, array) ? finding.tier : Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kTracerAsNumber = {
    .info = {.code = "DP826",
             .name = "tracer-as-number",
             .summary = "a branch or conversion under `jax.jit` that needs the value of an array",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`if` and `while` on the value of an array, and `float(x)`, `int(x)`, `bool(x)`, `x.item()`, in a function that `jax.jit` compiles. It is a hint
where the value is not known to come from the function's arguments, or some of them are static.

## Why it is wrong

While JAX traces a function, its arrays have a shape and a dtype but no values. Such code raises a `TracerBoolConversionError` or
`ConcretizationTypeError` in the first call.

## Bad

```python
import jax
import jax.numpy as jnp


@jax.jit
def clip(x):
    norm = jnp.linalg.norm(x)
    if norm > 1.0:
        x = x / norm
    return x
```

## Good

```python
import jax
import jax.numpy as jnp


@jax.jit
def clip(x):
    norm = jnp.linalg.norm(x)
    return jnp.where(norm > 1.0, x / norm, x)
```

## When it is wrong

Where the array is a constant that does not depend on the function's arguments.

## References

- JAX documentation "Control flow and logical operators with JIT"
)"},
    .calls = "float int bool JaxArray.item",
    .on_call = check_call,
    .nodes = {NodeKind::If, NodeKind::While},
    .on_node = check_branch};

} // namespace deepperf::rules::tracer_as_number
