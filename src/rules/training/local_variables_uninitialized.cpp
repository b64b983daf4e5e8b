#include "rules/reach.h"
#include "rules/tree.h"
#include <fmt/format.h>

namespace deepperf::rules::local_variables_uninitialized {

using namespace python;

namespace {

// Counters in the collection of local variables: tf.metrics.accuracy(…), num_epochs=… of a queue.
bool makes_local_variables(const Site &site, const Call &call) {
  std::string_view api = called_api(site, call);
  if (!api.starts_with("tensorflow.")) {
    return false;
  }
  const std::size_t metrics = api.find("metrics.");
  const std::string_view name = api.substr(api.rfind('.') + 1);
  if (metrics != std::string_view::npos && !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
      api.find("keras") == std::string_view::npos) {
    return name != "metrics" && call.args.size() + call.keywords.size() >= 1;
  }
  const Keyword *epochs = keyword_argument(call, "num_epochs");
  return epochs != nullptr && !is_none(epochs->value) &&
         (name == "string_input_producer" || name == "slice_input_producer" || name == "input_producer" ||
          name == "range_input_producer" || name == "limit_epochs");
}

void check_module(Site &site) {
  if (!site.module->tensorflow || site.module->is_test ||
      !file_has_word(site, {"metrics.", "num_epochs", "limit_epochs"}) ||
      file_has_word(site, {"stimator"}) || // which initializes them !project_has_word(site, {"Session("}) ||
      !project_has_word(site, {"global_variables_initializer", "initialize_all_variables"}) ||
      project_has_word(site, {"local_variables_initializer", "initialize_local_variables", "LOCAL_VARIABLES",
                              "MonitoredTrainingSession", "MonitoredSession", "Supervisor(", "EstimatorSpec",
                              "local_variables()", "local_init_op", "slim.evaluation", "slim.learning",
                              "metric_variables", ".variables_initializer("})) {
    return;
  }
  const Call *found = nullptr;
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(statement, [&](const Node *node) {
      const auto *call = as<Call>(node);
      found = found == nullptr && call != nullptr && makes_local_variables(site, *call) ? call : found;
      return found != nullptr;
    });
  }
  if (found != nullptr) {
    report(site, *found,
           fmt::format("`{}` counts in local variables, which `global_variables_initializer()` does not initialize, so "
                       "the first run fails",
                       text_of(site, found->func)),
           "also run `tf.local_variables_initializer()`");
  }
}

} // namespace

extern constinit const Rule kLocalVariablesUninitialized = {
    .info = {.code = "DP952",
             .name = "local-variables-uninitialized",
             .summary = "TensorFlow 1 metrics or epoch limits whose local variables are never initialized",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tf.metrics.accuracy`, `tf.metrics.auc` and the like of TensorFlow 1, or a queue with `num_epochs`, in a program that runs
`tf.global_variables_initializer()` and never `tf.local_variables_initializer()`.

## Why it is wrong

Their counters are in the collection of local variables. The first run that updates them fails with FailedPreconditionError: "Attempting to
use uninitialized value".

## Bad

```python
import tensorflow as tf

labels = tf.placeholder(tf.int64, [None])
predictions = tf.placeholder(tf.int64, [None])
accuracy, update = tf.metrics.accuracy(labels, predictions)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(update, {labels: [1, 0], predictions: [1, 1]})
```

## Good

```python
import tensorflow as tf

labels = tf.placeholder(tf.int64, [None])
predictions = tf.placeholder(tf.int64, [None])
accuracy, update = tf.metrics.accuracy(labels, predictions)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run(update, {labels: [1, 0], predictions: [1, 1]})
```

## When it is wrong

Where a file that is not checked initializes them.

## References

- TensorFlow 1 documentation of `tf.metrics`
)"},
    .on_module = check_module};

} // namespace deepperf::rules::local_variables_uninitialized
