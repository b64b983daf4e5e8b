#include "rules/assignments.h"
#include "rules/jax.h"
#include "rules/reach.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::model_shared_by_folds {

using namespace python;

namespace {

// `KFold(5).split(x)`, also under a name and as a list.
bool gives_folds(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  if (expr == nullptr || depth > kMostDepth) {
    return false;
  }
  const auto *call = as<Call>(expr);
  if (call != nullptr && called_method(*call) == "split") {
    const Expr *const splitter = receiver_of(*call);
    const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), splitter);
    const auto is_fold = [&](const Expr *one) {
      const auto *made = as<Call>(one);
      const std::string_view api = made != nullptr ? called_api(site, *made) : std::string_view{};
      return api.starts_with("sklearn.") && api.ends_with("Fold");
    };
    return is_fold(splitter) ||
           (!written.empty() &&
            std::ranges::all_of(written, [&](const model::Argument::Given &given) { return is_fold(given.expr); }));
  }
  if (call != nullptr && !call->args.empty() && (called_name(*call) == "list" || called_name(*call) == "enumerate")) {
    return gives_folds(site, call->args[0], depth + 1);
  }
  const auto *name = as<Name>(expr);
  return name != nullptr && gives_folds(site, assigned_before(site, name->id, name->start), depth + 1);
}

bool goes_over_folds(const Site &site, const model::Loop &loop) { return gives_folds(site, iterated_by(site, loop)); }

void report_shared(Site &site, const Node &place, const Name &model, const model::Loop &loop) {
  Finding &finding =
      report(site, place,
             fmt::format("`{}` continues training in every fold, so it has already seen the data that it is tested on",
                         model.id.text()),
             "create the model inside the loop, or restore its initial weights at the start of each fold");
  add_note(finding, site, *loop.node, "the folds");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 3);
}

void check(Site &site, const Call &call) {
  const auto *model = as<Name>(receiver_of(call));
  if (model == nullptr || site.module->is_test) {
    return;
  }
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    if (!goes_over_folds(site, *loop)) {
      continue;
    }
    static constexpr std::string_view kResets[] = {"set_weights", "load_weights", "clone_model", "load_model",
                                                   "reset",       "initializer",  "from_config"};
    if (is_bound_in(*loop, model->id) || node_has_word(site, *loop->node, kResets) ||
        reaches_word(site, *loop->node, kResets)) {
      return;
    }
    report_shared(site, call, *model, *loop);
    return;
  }
}

bool is_torch_module(const Site &site, const Name &name) {
  const model::Value value = value_of(site, &name);
  bool is_module = value.known() && !value.open;
  model::for_each_alternative(value, [&](const model::Value &one) {
    is_module = is_module && (one.is_kind(Kind::TorchModule) ||
                              (one.is(model::Value::Tag::Object) && one.type->kind == Kind::TorchModule));
  });
  return is_module;
}

// The module whose parameters an optimizer gets, under a name; null if it is another.
const Name *trained_by(const Expr *optimizer) {
  const Name *found = nullptr;
  any_node_inside(static_cast<const Node *>(optimizer), [&found](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && called_method(*call) == "parameters" && found == nullptr) {
      found = as<Name>(receiver_of(*call));
    }
    return false;
  });
  return found;
}

// A PyTorch model: what an optimizer trains that the loop uses or makes.
void check_torch(Site &site, const Node &node) {
  const model::Loop *const loop = site.project.loop_at(&node);
  if (loop == nullptr || !loop->trains || !site.module->torch || site.module->is_test ||
      !goes_over_folds(site, *loop)) {
    return;
  }
  static constexpr std::string_view kResets[] = {"deepcopy",     "load_state_dict", "reset", ".apply(",
                                                 "init_weights", "initialize",      "copy_("};
  if (node_has_word(site, node, kResets) || reaches_word(site, node, kResets)) {
    return;
  }
  const Name *model = nullptr;
  const Node *place = nullptr;
  const auto take = [&](const Name *trained, const Node *at) {
    if (model == nullptr && trained != nullptr && !is_bound_in(*loop, trained->id) && is_torch_module(site, *trained)) {
      model = trained;
      place = at;
    }
  };
  bool is_made_inside = false;
  any_node(static_cast<const For &>(node).body, [&](const Node *part) {
    if (const auto *call = as<Call>(part)) {
      const bool makes_optimizer =
          model::kind_of(call) == Kind::TorchOptimizer && called_api(site, *call).starts_with("torch.optim.");
      if (makes_optimizer) {
        const Name *const trained = trained_by(call);
        is_made_inside = is_made_inside || (trained != nullptr && is_bound_in(*loop, trained->id));
        take(trained, call);
      }
      return false;
    }
    const auto *name = as<Name>(part);
    if (name != nullptr && name->context == Context::Load && !is_bound_in(*loop, name->id) &&
        value_of(site, name).is_kind(Kind::TorchOptimizer)) {
      const Expr *const made = assigned_before(site, name->id, node.start);
      take(made != nullptr ? trained_by(made) : nullptr, name);
    }
    return false;
  });
  if (model == nullptr && !is_made_inside) {
    // run(model, train_loader), which makes the optimizer
    for (const model::CallSite *called : model::calls_inside(*loop->function, node)) {
      const bool has_new = std::ranges::any_of(called->call->args, [&](const Expr *given) {
        const auto *name = as<Name>(given);
        return name != nullptr && is_bound_in(*loop, name->id) && is_torch_module(site, *name);
      });
      if (!called->callee->trains || has_new) {
        continue;
      }
      for (const Expr *given : called->call->args) {
        take(as<Name>(given), called->call);
      }
    }
  }
  if (model != nullptr) {
    report_shared(site, *place, *model, *loop);
  }
}

} // namespace

extern constinit const Rule kModelSharedByFolds = {
    .info = {.code = "DP955",
             .name = "model-shared-by-folds",
             .summary = "a model that continues training across the folds of a cross-validation",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "Keras, TensorFlow, PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`fit()` of a Keras model, or training steps of a PyTorch model, in a loop over the folds of scikit-learn's `KFold` or the like, where the model is created
before the loop and its weights are never reset.

## Why it is wrong

A second `fit()` of a Keras model continues from the weights that it has. From the second fold on, the test data of the fold was part of the
training data of an earlier one, so the scores rise from fold to fold and mean nothing.

## Bad

```python
from sklearn.model_selection import KFold
from tensorflow import keras

def cross_validate(x, y):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("adam", "mse")
    scores = []
    for train, test in KFold(5).split(x):
        model.fit(x[train], y[train], epochs=10)
        scores.append(model.evaluate(x[test], y[test]))
    return scores
```

## Good

```python
from sklearn.model_selection import KFold
from tensorflow import keras

def cross_validate(x, y):
    scores = []
    for train, test in KFold(5).split(x):
        keras.backend.clear_session()
        model = keras.Sequential([keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(x[train], y[train], epochs=10)
        scores.append(model.evaluate(x[test], y[test]))
    return scores
```

## When it is wrong

Where a function that the rule does not see resets the model.

## References

- Keras documentation of `Model.fit`
)"},
    .calls = "KerasModel.fit",
    .on_call = check,
    .nodes = {NodeKind::For},
    .on_node = check_torch};

} // namespace deepperf::rules::model_shared_by_folds
