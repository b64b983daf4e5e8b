#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::graph_object_in_loop {

using namespace python;

namespace {

std::string_view described(Kind kind) {
  switch (kind) {
  case Kind::Optimizer:
  case Kind::KerasOptimizer:
    return "an optimizer";
  case Kind::SummaryWriter:
    return "a summary writer";
  default:
    return {};
  }
}

// Does the session run, or the step happen, in this loop itself, and not in a loop inside of it?
struct Innermost {
  bool is_one = false;
};

bool is_innermost(const Site &site, const model::Loop &outer) {
  const auto find = [&outer] {
    return Innermost{
        std::ranges::none_of(loops_inside(*outer.function, *outer.node), [&outer](const model::Loop *loop) {
          return loop != &outer && !loop->few_iterations && (loop->runs_session || loop->trains);
        })};
  };
  return site.memory.recall<Innermost>(&outer, find).is_one;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || !site.module->tensorflow) {
    return;
  }
  const model::Value callee = site.project.callee_of(&call);
  const ApiInfo *info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
  const std::string_view what = info != nullptr ? described(info->returns) : std::string_view{};
  if (what.empty() || site.function == nullptr || is_traced(site) || !callee.name().text().starts_with("tensorflow")) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop != nullptr) {
    if ((!loop->runs_session && !loop->steps) || loop->makes_graph || !runs_every_iteration(site, *loop) ||
        !is_innermost(site, *loop)) {
      return;
    }
  } else if (!site.function->in_loop || !site.function->steps || site.function->makes_graph ||
             site.function->definition() == nullptr || loop_around(site) != nullptr ||
             enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const Node *parent = site.ancestors.back();
  if (loop == nullptr && parent->kind != NodeKind::Assign) {
    return;
  }
  const bool is_optimizer = info->returns == Kind::Optimizer || info->returns == Kind::KerasOptimizer;
  Finding &finding = report(
      site, call,
      loop != nullptr ? fmt::format("{} is created in every iteration of the training loop", what)
                      : fmt::format("{} is created in every call of this training step", what),
      is_optimizer ? "create it once, before the loop; a new optimizer loses its moments and its learning rate schedule"
                   : "create it once, before the loop");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "the loop");
  }
}

} // namespace

extern constinit const Rule kGraphObjectInLoop = {
    .info = {.code = "DP203",
             .name = "graph-object-in-loop",
             .summary = "an optimizer or summary writer that is created in every training step",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak, Increasing Time Over Time",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

An optimizer or a summary writer that is created inside the loop that trains or runs the session, or in a function that is one training
step. Operations, placeholders and Savers in such a loop are reported by DP201.

## Why it costs

In graph mode each object adds operations, so the graph grows. In any mode a new optimizer has no moments: Adam's adaptive step sizes never
take effect, and it creates two variables per weight every time. A summary writer opens a file and starts a thread.

## Bad

```python
import tensorflow as tf

for x, y in dataset:
    optimizer = tf.keras.optimizers.Adam(1e-3)
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
```

## Good

```python
import tensorflow as tf

optimizer = tf.keras.optimizers.Adam(1e-3)

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

Where each iteration starts from scratch, as in meta-learning. Loops over configurations with a training loop inside are not reported.

## References

- DLPerf, root cause "Confusion with Computation Graph"
- Keras documentation of optimizers: slot variables
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::graph_object_in_loop
