#include "rules/site.h"

namespace deepperf::rules::chain_outside_function {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (is_traced(site) || site.module->is_test || site.module->v1) {
    return;
  }
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (definition != nullptr && (site.function->passed || site.function->compiled_at != nullptr)) {
    return; // somebody else may compile it
  }
  report(site, call, "the Markov chain runs eagerly, so every step launches its operations from Python",
         "call it in a function decorated with `@tf.function`, preferably with `jit_compile=True`");
}

} // namespace

extern constinit const Rule kChainOutsideFunction = {
    .info = {.code = "DP255",
             .name = "chain-outside-function",
             .summary = "Markov chain sampling that no `tf.function` compiles",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Program Hang",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "63875039",
             .documentation = R"(## What it finds

`tfp.mcmc.sample_chain` of TensorFlow Probability, called outside of a `tf.function`.

## Why it costs

A chain takes thousands of steps, and each evaluates the model and its gradient several times. Run eagerly, every operation of
every step goes through Python. In a compiled function the whole chain is one loop of the graph.

## Bad

```python
import tensorflow as tf
import tensorflow_probability as tfp


def run(kernel, start):
    return tfp.mcmc.sample_chain(num_results=1000, current_state=start, kernel=kernel)
```

## Good

```python
import tensorflow as tf
import tensorflow_probability as tfp


@tf.function
def run(kernel, start):
    return tfp.mcmc.sample_chain(num_results=1000, current_state=start, kernel=kernel)
```

## When it is wrong

While a model is debugged.

## References

- TensorFlow Probability, guides on MCMC
)"},
    .calls = "tensorflow_probability.mcmc.sample_chain",
    .on_call = check};

} // namespace deepperf::rules::chain_outside_function
