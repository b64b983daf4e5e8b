#include "model/definitions.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/per_step.h"

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

// Does a decorator of the function keep what it returned: lru_cache, st.cache_resource?
bool is_cached(const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  return definition != nullptr && std::ranges::any_of(definition->decorators, [&](const Expr *decorator) {
           const std::string_view text = function.module->parsed->source.part(decorator->start, decorator->end);
           return text.find("cache") != std::string_view::npos;
         });
}

// A function that returns what it loads, or keeps it to itself, and that a request handler calls each time.
const model::CallSite *called_by_handler(const Site &site) {
  for (const model::CallSite *caller : site.function->called_by) {
    if (!caller->once && !caller->behind_guard && is_request_handler(site.project, *caller->caller)) {
      return caller;
    }
  }
  return nullptr;
}

// Does the function keep it for the next call: `global model`, `self.model`, an entry of a cache?
bool keeps_something(const Site &site, const Node *node) {
  if (node->kind == NodeKind::Global) {
    return true;
  }
  if (const auto *assignment = as<Assign>(node)) {
    const NodeKind target = assignment->targets[0]->kind;
    if (target == NodeKind::Attribute || target == NodeKind::Subscript) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || keeps_something(site, child); });
  return found;
}

// What a server loads again for every request.
bool check_request(Site &site, const Call &call) {
  if (site.function == nullptr || site.function->definition() == nullptr) {
    return false;
  }
  const bool is_handler = is_request_handler(site.project, *site.function);
  const model::CallSite *caller = is_handler ? nullptr : called_by_handler(site);
  if ((!is_handler && (caller == nullptr || is_cached(*site.function))) || !is_same_in_each_call(site, call) ||
      keeps_something(site, site.function->node)) {
    return false;
  }
  Finding &finding = report(site, call, fmt::format("{} loads the same for every request", text_of(site, call.func)),
                            "load it once, when the server starts, and use it here");
  if (caller != nullptr) {
    finding.notes.push_back({caller->caller->module->file, caller->call->span(), "called for every request here"});
  }
  return true;
}

void check(Site &site, const Call &call) {
  if (!call.args.empty() && enclosing(site, NodeKind::If) == nullptr && check_request(site, call)) {
    return;
  }
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
  // The weights that each turn, or each of several models, starts from may be meant.
  finding.tier = Tier::Hint;
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
             .tier = Tier::On,
             .posts = "63033923 57928619",
             .documentation = R"(## What it finds

`load_model`, `hub.load`, `hub.KerasLayer`, `saved_model.load`, `torch.load`, `torch.hub.load`, `torch.jit.load` `transformers.pipeline`,
`onnxruntime.InferenceSession` or `from_pretrained` in a loop, or in a
function that is called from one, with arguments that stay the same. Models, tokenizers, pipelines and sessions that a route of Flask or
FastAPI loads for every request are findings by default.

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
             "torch.jit.load *.from_pretrained transformers.pipeline onnxruntime.InferenceSession "
             "sentence_transformers.SentenceTransformer whisper.load_model spacy.load",
    .on_call = check};

} // namespace deepperf::rules
