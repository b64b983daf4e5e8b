#include "rules/tracing.h"

namespace deepperf::rules {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  if (!site.module->jax || (tracers_at(site) & model::kByJaxJit) == 0) {
    return;
  }
  switch (side_effect_at(site, node)) {
  case SideEffect::Print:
    report(site, node, "print runs while the function is traced, and shows no values", "use jax.debug.print");
    return;
  case SideEffect::Append:
    report(site, node,
           "the append runs once, while the function is traced, and leaves a symbolic value in a list outside",
           "return the value, and append it outside");
    return;
  case SideEffect::Counter:
    report(site, node, "this counts how often the function is traced, not how often it is called",
           "return the count, or keep it outside of the function");
    return;
  case SideEffect::Clock:
    report(site, node,
           "the clock is read once, while the function is traced: the time is a constant in the compiled code",
           "measure outside of the function");
    return;
  case SideEffect::Random:
    report(site, node, "this is drawn once, while the function is traced: the same number is used in every call",
           "use jax.random with a key that is passed in");
    return;
  case SideEffect::Numpy:
    report(site, node, "NumPy cannot take an array that is being traced, and fails under jit",
           "use the function of jax.numpy");
    return;
  case SideEffect::None:
    return;
  }
}

} // namespace

extern constinit const Rule kSideEffectUnderJit = {
    .info = {.code = "DP222",
             .name = "side-effect-under-jit",
             .summary = "print, append, counters, clocks, Python randomness or NumPy under jax.jit",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result, Memory Leak",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

Inside a function that `jax.jit` or `pmap` compiles, and in what only such functions call: `print` of an array, `append` of one to a list
outside, a counter that is an attribute or a global, `time.time()`, numbers drawn by `random` or `numpy.random`, and NumPy functions on
traced arrays.

## Why it costs

The Python code runs when it is traced: once for each shape and type of the arguments. What it prints are tracers, what it draws is
a constant in the compiled code. A tracer in a list outside cannot be used later and keeps memory.

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

A print of a constant text, a shape or a type, to see when tracing happens, is taken to be meant so.

## References

- JAX documentation "The sharp bits": pure functions
)"},
    .nodes = {NodeKind::Call, NodeKind::AugAssign},
    .on_node = check};

} // namespace deepperf::rules
