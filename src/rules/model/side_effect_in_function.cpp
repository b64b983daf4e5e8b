#include "rules/tracing.h"

namespace deepperf::rules {

using namespace python;

namespace {

// What people put in to see when it is traced, or what a test counts.
void report_hint(Site &site, const Node &node, std::string message, std::string advice) {
  report(site, node, std::move(message), std::move(advice)).tier = Tier::Hint;
}

void check(Site &site, const Node &node) {
  if (!site.module->tensorflow || (tracers_at(site) & model::kByTfFunction) == 0) {
    return;
  }
  switch (side_effect_at(site, node)) {
  case SideEffect::Print:
    report_hint(site, node, "print runs while the function is traced, and shows no values", "use tf.print");
    return;
  case SideEffect::Append:
    report_hint(site, node,
                "the append runs once, while the function is traced, and leaves a symbolic value in a list outside",
                "return the value, and append it outside");
    return;
  case SideEffect::Counter:
    report_hint(site, node, "this counts how often the function is traced, not how often it is called",
                "count in a tf.Variable, or outside of the function");
    return;
  case SideEffect::Clock:
    report_hint(site, node,
                "the clock is read once, while the function is traced: the time is a constant in the compiled code",
                "measure outside of the function");
    return;
  case SideEffect::Random:
    report(site, node, "this is drawn once, while the function is traced: the same number is used in every call",
           "use tf.random, or pass the number as an argument");
    return;
  case SideEffect::Numpy: // a rule of its own
  case SideEffect::None:
    return;
  }
}

} // namespace

extern constinit const Rule kSideEffectInFunction = {
    .info = {.code = "DP208",
             .name = "side-effect-in-function",
             .summary = "print, append, counters, clocks or Python randomness inside a tf.function",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result, Memory Leak",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Inside a `tf.function`, and in what only such functions call: `print` of a tensor, `append` of one to a list outside, a counter that is an
attribute or a global, `time.time()`, and numbers drawn by `random` or `numpy.random`.

## Why it costs

The Python code of a `tf.function` runs when it is traced: once for each kind of arguments. What it prints is symbolic, what it counts are
traces, what it draws becomes a constant: augmentation with `numpy.random` applies the same to every batch. A list outside keeps
symbolic tensors alive, and with them the graph.

## Bad

```python
import numpy as np
import tensorflow as tf

@tf.function
def augment(image):
    angle = np.random.uniform(-1.0, 1.0)
    return tf.image.adjust_brightness(image, angle)
```

## Good

```python
import tensorflow as tf

@tf.function
def augment(image):
    angle = tf.random.uniform([], -1.0, 1.0)
    return tf.image.adjust_brightness(image, angle)
```

## When it is wrong

A print of a constant text, to see when tracing happens, is taken to be meant so, and so is one of a shape or type.

## References

- TensorFlow guide "Better performance with tf.function": executing Python side effects
- SonarPython S6928
)"},
    .nodes = {NodeKind::Call, NodeKind::AugAssign},
    .on_node = check};

} // namespace deepperf::rules
