#include "rules/reach.h"
#include "rules/tree.h"
#include <fmt/format.h>

namespace deepperf::rules::iterator_not_initialized {

using namespace python;

namespace {

void check_iterator(Site &site, const Call &call) {
  if (site.module->is_test || !project_has_word(site, {"Session("}) || !project_has_word(site, {".run("}) ||
      project_has_word(site, {".initializer", "make_initializer", "TABLE_INITIALIZERS", "MonitoredTrainingSession",
                              "MonitoredSession", "Supervisor(", "EstimatorSpec", "init_op", "initialize("})) {
    return;
  }
  report(site, call, "this iterator is never initialized, so the first run that reads it fails",
         "run `iterator.initializer` before the first batch, or use `make_one_shot_iterator()`");
}

// An optimizer with state, or another variable, that is made after the initializer was.
bool makes_variables(const Site &site, const Node *node) {
  return any_node(node, [&](const Node *part) {
    const auto *call = as<Call>(part);
    if (call == nullptr) {
      return false;
    }
    if (called_method(*call) == "minimize") {
      const model::Value optimizer = value_of(site, receiver_of(*call));
      const bool is_known = optimizer.is_kind(Kind::Optimizer) && optimizer.maker() != nullptr;
      return is_known && !called_api(site, *optimizer.maker()).ends_with("GradientDescentOptimizer");
    }
    const std::string_view api = called_api(site, *call);
    return api == "tensorflow.Variable" || api == "tensorflow.get_variable" || api == "tensorflow.layers.dense" ||
           api == "tensorflow.layers.conv2d" || api == "tensorflow.layers.batch_normalization";
  });
}

void check_block(Site &site, const Block &body) {
  const Call *initializer = nullptr;
  for (const Stmt *statement : body) {
    if (initializer != nullptr && makes_variables(site, statement)) {
      Finding &finding = report(site, *initializer,
                                "this initializes the variables that exist here, and not those that are created later",
                                "create it after the optimizer, right before the session runs it");
      add_note(finding, site, *statement, "these variables stay uninitialized");
      return;
    }
    any_node(static_cast<const Node *>(statement), [&](const Node *node) {
      const auto *call = as<Call>(node);
      const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
      if (api == "tensorflow.global_variables_initializer" || api == "tensorflow.initialize_all_variables") {
        initializer = call;
      }
      return false;
    });
  }
}

// Only where it is the one initializer of the project's file.
bool find_one_initializer(std::string_view text) {
  const std::size_t first = text.find("variables_initializer(");
  const std::size_t old = text.find("initialize_all_variables(");
  if (first == std::string_view::npos || old != std::string_view::npos) {
    return false;
  }
  return text.find("variables_initializer(", first + 1) == std::string_view::npos &&
         text.find("uninitialized") == std::string_view::npos && text.find(".restore(") == std::string_view::npos;
}

bool has_one_initializer(const Site &site) {
  struct OneInitializer {
    bool value = false;
  };
  return site.memory
      .recall<OneInitializer>(site.module,
                              [&] { return OneInitializer{find_one_initializer(site.module->parsed->source.text())}; })
      .value;
}

void check_node(Site &site, const Node &node) {
  if (site.module->v1 && !site.module->is_test && has_one_initializer(site)) {
    Site inside = site;
    inside.function = site.project.function_at(&node);
    if (inside.function != nullptr) {
      check_block(inside, static_cast<const FunctionDef &>(node).body);
    }
  }
}

void check_module(Site &site) {
  if (site.module->v1 && !site.module->is_test && has_one_initializer(site)) {
    check_block(site, site.module->parsed->tree.body);
  }
}

} // namespace

extern constinit const Rule kIteratorNotInitialized = {
    .info = {.code = "DP961",
             .name = "iterator-not-initialized",
             .summary = "a TensorFlow 1 iterator, or variables of an optimizer, that are never initialized",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`make_initializable_iterator()` in a TensorFlow 1 program that never runs an `initializer`, and `tf.global_variables_initializer()` that is created before
the optimizer or other variables.

## Why it is wrong

Both fail in the first run with FailedPreconditionError. `tf.global_variables_initializer()` initializes the variables that exist when it is called: the
moments of Adam come with `minimize()`.

## Bad

```python
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
initialize = tf.global_variables_initializer()
train = tf.train.AdamOptimizer().minimize(loss)
```

## Good

```python
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_mean(tf.layers.dense(x, 1))
train = tf.train.AdamOptimizer().minimize(loss)
initialize = tf.global_variables_initializer()
```

## When it is wrong

Where a file that is not checked initializes them.

## References

- TensorFlow 1 documentation of `tf.global_variables_initializer`
)"},
    .calls = "Dataset.make_initializable_iterator tensorflow.data.make_initializable_iterator",
    .on_call = check_iterator,
    .nodes = {NodeKind::FunctionDef},
    .on_node = check_node,
    .on_module = check_module};

} // namespace deepperf::rules::iterator_not_initialized
