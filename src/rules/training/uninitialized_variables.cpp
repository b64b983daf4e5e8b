#include "rules/site.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules::uninitialized_variables {

using namespace python;

namespace {

using model::FunctionInfo;
using model::Module;

// Words of which one stands in any program that gives its variables values.
constexpr std::string_view kInitialisers[] = {
    "initializer", "initialize",   "init_op", "restore",          "Supervisor",
    "Monitored",   "saved_model",  "load",    "Scaffold",         "managed_session",
    "tables_init", "enable_eager", "assign",  "import_graph_def", "init_from_checkpoint",
    "Keras",       "keras",
};

bool mentions_initialiser(const Module &module) {
  const std::string_view text = module.parsed->source.text();
  return std::ranges::any_of(kInitialisers,
                             [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool makes_session(const FunctionInfo &function) { return function.session_run != nullptr; }

bool is_variable(const model::OpFact &op) {
  const std::string_view api = op.api.text();
  return api == "tensorflow.Variable" || api == "tensorflow.get_variable";
}

struct Seen {
  const python::Node *run = nullptr;
  const python::Node *variable = nullptr;
};

} // namespace

extern const Rule kUninitializedVariables;

namespace {

void check(const model::Project &project, Findings &findings) {
  std::unordered_map<const Module *, Seen> modules;
  for (const FunctionInfo &function : project.functions) {
    const bool runs = makes_session(function);
    const auto variable = std::ranges::find_if(function.ops, is_variable);
    if ((!runs && variable == function.ops.end()) || function.module == nullptr || !function.module->v1) {
      continue;
    }
    Seen &seen = modules[function.module];
    if (runs && (seen.run == nullptr || function.session_run->start < seen.run->start)) {
      seen.run = function.session_run;
    }
    if (variable != function.ops.end() && seen.variable == nullptr) {
      seen.variable = variable->call;
    }
  }
  const bool any = std::ranges::any_of(
      modules, [](const auto &entry) { return entry.second.run != nullptr && entry.second.variable != nullptr; });
  if (!any || std::ranges::any_of(project.modules, mentions_initialiser)) {
    return; // somebody does it
  }
  for (const auto &[module, seen] : modules) {
    // Of a program that is spread over modules too little is known.
    if (seen.run == nullptr || seen.variable == nullptr || !module->imported.empty()) {
      continue;
    }
    Finding &finding = findings.emplace_back();
    finding.rule = &kUninitializedVariables.info;
    finding.file = module->file;
    finding.span = seen.run->span();
    finding.tier = module->is_test ? Tier::Hint : Tier::On;
    finding.message = "the session runs, but nothing initializes the variables";
    finding.advice = "run `tf.global_variables_initializer()` first, or restore a checkpoint";
    finding.notes.push_back({module->file, seen.variable->span(), "a variable"});
  }
}

} // namespace

extern constinit const Rule kUninitializedVariables = {
    .info = {.code = "DP823",
             .name = "uninitialized-variables",
             .summary = "a TensorFlow 1 program that runs a session and never initializes its variables",
             .root_cause = "Training: Wrong Initialization",
             .symptoms = "Wrong Result",
             .stage = "Initialization",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

A TensorFlow 1 module that creates variables and runs a session, where neither it nor any other module of its project initializes or
restores variables.

## Why it costs

The first run that needs a variable fails with "Attempting to use uninitialized value".

## Bad

```python
import tensorflow.compat.v1 as tf

weights = tf.Variable(tf.random_normal([784, 10]))
with tf.Session() as sess:
    print(sess.run(weights))
```

## Good

```python
import tensorflow.compat.v1 as tf

weights = tf.Variable(tf.random_normal([784, 10]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(weights))
```

## When it is wrong

Where another program, which is not checked with it, initializes the variables.

## References

- TensorFlow 1 guide to variables: initializing variables
)"},
    .on_project = check};

} // namespace deepperf::rules::uninitialized_variables
