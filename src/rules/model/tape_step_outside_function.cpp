#include "python/children.h"
#include "rules/reach.h"
#include "rules/session_feed.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::tape_step_outside_function {

using namespace python;

namespace {

constexpr std::size_t kMostFunctions = 24; // that a step may lead to

// Is the function, or one around it, called from somewhere that is traced, or handed to what may trace it?
bool may_be_traced(const Site &site) {
  for (const model::FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->passed || function->traced) {
      return true;
    }
  }
  return site.function != nullptr && std::ranges::any_of(site.function->called_by, [](const model::CallSite *call) {
           return call->caller->traced;
         });
}

// What needs values inside of the tape: NumPy, an environment's step, x.numpy(). It could not be traced as it is.
bool needs_values(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    if (method == "numpy" || method == "step" || called_api(site, *call).starts_with("numpy.")) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || needs_values(site, child); });
  return found;
}

struct RunsModel {
  bool found = false;
};

bool is_model_call(const Call &call, const model::Value &callee) {
  return callee.is_kind(Kind::KerasModel) ||
         (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::KerasModel) ||
         (callee.is(model::Value::Tag::Method) && callee.function->type != nullptr &&
          callee.function->type->kind == Kind::KerasModel) ||
         keyword_argument(call, "training") != nullptr;
}

// Does the node call a model itself? Functions of the project that it calls are added to `called`.
bool calls_model(const Site &site, const Node *node, std::vector<const model::FunctionInfo *> &called) {
  if (const auto *call = as<Call>(node)) {
    const model::Value callee = site.project.callee_of(call);
    if (is_model_call(*call, callee)) {
      return true;
    }
    const bool is_own = callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method);
    if (is_own && callee.function->definition() != nullptr && called.size() < kMostFunctions &&
        std::ranges::find(called, callee.function) == called.end()) {
      called.push_back(callee.function);
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || calls_model(site, child, called); });
  return found;
}

// Does a Keras model run inside of the tape, also in a function that is called there? Then there are dozens of
// operations in a step, and not a few by hand.
bool runs_model(const Site &site, const Node *node) {
  return site.memory
      .recall<RunsModel>(node,
                         [&] {
                           std::vector<const model::FunctionInfo *> called;
                           bool found = calls_model(site, node, called);
                           for (std::size_t i = 0; !found && i < called.size(); ++i) {
                             found = calls_model(site, called[i]->definition(), called);
                           }
                           return RunsModel{found};
                         })
      .found;
}

struct HasCompiled {
  bool found = false; // a function of the file that is compiled, and not only to evaluate
};

// The step of an evaluation, which only runs a model: `@tf.function` there and not on the training step was forgotten.
bool only_evaluates(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  return definition != nullptr && runs_model(site, definition) && !function.trains &&
         !has_word(rules::text_of(function), {"GradientTape", "gradients("});
}

// A file that has a `tf.function` elsewhere knows of it, a program that turns graphs off means it, and episodes of
// games have another length each time.
bool is_about_eager(const Site &site) {
  const auto &compiled = site.memory.recall<HasCompiled>(site.module, [&] {
    return HasCompiled{std::ranges::any_of(site.project.functions, [&](const model::FunctionInfo &function) {
      return function.module == site.module && function.compiled_at != nullptr && !only_evaluates(site, function);
    })};
  });
  return compiled.found || plays_games(*site.module) ||
         file_has_word(site, {"run_functions_eagerly", "run_eagerly", "enable_eager_execution"});
}

void check(Site &site, const Call &call) {
  const auto *with = site.ancestors.empty() ? nullptr : as<With>(site.ancestors.back());
  if (with == nullptr || with->items[0].context_expr != &call || site.module->v1 || !in_training_step(site)) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr && !site.function->in_loop) {
    return;
  }
  // The methods of a layer or model are called by a train_step, which Keras traces.
  const bool in_keras =
      site.type != nullptr && (site.type->kind == Kind::KerasLayer || site.type->kind == Kind::KerasModel);
  if (in_keras || may_be_traced(site) || needs_values(site, with)) {
    return;
  }
  Finding &finding = report(
      site, call, "this gradient step runs eagerly, operation by operation, because no `tf.function` contains it",
      "move the step into a function decorated with `@tf.function`");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "the loop");
  }
  finding.tier = runs_model(site, with) && !site.module->is_test && !is_about_eager(site) ? finding.tier : Tier::Hint;
}

} // namespace

extern constinit const Rule kTapeStepOutsideFunction = {
    .info = {.code = "DP212",
             .name = "tape-step-outside-function",
             .summary = "a `GradientTape` step in a loop that no `tf.function` compiles",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .posts = "54968545 54428570",
             .documentation = R"(## What it finds

`with tf.GradientTape()` and its gradient in a loop, or in a function that is called from one, where nothing is traced: no `@tf.function` on
the function, on one around it, or on a caller. It is a finding where a Keras model runs inside of the tape, in a file that uses `tf.function`
nowhere, or only for its evaluation step; else a hint.

## Why it costs

In eager mode each operation of the forward and backward pass is dispatched from Python. For models with many small operations the CPU
cannot keep the GPU busy. One post of the study reports a factor of 7 (Stack Overflow 54428570).

## Bad

```python
import tensorflow as tf

for x, y in dataset:
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
```

## Good

```python
import tensorflow as tf

@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))

for x, y in dataset:
    train_step(x, y)
```

## When it is wrong

Where the step consists of a few large operations, where each step has different shapes or Python control flow, and while debugging.

## References

- TensorFlow guide "Better performance with tf.function"
- Stack Overflow 54968545 and 54428570, from the study
)"},
    .calls = "tensorflow.GradientTape",
    .on_call = check};

} // namespace deepperf::rules::tape_step_outside_function
