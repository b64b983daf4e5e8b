#include "rules/tracing.h"

#include <algorithm>

namespace deepperf::rules::function_in_loop {

using namespace python;

namespace {

void lint(Site &site, const Node &place, const CompiledAgain &again) {
  if (!again.found) {
    return;
  }
  Finding &finding =
      report(site, place,
             again.loop != nullptr
                 ? "this `tf.function` is created in every iteration, so it is traced every time"
                 : "this `tf.function` is created in every call of the function around it, so it is traced every time",
             "create it once, at module level or in an attribute, and call it here");
  if (again.loop != nullptr) {
    add_note(finding, site, *again.loop->node, "the loop");
  } else if (!runs_per_batch(site) && !again.per_epoch) {
    finding.tier = Tier::Hint; // perhaps it is only called once, or from a function that is traced elsewhere
  }
}

void check_call(Site &site, const Call &call) {
  if (!call.args.empty() || keyword_argument(call, "func") != nullptr) {
    lint(site, call, compiled_again(site, call));
  }
}

void check_node(Site &site, const Node &node) {
  if (const auto *call = as<Call>(&node)) {
    const model::FunctionInfo *made = nullptr;
    const CompiledAgain again =
        call->fact != 0 && site.module->tensorflow ? factory_called_again(site, *call, &made) : CompiledAgain{};
    if (again.found && (made->tracers & model::kByTfFunction) != 0) {
      lint(site, *call, again);
    }
    return;
  }
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (definition.decorators.empty()) {
    return;
  }
  const auto *known = site.project.function_at(&node);
  if (known == nullptr || (known->tracers & model::kByTfFunction) == 0) {
    return;
  }
  const Expr *decorator = known->compiled_at;
  if (std::ranges::find(definition.decorators, decorator) != definition.decorators.end()) {
    lint(site, *decorator, compiled_again(site, definition));
  }
}

} // namespace

extern constinit const Rule kFunctionInLoop = {
    .info = {.code = "DP206",
             .name = "function-in-loop",
             .summary = "a `tf.function` that is created, and therefore traced, repeatedly",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tf.function(f)`, or an inner function decorated with `@tf.function`, in a loop or in a function that is called from one, where the result
is called immediately and not kept. Also a function that returns such an inner function and is called in every iteration.

## Why it costs

Each `tf.function` object has its own cache of graphs. Its first call traces the Python code; only later calls of the same object reuse the
graph. If the object is created each time, every call is a first call, and the graphs accumulate in memory.

## Bad

```python
import tensorflow as tf

for batch in dataset:
    step = tf.function(train_step)
    step(batch)
```

## Good

```python
import tensorflow as tf

step = tf.function(train_step)
for batch in dataset:
    step(batch)
```

## When it is wrong

Where each iteration needs its own variables, as in a loop over models. The steps of each model then usually run in an inner loop, and the
rule is silent. Inside another `tf.function` nothing is traced twice.

## References

- TensorFlow guide "Better performance with tf.function": rules of tracing
)"},
    .calls = "tensorflow.function tensorflow.contrib.eager.defun",
    .on_call = check_call,
    .nodes = {NodeKind::FunctionDef, NodeKind::Call},
    .on_node = check_node};

} // namespace deepperf::rules::function_in_loop
