#include "model/bind.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::trainable_after_compile {

using namespace python;

namespace {

// `model` of `model.compile(…)`, where that is a name.
Symbol called_on(const Stmt *statement, std::string_view method) {
  const auto *plain = as<ExprStmt>(statement);
  const auto *assignment = as<Assign>(statement);
  const auto *call = as<Call>(plain != nullptr ? plain->value : assignment != nullptr ? assignment->value : nullptr);
  const auto *receiver = call != nullptr && called_method(*call) == method ? as<Name>(receiver_of(*call)) : nullptr;
  return receiver != nullptr ? receiver->id : Symbol{};
}

// `base.trainable = False`, also of the layers that a loop goes over: the name of what is frozen.
const Name *switched(const Stmt *statement) {
  const Node *found = nullptr;
  if (const auto *loop = as<For>(statement)) {
    const bool stores = any_node(loop->body, [](const Node *node) {
      const auto *attribute = as<Attribute>(node);
      return attribute != nullptr && attribute->attr.text() == "trainable" && attribute->context == Context::Store;
    });
    found = stores ? loop->iter : nullptr;
    return found != nullptr ? model::root_name(loop->iter) : nullptr;
  }
  const auto *assignment = as<Assign>(statement);
  const auto *attribute =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
  return attribute != nullptr && attribute->attr.text() == "trainable" ? model::root_name(attribute->value) : nullptr;
}

bool may_compile(const Site &site, const Stmt *statement, Symbol model) {
  return any_node(static_cast<const Node *>(statement), [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const auto *receiver = as<Name>(receiver_of(*call));
    if (called_method(*call) == "compile" || (receiver != nullptr && receiver->id == model)) {
      return called_method(*call) == "compile";
    }
    // A function that is given the model may compile it.
    return !called_api(site, *call).starts_with("tensorflow.") &&
           std::ranges::any_of(call->args, [&](const Expr *arg) { return mentions(arg, model); });
  });
}

// The statements of one scope, in their order: compile, then the switch, then fit without another compile.
void check_block(Site &site, const Block &body) {
  for (u32 at = 0; at < body.size(); ++at) {
    const Name *part = switched(body[at]);
    if (part == nullptr) {
      continue;
    }
    // The last compile before it.
    u32 compiled = at;
    Symbol model;
    for (u32 i = 0; i < at; ++i) {
      if (const Symbol on = called_on(body[i], "compile")) {
        compiled = i;
        model = on;
      }
    }
    if (!model) {
      continue;
    }
    // The model is made of it before it is compiled, or is itself.
    bool is_part = part->id == model;
    for (u32 i = 0; i < compiled && !is_part; ++i) {
      const auto *assignment = as<Assign>(body[i]);
      const bool binds_part = assignment != nullptr && mentions(assignment->targets[0], part->id);
      is_part = !binds_part && assignment != nullptr && mentions(assignment->value, part->id);
    }
    u32 fit = 0;
    for (u32 i = at + 1; i < body.size() && fit == 0; ++i) {
      if (may_compile(site, body[i], model) && called_on(body[i], "fit") != model) {
        break;
      }
      const auto *rebound = as<Assign>(body[i]);
      if (rebound != nullptr && called_on(body[i], "fit") != model && mentions(rebound->targets[0], model)) {
        break;
      }
      fit = called_on(body[i], "fit") == model ? i : 0;
    }
    const model::Value value = value_of(site, part);
    const bool is_keras = value.is_kind(Kind::KerasModel) || value.is_kind(Kind::KerasLayer) ||
                          (value.is(model::Value::Tag::Object) && value.type->kind == Kind::KerasModel);
    if (!is_part || fit == 0 || !is_keras) {
      continue;
    }
    Finding &finding =
        report(site, *body[at],
               fmt::format("`trainable` is changed after `{}.compile()`, so it has no effect on `fit()`", model.text()),
               "set it before `compile()`, or compile again afterwards");
    if (body[at]->kind == NodeKind::For) {
      finding.span.end = static_cast<const For *>(body[at])->iter->end;
    }
    add_note(finding, site, *body[compiled], "the trainable weights are collected here");
    add_note(finding, site, *body[fit], "trained here");
    return;
  }
}

void check(Site &site, const Node &node) {
  Site inside = site;
  inside.function = site.project.function_at(&node);
  if (site.module->tensorflow && !site.module->is_test && inside.function != nullptr) {
    check_block(inside, static_cast<const FunctionDef &>(node).body);
  }
}

void check_module(Site &site) {
  if (site.module->tensorflow && !site.module->is_test && !site.module->parsed->source.is_notebook) {
    check_block(site, site.module->parsed->tree.body);
  }
}

} // namespace

extern constinit const Rule kTrainableAfterCompile = {
    .info = {.code = "DP913",
             .name = "trainable-after-compile",
             .summary = "layers that are frozen or unfrozen after `compile`, without effect",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Execution Time",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`base.trainable = False` (or True, or a loop over `base.layers`) between `model.compile(…)` and `model.fit(…)`, with no other `compile` in
between.

## Why it is wrong

`compile` decides which weights are trained. A change after that has no effect until the model is compiled again: a pretrained base that was
meant to be frozen is trained, and its weights are destroyed by the large gradients of the new head, or fine-tuning trains nothing new.

## Bad

```python
from tensorflow import keras

base = keras.applications.ResNet50(include_top=False, pooling="avg")
model = keras.Sequential([base, keras.layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
base.trainable = False
model.fit(dataset, epochs=5)
```

## Good

```python
from tensorflow import keras

base = keras.applications.ResNet50(include_top=False, pooling="avg")
base.trainable = False
model = keras.Sequential([base, keras.layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset, epochs=5)
```

## When it is wrong

Where a function that the rule does not see compiles the model again.

## References

- Keras guide "Transfer learning and fine-tuning": important note about `compile()` and `trainable`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check,
    .on_module = check_module};

} // namespace deepperf::rules::trainable_after_compile
