#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::inference_mode_never_set {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

bool is_equinox_module(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const Value &base) {
      return base.is(Value::Tag::Api) && base.name().text() == "equinox.Module";
    });
  });
}

// What the project does with modes: Equinox modules are made in training mode.
struct Modes {
  const Call *dropout = nullptr; // a layer that computes something else in training
  const model::Module *module = nullptr;
};

Modes find_modes(const Site &site) {
  Modes modes;
  for (const FunctionInfo &function : site.project.functions) {
    const FunctionDef *definition = function.definition();
    if (definition == nullptr || function.type == nullptr || !is_equinox_module(*function.type)) {
      continue;
    }
    const Site there = site_of_origin(site, function);
    any_node(definition->body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call != nullptr && called_api(there, *call) == "equinox.nn.Dropout" && modes.dropout == nullptr &&
          number_of(there, argument(*call, 0, "p")) != 0.0) {
        modes.dropout = call;
        modes.module = there.module;
      }
      return false;
    });
  }
  return modes;
}

// Does the function run inside of what is differentiated? Then it belongs to training.
bool is_differentiated(const Site &site, const FunctionInfo &function, u32 depth = 0) {
  constexpr u32 kMostDepth = 6;
  if (depth > kMostDepth) {
    return true;
  }
  const bool is_handed = std::ranges::any_of(handed_to(site, function),
                                             [](const HandedTo &handed) { return handed.api.ends_with("grad"); });
  return is_handed || (function.parent != nullptr && is_differentiated(site, *function.parent, depth + 1)) ||
         std::ranges::any_of(function.called_by, [&](const model::CallSite *caller) {
           return caller->caller != &function && is_differentiated(site, *caller->caller, depth + 1);
         });
}

bool is_module(const Value &value) { return value.is(Value::Tag::Object) && is_equinox_module(*value.type); }

// The call of an Equinox model, itself or under jax.vmap, that the predictions come from.
const Call *model_behind(const Site &site, const FunctionInfo &function, const Expr *expr) {
  const Call *found = nullptr;
  visit_origins(site, function, expr, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Stop;
    }
    const auto *call = as<Call>(origin.expr);
    const Site there = site_of_origin(site, *origin.function);
    if (call == nullptr) {
      return Onward::Stop;
    }
    const auto *mapped = as<Call>(call->func);
    const std::string_view maker = mapped != nullptr ? called_api(there, *mapped) : std::string_view{};
    const bool is_mapped = (maker == "jax.vmap" || maker == "equinox.filter_vmap") && !mapped->args.empty();
    if (is_module(value_of(there, is_mapped ? mapped->args[0] : call->func))) {
      found = call;
      return Onward::Stop;
    }
    const std::string_view api = called_api(there, *call);
    return api.starts_with("jax.numpy.") || called_method(*call) == "argmax" ? Onward::Through : Onward::Stop;
  });
  return found;
}

// ---- Flax -----------------------------------------------------------------------------------------------------------

// `deterministic=False`, `train=True`
struct Mode {
  const Keyword *keyword = nullptr;
  bool training = false; // the constant that means training
};

Mode mode_of(const Call &apply) {
  for (const std::string_view name : {"deterministic", "eval_mode", "train", "training", "is_training"}) {
    if (const Keyword *given = keyword_argument(apply, name)) {
      return {given, name != "deterministic" && name != "eval_mode"};
    }
  }
  return {};
}

// The apply() that the predictions come from, if it runs in training mode whoever calls it here: what decides is a
// constant, perhaps an argument of the functions between.
const Call *applied_in_training(const Site &site, const FunctionInfo &function, const Expr *expr) {
  const Call *apply = nullptr;
  Mode mode;
  bool is_training = false;
  bool is_other = false;
  visit_origins(site, function, expr, [&](const Origin &origin) {
    const Site there = site_of_origin(site, *origin.function);
    const auto *call = as<Call>(origin.expr);
    if (apply != nullptr) { // on the way to what decides
      if (origin.parameter_of != nullptr) {
        return Onward::Through;
      }
      const std::optional<bool> constant = bool_of(there, origin.expr);
      (constant == mode.training ? is_training : is_other) = true;
      return Onward::Stop;
    }
    if (call == nullptr) {
      return origin.parameter_of != nullptr ? Onward::Stop : Onward::Through;
    }
    const std::string_view method = called_method(*call);
    if (method == "apply" || method == "apply_fn") {
      const Keyword *rngs = keyword_argument(*call, "rngs");
      mode = rngs != nullptr ? mode_of(*call) : Mode{};
      apply = mode.keyword != nullptr ? call : nullptr;
      is_other |= apply == nullptr;
      if (apply != nullptr) {
        origin.next = {mode.keyword->value};
      }
      return Onward::Next;
    }
    if (called_api(there, *call).starts_with("jax.numpy.") && !call->args.empty()) {
      origin.next = {call->args[0]};
    } else if (method == "argmax") {
      origin.next = {receiver_of(*call)};
    }
    return Onward::Next;
  });
  return is_training && !is_other ? apply : nullptr;
}

void check_flax(Site &site, const Compare &compare) {
  const Call *apply = applied_in_training(site, *site.function, compare.left);
  if (apply == nullptr || is_differentiated(site, *site.function)) {
    return;
  }
  Finding &finding = report(site, compare, "the model is evaluated in training mode, so its dropout stays active",
                            "pass `deterministic=True`, or `train=False`, where the model is evaluated");
  const FunctionInfo *caller = site.project.caller_of(apply);
  if (caller != nullptr) {
    finding.notes.push_back({caller->module->file, apply->span(), "the predictions come from here"});
  }
}

// `logits.argmax(-1) == labels`: how often the model is right
void check(Site &site, const Node &node) {
  const auto &compare = static_cast<const Compare &>(node);
  if (!site.module->jax || site.module->is_test || site.function == nullptr || compare.rest.size() != 1 ||
      compare.rest[0].op != CompareOperator::Eq) {
    return;
  }
  const auto *best = as<Call>(compare.left);
  if (best == nullptr || !(called_method(*best) == "argmax" || called_api(site, *best).ends_with("argmax"))) {
    return;
  }
  if (project_has_word(site, {"flax"}) && project_has_word(site, {"Dropout"})) {
    check_flax(site, compare);
  }
  if (!project_has_word(site, {"equinox"}) || project_has_word(site, {"inference", "is_training"})) {
    return;
  }
  const Modes &modes = site.memory.recall<Modes>(&site.project, [&] { return find_modes(site); });
  const Call *called = modes.dropout != nullptr ? model_behind(site, *site.function, compare.left) : nullptr;
  if (called == nullptr || is_differentiated(site, *site.function)) {
    return;
  }
  Finding &finding = report(site, compare, "the model is evaluated in training mode, so its dropout stays active",
                            "evaluate a copy for inference: `model = eqx.nn.inference_mode(model)`");
  const FunctionInfo *caller = site.project.caller_of(called);
  if (caller != nullptr) {
    finding.notes.push_back({caller->module->file, called->span(), "the predictions come from here"});
  }
  finding.notes.push_back({modes.module->file, modes.dropout->span(), "this layer depends on the mode"});
}

} // namespace

extern constinit const Rule kInferenceModeNeverSet = {
    .info = {.code = "DP982",
             .name = "inference-mode-never-set",
             .summary = "an Equinox or Flax model with dropout that is evaluated in training mode",
             .root_cause = "Training: Wrong Mode",
             .symptoms = "Wrong Result",
             .stage = "Prediction",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Predictions of an Equinox model with `eqx.nn.Dropout` that are compared with labels outside of what is differentiated, in a project that never
sets the inference mode of a model. Likewise predictions of a Flax model whose `apply` receives a key for dropout and a constant
`deterministic=False` or `train=True`, itself or through the functions that call it.

## Why it is wrong

Equinox modules are created in training mode and stay in it until `eqx.nn.inference_mode` makes a copy for inference. With active dropout, the
measured accuracy is noisy and too low, and the best checkpoint is chosen by chance.

## Bad

```python
import equinox as eqx
import jax


class Net(eqx.Module):
    layer: eqx.nn.Linear
    drop: eqx.nn.Dropout

    def __init__(self, key):
        self.layer = eqx.nn.Linear(8, 4, key=key)
        self.drop = eqx.nn.Dropout(0.5)

    def __call__(self, x, key):
        return self.drop(self.layer(x), key=key)


def accuracy(model: Net, x, y, key):
    logits = jax.vmap(model)(x, jax.random.split(key, x.shape[0]))
    return (logits.argmax(-1) == y).mean()
```

## Good

```python
import equinox as eqx
import jax


class Net(eqx.Module):
    layer: eqx.nn.Linear
    drop: eqx.nn.Dropout

    def __init__(self, key):
        self.layer = eqx.nn.Linear(8, 4, key=key)
        self.drop = eqx.nn.Dropout(0.5)

    def __call__(self, x, key):
        return self.drop(self.layer(x), key=key)


def accuracy(model: Net, x, y, key):
    model = eqx.nn.inference_mode(model)
    logits = jax.vmap(model)(x, jax.random.split(key, x.shape[0]))
    return (logits.argmax(-1) == y).mean()
```

## When it is wrong

Where dropout is intended in evaluation, as in Monte Carlo dropout.

## References

- Equinox documentation of `equinox.nn.inference_mode`
)"},
    .nodes = {NodeKind::Compare},
    .on_node = check};

} // namespace deepperf::rules::inference_mode_never_set
