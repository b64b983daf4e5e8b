#include "rules/tracing.h"

#include <algorithm>

namespace deepperf::rules::variable_in_function {

using namespace python;

namespace {

// Lifted out of the function with tf.init_scope().
bool in_init_scope(const Site &site) {
  return std::ranges::any_of(site.ancestors, [&site](const Node *node) {
    const auto *with = as<With>(node);
    return with != nullptr && std::ranges::any_of(with->items, [&site](const WithItem &item) {
             const auto *scope = as<Call>(item.context_expr);
             return scope != nullptr && called_api(site, *scope) == "tensorflow.init_scope";
           });
  });
}

void check(Site &site, const Call &call) {
  if ((tracers_at(site) & model::kByTfFunction) == 0 || site.function->compiled_at == nullptr) {
    return; // what it calls may be the guarded part
  }
  const auto op = std::ranges::find(site.function->ops, &call, &model::OpFact::call);
  if (op == site.function->ops.end() || op->once || enclosing(site, NodeKind::If) != nullptr || in_init_scope(site)) {
    return;
  }
  report(site, call, "a `tf.function` may create variables only in its first call, so the second trace fails here",
         "create the variable outside, or only once: `if self.v is None: self.v = tf.Variable(…)`");
}

// Optimizers, metrics and models create variables in their first use, inside the function that creates them.
void check_object(Site &site, const Call &call, Kind kind) {
  const bool is_step =
      in_method(site, Kind::KerasModel, "train_step") || in_method(site, Kind::KerasModel, "test_step");
  const bool is_compiled = (tracers_at(site) & model::kByTfFunction) != 0 && site.function != nullptr &&
                           site.function->compiled_at != nullptr;
  if ((!is_compiled && !is_step) || enclosing(site, NodeKind::If) != nullptr || in_init_scope(site) ||
      site.module->is_test || site.ancestors.empty()) {
    return;
  }
  // A plain local name: what is kept in an attribute may be made in the first call only.
  const auto *assignment = as<Assign>(site.ancestors.back());
  if (assignment == nullptr || assignment->targets.size() != 1 || assignment->targets[0]->kind != NodeKind::Name) {
    return;
  }
  report(site, call,
         kind == Kind::KerasOptimizer
             ? "an optimizer that is created in every call has no state, and its variables fail in the second trace"
             : "this creates variables, which a `tf.function` may do only in its first call, and starts over each time",
         "create it once, outside of the function");
}

void check_any(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->tensorflow || call.fact == 0) {
    return;
  }
  const model::Value callee = site.project.callee_of(&call);
  const ApiInfo *info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
  if (info != nullptr &&
      (info->returns == Kind::KerasOptimizer || info->returns == Kind::KerasMetric ||
       info->returns == Kind::KerasModel) &&
      callee.name().text().starts_with("tensorflow.keras.")) {
    check_object(site, call, info->returns);
  }
}

} // namespace

extern constinit const Rule kVariableInFunction = {
    .info = {.code = "DP209",
             .name = "variable-in-function",
             .summary = "a `tf.Variable` that is created inside a `tf.function`, not only in its first call",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tf.Variable(…)` in the body of a `tf.function`, not inside an `if` and outside `tf.init_scope()`. Also optimizers, metrics and models of Keras
that a `tf.function`, `train_step` or `test_step` creates under a local name.

## Why it is wrong

A variable is state that outlives a call. TensorFlow refuses to create one in any trace but the first, with a ValueError that often appears
only when a batch of another shape is passed. In eager mode the same code creates a new variable in each call; in a graph it would be
shared, so results would differ.

## Bad

```python
import tensorflow as tf

@tf.function
def scaled(x):
    scale = tf.Variable(2.0)
    return scale * x
```

## Good

```python
import tensorflow as tf

scale = tf.Variable(2.0)

@tf.function
def scaled(x):
    return scale * x
```

## When it is wrong

For functions that are traced exactly once, to be exported.

## References

- TensorFlow guide "Better performance with tf.function": creating tf.Variables
- SonarPython S6918
)"},
    .calls = "tensorflow.Variable",
    .on_call = check,
    .nodes = {NodeKind::Call},
    .on_node = check_any};

} // namespace deepperf::rules::variable_in_function
