#include "model/variance.h"
#include "python/children.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

// The file changes between the turns, or it is asked for again after something failed.
bool writes_models(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    if (method == "save" || method.starts_with("save_") || method == "fit" || method == "train") {
      return true;
    }
  }
  if (node->kind == NodeKind::Try || node->kind == NodeKind::Break) {
    return true;
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || writes_models(site, child); });
  return found;
}

bool sets_weights(const Node *node) {
  const auto *call = as<Call>(node);
  bool found = call != nullptr && called_method(*call) == "load_state_dict";
  for_each_child(node, [&found](const Node *child) { found = found || sets_weights(child); });
  return found;
}

bool stays_same(const Site &site, const Call &call, const model::Loop &loop) {
  const Expr *receiver = receiver_of(call);
  return (receiver == nullptr || !model::varies(site.project, loop, receiver)) &&
         std::ranges::none_of(call.args, [&](const Expr *arg) { return model::varies(site.project, loop, arg); }) &&
         std::ranges::none_of(
             call.keywords, [&](const Keyword *keyword) { return model::varies(site.project, loop, keyword->value); });
}

// Nothing that callers pass, and nothing of the object, decides what is loaded.
bool is_same_in_each_call(const Site &site, const Call &call) {
  const auto fixed = [&site](const Expr *expr) {
    const model::Dependencies on = model::dependencies_of(site.project, *site.function, expr);
    return on.params == 0 && on.attributes.empty() && !on.varies;
  };
  const Expr *receiver = receiver_of(call);
  return (receiver == nullptr || fixed(receiver)) && std::ranges::all_of(call.args, fixed) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return fixed(keyword->value); });
}

// Loaded into a local name, and not kept beyond the call.
bool is_used_here_only(const Site &site, const Call &call) {
  std::size_t at = site.ancestors.size();
  const Node *below = &call;
  while (at > 0 && site.ancestors[at - 1]->kind != NodeKind::Assign) { // AutoModel.from_pretrained(…).to(device)
    const Node *node = site.ancestors[--at];
    const auto *method = as<Attribute>(node);
    const auto *outer = as<Call>(node);
    if ((method == nullptr || method->value != below) && (outer == nullptr || outer->func != below)) {
      return false;
    }
    below = node;
  }
  const auto *assignment = at > 0 ? as<Assign>(site.ancestors[at - 1]) : nullptr;
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (name == nullptr) {
    return false;
  }
  bool kept = std::ranges::find(site.function->globals, name->id) != site.function->globals.end();
  const auto visit = [&](const auto &self, const Node *node) -> void {
    const Expr *value = nullptr;
    if (const auto *result = as<Return>(node)) {
      value = result->value;
    } else if (const auto *stored = as<Assign>(node)) {
      value = stored->value;
    } else if (node->kind == NodeKind::Yield) {
      kept = true;
    }
    const auto mentions = [&](const auto &inner, const Node *part) -> bool {
      if (const auto *plain = as<Name>(part)) {
        return plain->id == name->id;
      }
      if (part->kind == NodeKind::Call) {
        return false; // what is computed with it, not it
      }
      bool found = false;
      for_each_child(part, [&](const Node *child) { found = found || inner(inner, child); });
      return found;
    };
    kept = kept || (value != nullptr && mentions(mentions, value));
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  visit(visit, site.function->node);
  return !kept;
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || (call.args.empty() && call.keywords.empty()) || has_hidden_arguments(call) ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  if (loop != nullptr) {
    if (!runs_every_turn(site, *loop) || !stays_same(site, call, *loop) || writes_models(site, loop->node)) {
      return;
    }
  } else if (!site.function->in_loop || site.function->definition() == nullptr ||
             site.function->name.text() == "__init__" || !site.function->definition()->decorators.empty() ||
             !is_same_in_each_call(site, call) || !is_used_here_only(site, call) ||
             writes_models(site, site.function->node)) {
    return;
  }
  Finding &finding = report(
      site, call,
      loop != nullptr ? fmt::format("{} loads the same in every turn of the loop", text_of(site, call.func))
                      : fmt::format("{} loads the same in each call of this function, which is called from a loop",
                                    text_of(site, call.func)),
      "load it once, outside, and pass it on");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "the loop");
  }
  // model.load_state_dict(torch.load(path)): the weights that each turn, or each of several models, starts from.
  if (sets_weights(loop != nullptr ? loop->node : site.function->node)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kModelLoadInLoop = {
    .info = {.code = "DP205",
             .name = "model-load-in-loop",
             .summary = "the same model is loaded again and again",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak, Increasing Time Over Time",
             .stage = "Prediction",
             .frameworks = "TensorFlow, Keras, PyTorch",
             .tier = Tier::Hint,
             .posts = "63033923 57928619",
             .documentation = R"(## What it finds

`load_model`, `hub.load`, `hub.KerasLayer`, `saved_model.load`, `torch.load`, `torch.hub.load`, `torch.jit.load` or `from_pretrained` in a loop, or in a
function that is called from one, with arguments that stay the same.

## Why it costs

A model is read from the disk, its layers are made, and its weights are copied to the device: seconds for what takes milliseconds to
use. In TensorFlow the graphs of the models before stay in memory as well.

## Bad

```python
from tensorflow import keras

for image in images:
    model = keras.models.load_model("classifier.h5")
    print(model(image, training=False))
```

## Good

```python
from tensorflow import keras

model = keras.models.load_model("classifier.h5")
for image in images:
    print(model(image, training=False))
```

## When it is wrong

Where the file changes between the turns: loops that also save or train are left alone. Weights that each turn starts from
(`load_state_dict(torch.load(…))`) are a hint: keep them in memory instead.

## References

- DLPerf, root cause "Confusion with Computation Graph"; Stack Overflow 63033923 and 57928619, from the study
)"},
    .calls = "tensorflow.keras.models.load_model tensorflow.keras.saving.load_model tensorflow_hub.load "
             "tensorflow_hub.KerasLayer tensorflow_hub.Module tensorflow.saved_model.load torch.load torch.hub.load "
             "torch.jit.load *.from_pretrained",
    .on_call = check};

} // namespace deepperf::rules
