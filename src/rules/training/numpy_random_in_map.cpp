#include "model/classes.h"
#include "rules/copies.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::numpy_random_in_map {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

// A number of NumPy's or Python's generators: drawn once, while the function is traced.
bool draws(const Value &callee) {
  const ApiInfo *info = nullptr;
  if (callee.is(Value::Tag::Api)) {
    const std::string_view name = callee.name().text();
    if (!name.starts_with("numpy.random.") && !name.starts_with("random.")) {
      return false;
    }
    info = find_api(callee.name());
    const std::string_view last = name.substr(name.rfind('.') + 1);
    return last != "seed" && info != nullptr && info->has(kRandom) && info->returns != Kind::RandomState;
  }
  if (callee.is(Value::Tag::ApiMethod) && callee.kind == Kind::RandomState) {
    info = find_method(callee.kind, callee.name());
    return info != nullptr && info->has(kRandom) && callee.name().text() != "seed";
  }
  return false;
}

struct Draws {
  std::vector<const Call *> calls;
};

void find_draws(const Site &site, const FunctionInfo &function, Draws &result) {
  if ((function.tracers & model::kByPython) != 0 || function.node == nullptr) {
    return;
  }
  const auto look = [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && draws(site.project.callee_of(call))) {
      result.calls.push_back(call);
    }
    return false;
  };
  if (const FunctionDef *definition = function.definition()) {
    any_node(definition->body, look);
  } else if (const Lambda *lambda = function.lambda()) {
    any_node(lambda->body, look);
  }
}

void check(Site &site, const Call &call) {
  const auto found = site.project.stage_of_call.find(&call);
  if (found == site.project.stage_of_call.end()) {
    return;
  }
  Value mapper = site.project.stages[found->second].mapper;
  if (mapper.is(Value::Tag::Partial)) {
    mapper = mapper.receiver();
  }
  if (mapper.is(Value::Tag::Object)) { // ds.map(Augment(size)) calls it
    FunctionInfo *const called = model::find_method_of(*mapper.type, intern("__call__"));
    mapper = called != nullptr ? Value::of(called, Value::Tag::Method) : Value{};
  }
  if (!mapper.is(Value::Tag::Function) && !mapper.is(Value::Tag::Method)) {
    return;
  }
  const FunctionInfo &function = *mapper.function;
  if ((function.tracers & model::kByPython) != 0) {
    return;
  }
  Draws drawn;
  find_draws(site, function, drawn);
  const FunctionInfo *place = &function;
  if (drawn.calls.empty() && function.node != nullptr) {
    for (const FunctionInfo *reached : reached_functions(function, *function.node)) {
      find_draws(site, *reached, drawn);
      if (!drawn.calls.empty()) {
        place = reached;
        break;
      }
    }
  }
  if (drawn.calls.empty()) {
    return;
  }
  const auto &first = *static_cast<const Call *>(original_of(site, drawn.calls.front()));
  const std::string_view text = place->module->parsed->source.part(first.func->start, first.func->end);
  Finding &finding = report(
      site.findings, *site.rule, *place->module, first.span(),
      fmt::format("`{}` runs once, when `map` traces the function, so every element gets the same numbers", text),
      "use `tf.random` or `tf.image.random_…`, which draw new numbers for each element");
  finding.notes.push_back({site.module->file, site.project.stages[found->second].span(), "mapped here"});
  finding.tier = place->module->is_test ? Tier::Hint : finding.tier;
}

} // namespace

extern constinit const Rule kNumpyRandomInMap = {
    .info = {.code = "DP856",
             .name = "numpy-random-in-map",
             .summary = "NumPy or Python random numbers in a function that a tf.data pipeline maps",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A call of `np.random` or of Python's `random` in a function that is passed to `Dataset.map`, or in a function that it calls. Functions that
run as Python, through `tf.py_function` or `tf.numpy_function`, are not reported. One place per `map` is reported.

## Why it is wrong

`map` traces its function once and runs the graph for every element. The numbers that NumPy draws during tracing are constants in the graph:
all images are flipped the same way, cropped at the same place and get the same noise, in every epoch.

## Bad

```python
import numpy as np
import tensorflow as tf


def augment(image):
    return image + np.random.normal(0, 0.1, (32, 32, 3))


ds = tf.data.Dataset.from_tensor_slices(tf.zeros([100, 32, 32, 3])).map(augment, num_parallel_calls=4).batch(8).prefetch(1)
```

## Good

```python
import tensorflow as tf


def augment(image):
    return image + tf.random.normal((32, 32, 3), 0.0, 0.1)


ds = tf.data.Dataset.from_tensor_slices(tf.zeros([100, 32, 32, 3])).map(augment, num_parallel_calls=4).batch(8).prefetch(1)
```

## When it is wrong

Where one number for the whole run is intended; draw it outside the function.

## References

- TensorFlow guide "Better performance with tf.function": Python side effects
- TensorFlow tutorial "Data augmentation"
)"},
    .calls = "Dataset.map Dataset.interleave Dataset.flat_map Dataset.filter",
    .on_call = check};

} // namespace deepperf::rules::numpy_random_in_map
