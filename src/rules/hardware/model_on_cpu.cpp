#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::model_on_cpu {

using namespace python;

namespace {

// "/CPU:0", "cpu", "/device:CPU:0", "/job:worker/cpu:0"
bool names_cpu(std::string_view device) {
  const auto is_cpu = [](std::string_view text) {
    return text.size() >= 3 && (text.starts_with("cpu") || text.starts_with("CPU"));
  };
  for (std::size_t at = 0; at < device.size(); ++at) {
    const bool begins = at == 0 || device[at - 1] == '/' || device[at - 1] == ':';
    if (begins && is_cpu(device.substr(at))) {
      return true;
    }
  }
  return false;
}

// The device of `tf.device("/CPU:0")`, also in a function of the project that returns the scope.
std::optional<std::string> device_of(const Site &site, const Call &call) {
  if (called_api(site, call) == "tensorflow.device") {
    return call.args.size() == 1 ? string_of(site, call.args[0]) : std::nullopt;
  }
  const model::FunctionInfo *function = called_function(site, call);
  if (function == nullptr || site.function == nullptr || !has_word(rules::text_of(*function), {"device("})) {
    return std::nullopt;
  }
  std::optional<std::string> device;
  bool is_scope = false;
  bool is_other = false;
  visit_origins(site, *site.function, &call, [&](const Origin &origin) {
    const Site there = site_of_origin(site, *origin.function);
    const auto *scope = as<Call>(origin.expr);
    if (scope != nullptr && called_api(there, *scope) == "tensorflow.device") {
      is_scope = true;
      return Onward::Through;
    }
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const std::optional<std::string> name = string_of(there, origin.expr);
    is_other |= !name.has_value() || (device.has_value() && device != name);
    device = name;
    return Onward::Stop;
  });
  return is_scope && !is_other ? device : std::nullopt;
}

// What computes in each step: fit(), a step with a tape, or a session that trains.
const Call *trained_in(const Site &site, const With &with) {
  const bool chooses_inside = any_node(with.body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && called_api(site, *call) == "tensorflow.device"; // towers on several GPUs
  });
  if (chooses_inside) {
    return nullptr;
  }
  const Call *found = nullptr;
  any_node(with.body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
    if (callee.is(model::Value::Tag::ApiMethod) && callee.kind == Kind::KerasModel) {
      const std::string_view method = callee.name().text();
      found = method == "fit" || method == "fit_generator" || method == "train_on_batch" ? call : found;
    }
    const bool is_function = callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method);
    if (found == nullptr && is_function &&
        (callee.function->trains || has_word(rules::text_of(*callee.function), {".fit(", ".train_on_batch("}))) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

// The program means to run on a CPU, or chooses.
bool means_cpu(const Site &site) {
  return file_has_word(site, {"CUDA_VISIBLE_DEVICES", "set_visible_devices", "is_gpu_available", "multi_gpu_model",
                              "list_physical_devices", "timeit", "benchmark", "Benchmark"});
}

// A model that is built under the scope, and trained elsewhere: its weights stay on the CPU.
void check_built(Site &site, const Call &scope, const With &with, std::string_view device) {
  const Call *built = nullptr;
  u32 scopes = 0;
  any_node(with.body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
    const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
    const ApiInfo *info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
    const bool is_loaded = info != nullptr && callee.name().text().find("load") != std::string_view::npos;
    const bool is_model = (info != nullptr && info->returns == Kind::KerasModel && !is_loaded) ||
                          (callee.is(model::Value::Tag::Class) && callee.type->kind == Kind::KerasModel);
    built = built == nullptr && is_model ? call : built;
    const auto *inner = as<Call>(node);
    scopes += inner != nullptr && called_api(site, *inner) == "tensorflow.device" ? 1 : 0;
    return false;
  });
  // Towers on several GPUs share a model on the CPU.
  if (built == nullptr || scopes > 0 || file_has_word_in_any_case(site, {"/gpu", "gpu:"}) ||
      !file_has_word(site, {".fit(", "apply_gradients("})) {
    return;
  }
  Finding &finding =
      report(site, scope, fmt::format("`tf.device(\"{}\")` keeps the weights of the model on the CPU", device),
             "build the model outside of the scope: TensorFlow places it on the GPU by itself, if there is one");
  add_note(finding, site, *built, "the model is built here");
}

void check(Site &site, const Node &node) {
  const auto &with = static_cast<const With &>(node);
  if (!site.module->tensorflow || site.module->is_test || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  for (const WithItem &item : with.items) {
    const auto *call = as<Call>(item.context_expr);
    const std::optional<std::string> device = call != nullptr ? device_of(site, *call) : std::nullopt;
    if (!device.has_value() || !names_cpu(*device) || means_cpu(site)) {
      continue;
    }
    const Call *trained = trained_in(site, with);
    if (trained == nullptr) {
      check_built(site, *call, with, *device);
      continue;
    }
    Finding &finding =
        report(site, *call, fmt::format("`tf.device(\"{}\")` keeps the model and its training on the CPU", *device),
               "remove the scope, or put only the input pipeline and large embeddings under it; TensorFlow uses the "
               "GPU by itself");
    add_note(finding, site, *trained, "the training runs on the CPU");
    return;
  }
}

} // namespace

extern constinit const Rule kModelOnCpu = {
    .info = {.code = "DP505",
             .name = "model-on-cpu",
             .summary = "a Keras model that a `tf.device` scope keeps on the CPU while it is trained",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Environment Setting",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`with tf.device("/CPU:0"):` around `fit()` of a model, or around a function that trains, or around the construction of a model that the file trains. Silent where the program asks which devices there
are, hides the GPUs, or measures.

## Why it costs

The scope pins all variables and operations to the CPU. A GPU stays idle, though TensorFlow would place the model there by itself.

## Bad

```python
import numpy as np
import tensorflow as tf

with tf.device("/CPU:0"):
    model = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(np.zeros((1000, 8)), np.zeros((1000, 1)), epochs=10)
```

## Good

```python
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((1000, 8)), np.zeros((1000, 1)), epochs=10)
```

## When it is wrong

Where the machine has no GPU, or where the model is too small to gain from one.

## References

- TensorFlow guide "Use a GPU": manual device placement
)"},
    .nodes = {NodeKind::With},
    .on_node = check};

} // namespace deepperf::rules::model_on_cpu
