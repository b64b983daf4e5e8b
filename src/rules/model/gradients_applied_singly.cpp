#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::gradients_applied_singly {

using namespace python;

namespace {

// `[(g, v)]`: one pair, of what the loop binds.
bool is_one_pair(const Expr *expr, const For &loop) {
  const Array<Expr *> pairs = expr->kind == NodeKind::List    ? static_cast<const List *>(expr)->elts
                              : expr->kind == NodeKind::Tuple ? static_cast<const Tuple *>(expr)->elts
                                                              : Array<Expr *>{};
  const auto *pair = pairs.size() == 1 ? as<Tuple>(pairs[0]) : nullptr;
  return pair != nullptr && pair->elts.size() == 2 && any_node(pair, [&](const Node *node) {
           const auto *name = as<Name>(node);
           return name != nullptr && mentions(loop.target, name->id);
         });
}

void check(Site &site, const Call &call) {
  const model::Loop *const known = loop_around(site);
  const auto *loop = known != nullptr ? as<For>(known->node) : nullptr;
  if (loop == nullptr || call.args.empty() || !is_one_pair(call.args[0], *loop) || site.module->is_test) {
    return;
  }
  Finding &finding = report(site, call, "the optimizer is called once for each variable instead of once per step",
                            "pass all pairs at once: `apply_gradients(zip(gradients, variables))`");
  add_note(finding, site, *loop->iter, "the loop goes over the variables here");
}

} // namespace

extern constinit const Rule kGradientsAppliedSingly = {
    .info = {.code = "DP246",
             .name = "gradients-applied-singly",
             .summary = "`apply_gradients` in a loop over the variables",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over gradients and variables that calls `apply_gradients` with one pair in each iteration.

## Why it is wrong

Every call is a step: the optimizer's counter, and with it Adam's correction and every learning rate schedule, advances once for each variable. In Keras 3 an optimizer that was built
for one variable refuses the others. The calls are also far slower than one call with all pairs.

## Bad

```python
import tensorflow as tf


def step(tape, loss, model, optimizer):
    gradients = tape.gradient(loss, model.trainable_variables)
    for gradient, variable in zip(gradients, model.trainable_variables):
        optimizer.apply_gradients([(gradient, variable)])
```

## Good

```python
import tensorflow as tf


def step(tape, loss, model, optimizer):
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
```

## When it is wrong

Where each variable has an optimizer of its own.
)"},
    .calls = "*.apply_gradients",
    .on_call = check};

} // namespace deepperf::rules::gradients_applied_singly
