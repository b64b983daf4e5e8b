#include "rules/tracers.h"
#include "rules/tracing.h"

#include <algorithm>

namespace deepperf::rules::side_effect_under_jit {

using namespace python;

namespace {

// What is harmless in most programs, or not certain.
void hint(Site &site, const Node &node, const char *message, const char *advice) {
  report(site, node, message, advice).tier = Tier::Hint;
}

// NumPy on a traced array that works, that DP826 is certain about, or that is a constant for the compiled function.
bool is_harmless(const Site &site, const Call &call) {
  const NumpyOnTracer known = numpy_on_tracer(called_api(site, call));
  return known == NumpyOnTracer::Works || std::ranges::all_of(call.args, [&](const Expr *arg) {
           return (known == NumpyOnTracer::Fails && is_tracer(site, arg)) || is_outer_constant(site, arg) ||
                  model::kind_of(arg) != Kind::JaxArray;
         });
}

// What a compiled function leaves behind is a tracer, which nobody can use after the trace.
void check_store(Site &site, const Assign &store) {
  if (!is_tracer(site, store.value) || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  Finding &finding =
      report(site, store, "this stores a tracer outside of the compiled function, so reading it later raises an error",
             "return the array as another result of the function");
  finding.tier = is_read_outside(site, store) ? finding.tier : Tier::Hint;
}

void check(Site &site, const Node &node) {
  if (!site.module->jax || (tracers_at(site) & model::kByJaxJit) == 0) {
    return;
  }
  switch (side_effect_at(site, node)) {
  case SideEffect::Print:
    hint(site, node, "`print` runs only while the function is traced, and prints tracers without values",
         "use `jax.debug.print`");
    return;
  case SideEffect::Append:
    report(site, node, "`append` runs once, during tracing, and leaves a tracer in a list outside the function",
           "return the value and append it outside the function");
    return;
  case SideEffect::Counter:
    hint(site, node, "this counts how often the function is traced, not how often it is called",
         "return the count, or count outside the function");
    return;
  case SideEffect::Clock:
    hint(site, node, "the clock is read once, during tracing: the time is a constant in the compiled function",
         "measure outside the function");
    return;
  case SideEffect::Random:
    report(site, node, "this number is drawn once, during tracing, and is the same in every call",
           "use `jax.random` with a key that is passed in");
    return;
  case SideEffect::Numpy:
    if (is_harmless(site, static_cast<const Call &>(node))) {
      return;
    }
    hint(site, node, "NumPy cannot take a traced array, so this call fails under `jax.jit`",
         "use the function in `jax.numpy`");
    return;
  case SideEffect::Store:
    check_store(site, static_cast<const Assign &>(node));
    return;
  case SideEffect::None:
    return;
  }
}

} // namespace

extern constinit const Rule kSideEffectUnderJit = {
    .info = {.code = "DP222",
             .name = "side-effect-under-jit",
             .summary = "`print`, `append`, counters, clocks, Python randomness or NumPy under `jax.jit`",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result, Memory Leak",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Inside a function that `jax.jit` or `pmap` compiles, and in functions that only such functions call: `print` of an array, `append` of one to
a list outside, a counter in an attribute or a global, `time.time()`, numbers drawn with `random` or `numpy.random`, and NumPy functions on
traced arrays. `append`, and randomness that becomes a constant, are reported by default, the others are hints.

## Why it is wrong

The Python code runs when it is traced: once for each combination of argument shapes and dtypes. It prints tracers, and the numbers it draws
are constants in the compiled code. A tracer in a list outside cannot be used later and keeps memory alive.

## Bad

```python
import jax
import numpy as np

@jax.jit
def add_noise(x):
    return x + np.random.normal(size=x.shape)
```

## Good

```python
import jax

@jax.jit
def add_noise(x, key):
    return x + jax.random.normal(key, x.shape)
```

## When it is wrong

Printing a constant string, a shape or a dtype to see when tracing happens is assumed to be intended.

## References

- JAX documentation "The sharp bits": pure functions
)"},
    .nodes = {NodeKind::Call, NodeKind::AugAssign, NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::side_effect_under_jit
