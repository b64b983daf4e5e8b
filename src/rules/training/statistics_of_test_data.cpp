#include "rules/reach.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::statistics_of_test_data {

using namespace python;

namespace {

// Is the mean taken over the examples? Means of each example by itself are no statistics of the data.
bool is_over_examples(const Site &site, const Call &mean, u32 position) {
  const Expr *axis = argument(mean, position, "axis");
  return axis == nullptr || is_none(axis) || integer_of(site, axis) == std::optional<i64>(0);
}

// The name whose mean it is: `x.mean(axis=0)`, `np.mean(x, axis=0)`.
Symbol name_of_mean(const Site &site, const Node *node) {
  const auto *call = as<Call>(node);
  if (call == nullptr) {
    return {};
  }
  const std::string_view api = called_api(site, *call);
  if (api == "numpy.mean" && !call->args.empty() && is_over_examples(site, *call, 1)) {
    const auto *name = as<Name>(call->args[0]);
    return name != nullptr ? name->id : Symbol{};
  }
  const auto *receiver = called_method(*call) == "mean" && api.empty() ? as<Name>(receiver_of(*call)) : nullptr;
  return receiver != nullptr && is_over_examples(site, *call, 0) ? receiver->id : Symbol{};
}

// `x - x.mean(axis=0)`: the name that is centred by its own mean.
Symbol centred_by_itself(const Site &site, const Node *node) {
  const auto *difference = as<BinOp>(node);
  const auto *name = difference != nullptr && difference->op() == Operator::Sub ? as<Name>(difference->left) : nullptr;
  return name != nullptr && name_of_mean(site, difference->right) == name->id ? name->id : Symbol{};
}

struct CentresFirst {
  bool holds = false;
};

// `def standardize(x): return (x - x.mean(axis=0)) / x.std(axis=0)`
bool centres_first_parameter(const Site &site, const model::FunctionInfo &function) {
  return site.memory
      .recall<CentresFirst>(&function,
                            [&] {
                              const FunctionDef *definition = function.definition();
                              if (definition == nullptr || function.params.size() != 1) {
                                return CentresFirst{};
                              }
                              Site there = site;
                              there.function = &function;
                              there.module = function.module;
                              there.ancestors.clear();
                              return CentresFirst{any_node(definition->body, [&](const Node *node) {
                                return centred_by_itself(there, node) == function.params[0]->name;
                              })};
                            })
      .holds;
}

struct Fitted {
  Symbol name;
  const Node *place = nullptr;
};

// What the code takes statistics of: to centre it, or to fit a scaler to it.
std::vector<Fitted> fitted_in(const Site &site, const Block &body) {
  std::vector<Fitted> all;
  any_node(body, [&](const Node *node) {
    if (const Symbol name = centred_by_itself(site, node)) {
      all.push_back({name, node});
    }
    const auto *call = as<Call>(node);
    const auto *given = call != nullptr && call->args.size() == 1 ? as<Name>(call->args[0]) : nullptr;
    if (given != nullptr) {
      const model::FunctionInfo *callee = called_function(site, *call);
      if (called_method(*call) == "fit_transform" || (callee != nullptr && centres_first_parameter(site, *callee))) {
        all.push_back({given->id, node});
      }
    }
    return false;
  });
  return all;
}

struct Split {
  Symbol train;
  Symbol test;
};

// `(x_train, y_train), (x_test, y_test) = load_data()`, `x_train, x_test, … = train_test_split(…)`
void add_split(const Site &site, const Node *node, std::vector<Split> &into) {
  const auto *assignment = as<Assign>(node);
  const auto *parts =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Tuple>(assignment->targets[0]) : nullptr;
  const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
  if (parts == nullptr || call == nullptr || parts->elts.size() < 2) {
    return;
  }
  const auto first_of = [](const Expr *expr) {
    const auto *pair = as<Tuple>(expr);
    return as<Name>(pair != nullptr && !pair->elts.empty() ? pair->elts[0] : expr);
  };
  const bool is_pairs = called_name(*call) == "load_data" && parts->elts[0]->kind == NodeKind::Tuple;
  if (!is_pairs && !called_api(site, *call).ends_with("train_test_split") && called_name(*call) != "train_test_split") {
    return;
  }
  const Name *train = first_of(parts->elts[0]);
  const Name *test = first_of(parts->elts[1]);
  if (train != nullptr && test != nullptr) {
    into.push_back({train->id, test->id});
  }
}

void lint(Site &site, const Block &body) {
  std::vector<Split> splits;
  any_node(body, [&](const Node *node) {
    add_split(site, node, splits);
    return false;
  });
  if (splits.empty()) {
    return;
  }
  const std::vector<Fitted> fitted = fitted_in(site, body);
  for (const Split &split : splits) {
    const auto train = std::ranges::find(fitted, split.train, &Fitted::name);
    const auto test = std::ranges::find(fitted, split.test, &Fitted::name);
    if (train == fitted.end() || test == fitted.end() || split.test.text() == "_") {
      continue;
    }
    Finding &finding =
        report(site, *test->place,
               fmt::format("`{}` is scaled by its own statistics, and `{}` by others, so the model sees test data on a "
                           "different scale",
                           split.test.text(), split.train.text()),
               "compute mean and deviation, or fit the scaler, on the training data, and use these for both");
    add_note(finding, site, *train->place, "the training data is scaled here");
  }
}

bool is_meant(const Site &site) {
  return !site.module->is_test && file_has_word(site, {"load_data(", "train_test_split("});
}

void check_function(Site &site, const Node &node) {
  if (is_meant(site)) {
    lint(site, static_cast<const FunctionDef &>(node).body);
  }
}

void check_module(Site &site) {
  if (is_meant(site)) {
    lint(site, site.module->parsed->tree.body);
  }
}

} // namespace

extern constinit const Rule kStatisticsOfTestData = {
    .info = {.code = "DP978",
             .name = "statistics-of-test-data",
             .summary = "test data that is scaled by its own mean and deviation",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow, Keras, PyTorch, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Training and test data that come from one `load_data()` or `train_test_split()`, and are each scaled by their own mean, or each given to
`fit_transform`.

## Why it is wrong

The model learns what a value means on the scale of the training data. On another scale the same value means something else, and a single new
example has no statistics at all. What is measured that way is not what the model does later.

## Bad

```python
import tensorflow as tf

(x_train, y_train), (x_test, y_test) = tf.keras.datasets.california_housing.load_data()
x_train = (x_train - x_train.mean(axis=0)) / x_train.std(axis=0)
x_test = (x_test - x_test.mean(axis=0)) / x_test.std(axis=0)
```

## Good

```python
import tensorflow as tf

(x_train, y_train), (x_test, y_test) = tf.keras.datasets.california_housing.load_data()
mean, deviation = x_train.mean(axis=0), x_train.std(axis=0)
x_train = (x_train - mean) / deviation
x_test = (x_test - mean) / deviation
```

## When it is wrong

Where both parts are so large that their statistics are the same.

## References

- scikit-learn: common pitfalls, inconsistent preprocessing
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check_function,
    .on_module = check_module};

} // namespace deepperf::rules::statistics_of_test_data
