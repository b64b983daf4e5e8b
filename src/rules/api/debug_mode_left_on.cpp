#include "python/children.h"
#include "rules/options.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace deepperf::rules::debug_mode_left_on {

using namespace python;

namespace {

// Is the option on, as far as the program itself says: written there, or what a setting holds?
bool is_on(const Site &site, const Expr *option) {
  const auto setting = option != nullptr ? setting_of(site, option) : std::nullopt;
  return setting.has_value() && setting->as_bool() == true;
}

// A branch that the program takes unless somebody changes its code: `if SETTINGS["detect_anomaly"]:` of a constant.
bool is_always_taken(const Site &site, const If &choice, const Node &inside) {
  const auto setting = setting_of(site, choice.test);
  const auto is_in = [&](const Block &block) {
    return std::ranges::any_of(
        block, [&](const Stmt *statement) { return statement->start <= inside.start && inside.end <= statement->end; });
  };
  return setting.has_value() && !setting->overridable && setting->as_bool().has_value() &&
         is_in(*setting->as_bool() ? choice.body : choice.orelse);
}

// Code whose purpose it is: a function or file that says so, or a flag in front of it.
bool is_meant(const Site &site, u32 depth = 0) {
  for (const Node *ancestor : site.ancestors) {
    const auto *choice = as<If>(ancestor);
    if ((choice != nullptr && (site.node == nullptr || !is_always_taken(site, *choice, *site.node))) ||
        ancestor->kind == NodeKind::IfExp) {
      return true;
    }
    if (const auto *definition = as<FunctionDef>(ancestor)) {
      const std::string_view name = definition->name.text();
      if (has_word_in_any_case(name, {"debug", "anomal", "check", "profil", "bench", "test"})) {
        return true;
      }
    }
  }
  const std::string_view path = site.module->parsed->path;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (has_word_in_any_case(file, {"profil", "bench"})) { // not "anomaly", which models are trained to detect
    return true;
  }
  // A helper that does nothing else, and is called under such a flag.
  constexpr u32 kMostDepth = 2;
  constexpr std::size_t kMostCallers = 16;
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  return definition != nullptr && definition->body.size() == 1 && !site.function->called_by.empty() &&
         site.function->called_by.size() <= kMostCallers && depth < kMostDepth &&
         std::ranges::all_of(site.function->called_by, [&](const model::CallSite *caller) {
           return is_meant(site_at(site, *caller->caller, *caller->call), depth + 1);
         });
}

// Does it train somewhere inside: in a loop, or through a call?
bool trains(const Site &site, const Node *node) {
  if (node->kind == NodeKind::For || node->kind == NodeKind::While) {
    const auto *loop = site.project.loop_at(node);
    if (loop != nullptr && loop->trains && !loop->few_iterations) {
      return true;
    }
  }
  if (const auto *call = as<Call>(node)) {
    const model::FunctionInfo *function = called_function(site, *call);
    if (function != nullptr && function->trains && !function->steps) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || trains(site, child); });
  return found;
}

void check_profiler(Site &site, const Call &call) {
  const auto *with = site.ancestors.empty() ? nullptr : as<With>(site.ancestors.back());
  if (with == nullptr || keyword_argument(call, "schedule") != nullptr ||
      keyword_argument(call, "enabled") != nullptr || has_hidden_arguments(call) ||
      (called_api(site, call) == "torch.autograd.profiler.profile" && !call.args.empty()) || is_meant(site)) {
    return;
  }
  if (std::ranges::any_of(with->body, [&](const Stmt *statement) { return trains(site, statement); })) {
    report(site, call,
           "the profiler covers the whole training run, so it slows every step and its memory grows with each one",
           "profile a few steps with `schedule=torch.profiler.schedule(…)`, or remove the profiler");
  }
}

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (api.ends_with("profiler.profile")) {
    check_profiler(site, call);
    return;
  }
  if (api == "torch.autograd.gradcheck" || api == "torch.autograd.gradgradcheck") {
    if (in_training_step(site) && !is_meant(site)) {
      report(site, call,
             fmt::format("`{}` computes the gradients a second time, numerically, in every step",
                         text_of(site, call.func)),
             "check the gradients in a test instead of the training step");
    }
    return;
  }
  if (api == "jax.config.update") {
    const std::optional<std::string> option = call.args.size() == 2 ? string_of(site, call.args[0]) : std::nullopt;
    if (!option.has_value() ||
        (*option != "jax_debug_nans" && *option != "jax_debug_infs" && *option != "jax_disable_jit") ||
        bool_of(site, call.args[1]) != true || is_meant(site)) {
      return;
    }
    report(site, call, fmt::format("`{}` is a debugging option that slows down every compiled function", *option),
           "remove it once the bug is found, or guard it with a debug flag");
    return;
  }
  if (api == "pytorch_lightning.Trainer") {
    if (option_of(site, call, "detect_anomaly").as_bool() != true) {
      return;
    }
  }
  if (api == "torch.autograd.set_detect_anomaly" && !is_on(site, argument(call, 0, "mode"))) {
    return;
  }
  if (is_meant(site)) {
    return;
  }
  if (api.starts_with("tensorflow.")) {
    report(site, call, "every operation checks its result for NaN and infinity",
           "remove it once the bug is found, or guard it with a debug flag");
    return;
  }
  report(site, call, "anomaly detection records a stack trace for every operation and checks every gradient for NaN",
         "remove it once the bug is found, or guard it with a debug flag");
}

} // namespace

extern constinit const Rule kDebugModeLeftOn = {
    .info = {.code = "DP136",
             .name = "debug-mode-left-on",
             .summary = "anomaly detection, a profiler or gradcheck left on in code that trains",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`torch.autograd.set_detect_anomaly(True)`, `detect_anomaly()` and Lightning's `Trainer(detect_anomaly=True)` without a condition around them, also where
a setting of the program enables them;
`torch.profiler.profile` without a schedule around a whole training run; `gradcheck` in a training step;
`tf.debugging.enable_check_numerics()`; JAX's `jax_debug_nans`, `jax_debug_infs` and `jax_disable_jit`.

## Why it costs

These are debugging tools. Anomaly detection records a Python stack trace for every operation of the forward pass and
looks for NaN in every gradient, which waits for the device. A profiler keeps an event for each operation, so memory
grows with the number of steps.

## Bad

```python
import torch

torch.autograd.set_detect_anomaly(True)
```

## Good

```python
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--debug", action="store_true")
torch.autograd.set_detect_anomaly(parser.parse_args().debug)
```

## When it is wrong

In tests, and in scripts that exist to debug or to measure. The rule is silent under an `if`, in tests, and in functions
and files whose names say so.

## References

- PyTorch performance tuning guide: disable debugging APIs
)"},
    .calls = "torch.autograd.set_detect_anomaly torch.autograd.detect_anomaly torch.autograd.gradcheck "
             "torch.autograd.gradgradcheck "
             "torch.autograd.profiler.profile torch.profiler.profile tensorflow.debugging.enable_check_numerics "
             "jax.config.update pytorch_lightning.Trainer",
    .on_call = check};

} // namespace deepperf::rules::debug_mode_left_on
