#include "base/steps.h"
#include "python/children.h"
#include "rules/repetition.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules::keras_model_in_loop {

using namespace python;

namespace {

// The call makes a Keras model: itself, as a class of the project, or through a function.
bool makes_model(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  switch (callee.tag) {
  case model::Value::Tag::Api: {
    const ApiInfo *info = find_api(callee.name());
    return info != nullptr && info->returns == Kind::KerasModel &&
           callee.name().text().find("load") == std::string_view::npos;
  }
  case model::Value::Tag::Class:
    return callee.type->kind == Kind::KerasModel;
  case model::Value::Tag::Function:
  case model::Value::Tag::Method: {
    const model::Value &made = callee.function->returns;
    return callee.function->makes_variables && made.is_kind(Kind::KerasModel) && made.maker() != nullptr;
  }
  default:
    return false;
  }
}

// What a loop, or a function, does with the names in it.
struct ModelUses {
  std::unordered_set<u32> trained; // name.compile(…), name.fit(…)
  std::unordered_set<u32> kept;    // in a list or the like, or handed to something else
  bool frees = false;              // del name, gc.collect()
};

void look(const Site &site, const Node *node, ModelUses &uses) {
  take_steps();
  const auto keep = [&uses](const Expr *value) {
    if (const auto *name = as<Name>(value)) {
      uses.kept.insert(name->id.id);
    }
  };
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    const auto *receiver = as<Name>(receiver_of(*call));
    if (receiver != nullptr && (method == "compile" || method.starts_with("fit") || method == "train_on_batch")) {
      uses.trained.insert(receiver->id.id);
    }
    uses.frees = uses.frees || called_api(site, *call) == "gc.collect";
    std::ranges::for_each(call->args, keep);
  } else if (node->kind == NodeKind::Delete) {
    uses.frees = true;
  } else if (const auto *assignment = as<Assign>(node)) {
    keep(assignment->value);
  } else if (const auto *result = as<Return>(node)) {
    keep(result->value);
  }
  for_each_child(node, [&](const Node *child) { look(site, child, uses); });
}

const ModelUses &model_uses(const Site &site, const Node *node) {
  return site.memory.recall<ModelUses>(node, [&] {
    ModelUses uses;
    look(site, node, uses);
    return uses;
  });
}

// The loop that calls the function of the place: each of its calls makes, trains and forgets a model.
Repetition calls_in_loop(const Site &site) {
  const model::FunctionInfo *function = site.function;
  if (function == nullptr || function->definition() == nullptr || function->new_graph || site.module->is_test) {
    return {};
  }
  Repetition repetition = repetition_of(site);
  return repetition.through_calls() ? repetition : Repetition{};
}

struct Objective {
  bool holds = false;
};

// The objective of a search: Optuna calls it for every trial, and it asks the trial for values.
bool is_objective(const Site &site) {
  const model::FunctionInfo *function = site.function;
  const FunctionDef *definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || !function->passed || function->new_graph || site.module->is_test) {
    return false;
  }
  return site.memory
      .recall<Objective>(function,
                         [&] {
                           return Objective{any_node(definition->body, [&](const Node *node) {
                             const auto *call = as<Call>(node);
                             const auto *trial = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
                             return trial != nullptr && called_method(*call).starts_with("suggest_") &&
                                    std::ranges::any_of(function->params, [trial](const Param *param) {
                                      return param->name == trial->id;
                                    });
                           })};
                         })
      .holds;
}

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *call = as<Call>(assignment.value);
  const auto *name = assignment.targets.size() == 1 ? as<Name>(assignment.targets[0]) : nullptr;
  if (call == nullptr || name == nullptr || call->fact == 0 || !site.module->tensorflow) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const Repetition calls = loop == nullptr ? calls_in_loop(site) : Repetition{};
  if (calls.through_calls()) {
    loop = calls.loop;
  }
  const bool is_trial = loop == nullptr && makes_model(site, *call) && is_objective(site);
  if (!is_trial && (loop == nullptr || loop->new_graph || !makes_model(site, *call) ||
                    (!calls.through_calls() && !runs_every_iteration(site, *loop)))) {
    return;
  }
  const ModelUses &uses = model_uses(site, calls.through_calls() || is_trial ? site.function->node : loop->node);
  if (!uses.trained.contains(name->id.id) || uses.kept.contains(name->id.id) || uses.frees) {
    return;
  }
  Finding &finding = report(
      site, *call,
      is_trial
          ? "a Keras model is created in every trial, and Keras' global state for the previous ones is never freed"
          : "a Keras model is created in every iteration, and Keras' global state for the previous ones is never freed",
      is_trial ? "call `tf.keras.backend.clear_session()` at the start of the objective"
               : "call `tf.keras.backend.clear_session()` at the start of each iteration");
  if (is_trial) {
    return;
  }
  if (calls.through_calls()) {
    add_note(finding, site, calls);
  } else {
    add_note(finding, site, *loop->node, "the loop");
  }
}

} // namespace

extern constinit const Rule kKerasModelInLoop = {
    .info = {.code = "DP204",
             .name = "keras-model-in-loop",
             .summary = "Keras models created in a loop without `clear_session()`",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Memory Leak, Out of Memory, Increasing Time Over Time",
             .stage = "Hyper Parameter Tuning",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "64696325 61596119 61068208 57445821",
             .documentation = R"(## What it finds

A loop that creates a Keras model in every iteration, directly or through a function, compiles or fits it, and never calls `clear_session`.
Also a loop that calls a function which does all of this, and the objective of an Optuna study.

## Why it costs

Keras keeps global state: graphs, names, functions. Every model of a program adds to it, and deleting the last reference to a model does not
free it. Cross-validation and hyperparameter searches get slower with every iteration and can run out of memory.

## Bad

```python
from tensorflow import keras

for train, test in folds:
    model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    model.fit(x[train], y[train])
```

## Good

```python
from tensorflow import keras

for train, test in folds:
    keras.backend.clear_session()
    model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    model.fit(x[train], y[train])
```

## When it is wrong

For a few small models it does not matter. Loops over a literal or of up to ten iterations are not reported, and neither are loops that keep
the models or free them with `del` and `gc.collect()`.

## References

- Keras documentation of `clear_session`
- dslinter W5506; Stack Overflow 64696325 and others of the study
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::keras_model_in_loop
