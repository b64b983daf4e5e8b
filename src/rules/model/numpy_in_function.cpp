#include "rules/reach.h"
#include "rules/tracing.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::numpy_in_function {

using namespace python;

namespace {

bool is_tensor(const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::Tensor || kind == Kind::Variable;
}

// A parameter of the traced function: a tensor, or it would have no numpy().
bool is_parameter(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  return name != nullptr && site.function->compiled_at != nullptr &&
         std::ranges::any_of(site.function->params, [name](const Param *param) { return param->name == name->id; });
}

// `if tf.executing_eagerly():` and `if hasattr(x, "numpy"):` guard such calls.
bool is_guarded(const Site &site) {
  return enclosing(site, NodeKind::If) != nullptr || enclosing(site, NodeKind::IfExp) != nullptr ||
         enclosing(site, NodeKind::Try) != nullptr;
}

// In train_step() and the like of a model, which fit() compiles unless it is told to run eagerly.
bool is_compiled_by_keras(const Site &site, const Node &node) {
  const auto *call = as<Call>(&node);
  if (call == nullptr || called_method(*call) != "numpy" || site.type == nullptr || site.function == nullptr ||
      (site.function->tracers & model::kByPython) != 0) {
    return false;
  }
  const bool is_step =
      in_method(site, Kind::KerasModel, "train_step") || in_method(site, Kind::KerasModel, "test_step");
  const bool is_called_directly = !site.function->called_by.empty() || project_has_word(site, {".train_step("});
  return is_step && !is_called_directly && project_has_word(site, {".fit("}) &&
         !project_has_word(site, {"run_eagerly=True", "run_eagerly = True", "run_functions_eagerly"});
}

void check(Site &site, const Node &node) {
  const bool is_compiled = site.module->tensorflow && (tracers_at(site) & model::kByTfFunction) != 0;
  if (!site.module->tensorflow || (!is_compiled && !is_compiled_by_keras(site, node))) {
    return;
  }
  const auto &call = static_cast<const Call &>(node);
  const Expr *receiver = receiver_of(call);
  if (receiver != nullptr && called_method(call) == "numpy" && call.args.empty() && call.keywords.empty()) {
    if ((is_tensor(receiver) || is_parameter(site, receiver)) && !is_guarded(site)) {
      report(site, call, "tensors have no `numpy()` while a `tf.function` is traced, so this call fails",
             "use TensorFlow operations, or return the tensor and call `numpy()` outside");
    }
    return;
  }
  if (side_effect_at(site, call) == SideEffect::Numpy && !is_guarded(site)) {
    report(site, call,
           fmt::format("`{}` cannot take a symbolic tensor, so it fails while the `tf.function` is traced",
                       text_of(site, call.func)),
           "use the TensorFlow operation, or `tf.numpy_function` if there is none");
  }
}

} // namespace

extern constinit const Rule kNumpyInFunction = {
    .info = {.code = "DP211",
             .name = "numpy-in-function",
             .summary = "`.numpy()` or a NumPy function on a tensor inside a `tf.function`",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`x.numpy()`, or a NumPy function that is passed a tensor, in a `tf.function` and in functions that only such functions call. Also
`x.numpy()` in `train_step` or `test_step` of a Keras model, which `fit` compiles.

## Why it is wrong

While a function is traced its tensors have no values, so both fail, with an AttributeError or a NotImplementedError. Removing the decorator
avoids the error, but then every step runs eagerly, operation by operation.

## Bad

```python
import numpy as np
import tensorflow as tf

@tf.function
def normalise(x):
    x = tf.cast(x, tf.float32)
    return x / np.max(x)
```

## Good

```python
import tensorflow as tf

@tf.function
def normalise(x):
    x = tf.cast(x, tf.float32)
    return x / tf.reduce_max(x)
```

## When it is wrong

Where `tf.config.run_functions_eagerly(True)` is active. Functions that are passed to `tf.py_function` or `tf.numpy_function` run as Python
and are not reported.

## References

- TensorFlow guide "Better performance with tf.function"
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::numpy_in_function
