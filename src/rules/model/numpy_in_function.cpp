#include "rules/reach.h"
#include "rules/symbolic.h"
#include "rules/tracing.h"
#include "rules/tree.h"

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
  return name != nullptr && site.function->compiled_at != nullptr && site.function->has_param(name->id);
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

// NumPy functions that ask an array for what a symbolic tensor knows too.
bool asks_for_shape(std::string_view api) {
  return api == "numpy.shape" || api == "numpy.ndim" || api == "numpy.size" || api == "numpy.prod" ||
         api == "numpy.issubdtype" || api == "numpy.result_type" || api == "numpy.dtype" || api == "numpy.finfo" ||
         api == "numpy.iinfo" || api.starts_with("numpy.random.");
}

// Libraries whose functions need numbers, and names of files as strings.
bool needs_values(std::string_view api) {
  return api.starts_with("numpy.")
             ? !asks_for_shape(api)
             : api.starts_with("sklearn.metrics.") || api.starts_with("scipy.") || api.starts_with("skimage.") ||
                   api.starts_with("cv2.") || api.starts_with("math.") || api.starts_with("librosa.") ||
                   api.starts_with("soundfile.") || api.starts_with("PIL.Image.") || api == "open" || api == "bool" ||
                   api.starts_with("os.path.");
}

std::string advice_for(const TracedFunction &traced) {
  return traced.as == "map"      ? "use TensorFlow operations, or wrap the function in `tf.numpy_function`"
         : traced.as == "metric" ? "use TensorFlow or Keras operations, or compute it in a callback after each epoch"
                                 : "use the TensorFlow or Keras operation, which also has a gradient";
}

// A function is reported once: it fails at the first such call.
struct ReportedFunction {
  mutable bool is_reported = false;
};

// In a loss, a metric, the function of a Lambda layer or a mapped function, and in helpers that only those call.
void check_traced_by_keras(Site &site, const Call &call) {
  const Expr *receiver = receiver_of(call);
  const bool is_numpy_method = receiver != nullptr && called_method(call) == "numpy" && call.args.empty();
  const std::string_view api = called_api(site, call);
  const Expr *given = is_numpy_method ? receiver : !call.args.empty() && needs_values(api) ? call.args[0] : nullptr;
  const auto *list = as<List>(given);
  given = list != nullptr && !list->elts.empty() ? list->elts[0] : given;
  bool symbolic = given != nullptr && is_symbolic(site, given);
  if (given != nullptr && !symbolic && api.starts_with("numpy.") && call.args.size() > 1) {
    symbolic = is_symbolic(site, call.args[1]);
  }
  if (!symbolic || is_guarded(site) || site.module->is_test) {
    return;
  }
  const ReportedFunction &before =
      site.memory.recall<ReportedFunction>(site.function, [] { return ReportedFunction{}; });
  if (before.is_reported) {
    return;
  }
  before.is_reported = true;
  const TracedFunction *traced = traced_by_keras(site);
  const std::string name = is_numpy_method ? "numpy()" : std::string(text_of(site, call.func));
  Finding &finding =
      report(site, call,
             fmt::format("`{}` needs the values of a tensor, which is symbolic while {} is traced, so it fails", name,
                         traced == nullptr        ? "the function"
                         : traced->as == "map"    ? "the mapped function"
                         : traced->as == "metric" ? "the metric"
                         : traced->as == "loss"   ? "the loss"
                                                  : "the `Lambda` layer"),
             traced != nullptr ? advice_for(*traced) : "use TensorFlow operations");
  if (traced != nullptr) {
    finding.notes.push_back({traced->module->file,
                             {traced->place->start, std::min(traced->place->end, traced->place->start + 60)},
                             "traced here"});
  }
}

// Reported by the innermost call: `np.mean(np.square(x))` fails in the square.
bool is_around_another(const Site &site, const Call &call) {
  return std::ranges::any_of(call.args, [&](const Expr *arg) {
    return any_node(arg, [&](const Node *node) {
      const auto *inner = as<Call>(node);
      return inner != nullptr && called_api(site, *inner).starts_with("numpy.") &&
             !asks_for_shape(called_api(site, *inner)) && !inner->args.empty() && is_symbolic(site, inner->args[0]);
    });
  });
}

void check(Site &site, const Node &node) {
  const bool is_compiled = site.module->tensorflow && (tracers_at(site) & model::kByTfFunction) != 0;
  if (site.module->tensorflow && !is_compiled && !is_around_another(site, static_cast<const Call &>(node))) {
    check_traced_by_keras(site, static_cast<const Call &>(node));
  }
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
             .summary = "`.numpy()` or a NumPy function on a tensor inside a `tf.function`, loss, metric, `Lambda` or "
                        "mapped function",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`x.numpy()`, or a NumPy function that is passed a tensor, in a `tf.function` and in functions that only such functions call. Also
`x.numpy()` in `train_step` or `test_step` of a Keras model, which `fit` compiles. The same in a function that is passed to `compile()` as loss or
metric, to a `Lambda` layer or to `Dataset.map()`, and in helpers that only those call; there also functions of scikit-learn, SciPy, OpenCV and Pillow.

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

Where `tf.config.run_functions_eagerly(True)` or `run_eagerly=True` is active. Functions that are passed to `tf.py_function` or `tf.numpy_function` run as Python
and are not reported.

## References

- TensorFlow guide "Better performance with tf.function"
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::numpy_in_function
