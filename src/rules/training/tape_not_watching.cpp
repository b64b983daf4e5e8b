#include "rules/tree.h"

#include "model/bind.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::tape_not_watching {

using namespace python;
using model::Value;

namespace {

// The `with tf.GradientTape() as tape:` that a name stands for; the last one before the place.
const With *tape_of(const Site &site, const Name &tape, u32 before) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const With *found = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *with = as<With>(node);
    if (with != nullptr && with->start < before) {
      for (const WithItem &item : with->items) {
        const auto *name = as<Name>(item.optional_vars);
        const auto *made = as<Call>(item.context_expr);
        if (name != nullptr && name->id == tape.id && made != nullptr &&
            called_api(site, *made) == "tensorflow.GradientTape") {
          found = with;
        }
      }
    }
    return false;
  });
  return found;
}

bool is_method_of(const Call &call, Symbol object, std::string_view method) {
  const auto *receiver = as<Name>(receiver_of(call));
  return receiver != nullptr && receiver->id == object && called_method(call) == method;
}

// Does the tape watch the name, or something that it is not clear about?
bool watches(const With &with, Symbol tape, Symbol source) {
  return any_node(with.body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || !is_method_of(*call, tape, "watch")) {
      return false;
    }
    const bool is_plain =
        call->args.size() == 1 && (call->args[0]->kind == NodeKind::Name || call->args[0]->kind == NodeKind::List);
    return !is_plain || mentions(call->args[0], source);
  });
}

// Is the name bound to something inside the node? What a tape has computed itself it knows.
bool binds(const Node *within, Symbol name) {
  return any_node(within, [name](const Node *node) {
    const auto *bound = as<Name>(node);
    return bound != nullptr && bound->id == name && bound->context != Context::Load;
  });
}

// A tensor wherever it comes from, and no variable, which the tape would watch by itself.
bool is_plain_tensor(const Site &site, const Name &name) {
  const Value value = value_of(site, &name);
  u32 tensors = 0;
  u32 others = 0;
  for_each_alternative(value,
                       [&](const Value &one) { ++(one.is_kind(Kind::Tensor) && !one.container ? tensors : others); });
  return tensors > 0 && others == 0 && !value.open && !value.none;
}

// In a function whose parameter may be anything, what is written before the `with` decides.
bool is_made_of_tensor(const Site &site, const Name &name) {
  const Expr *made = last_assigned(site, name);
  return made != nullptr && model::kind_of(made) == Kind::Tensor;
}

void check(Site &site, const Call &call) {
  const auto *tape = as<Name>(receiver_of(call));
  const Expr *sources = argument(call, 1, called_method(call) == "batch_jacobian" ? "source" : "sources");
  if (tape == nullptr || sources == nullptr) {
    return;
  }
  const With *with = tape_of(site, *tape, call.start);
  if (with == nullptr) {
    return;
  }
  std::vector<const Name *> names;
  if (const auto *list = as<List>(sources)) {
    for (const Expr *one : list->elts) {
      if (const auto *name = as<Name>(one)) {
        names.push_back(name);
      }
    }
  } else if (const auto *name = as<Name>(sources)) {
    names.push_back(name);
  }
  for (const Name *name : names) {
    if (site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot || binds(with, name->id) ||
        watches(*with, tape->id, name->id) || !mentions(with, name->id) ||
        (!is_plain_tensor(site, *name) && !is_made_of_tensor(site, *name))) {
      continue;
    }
    Finding &finding = report(
        site, *name,
        fmt::format("the tape does not watch the tensor `{}`, so this gradient is `None`", name->id.text()),
        fmt::format("call `{}.watch({})` at the beginning of the `with` block", tape->id.text(), name->id.text()));
    add_note(finding, site, *with->items[0].context_expr, "only variables are watched automatically");
    return;
  }
}

} // namespace

extern constinit const Rule kTapeNotWatching = {
    .info = {.code = "DP858",
             .name = "tape-not-watching",
             .summary = "a gradient with respect to a tensor that the `GradientTape` does not watch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Program Crash",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tape.gradient(y, x)`, `jacobian` or `batch_jacobian` where `x` is a tensor that was made before the `with` block, and no `tape.watch(x)`:
saliency maps, adversarial examples, gradient penalties.

## Why it is wrong

A `GradientTape` records what happens to trainable variables. A plain tensor, such as an image, is a constant for it unless it is watched,
and the gradient is `None`.

## Bad

```python
import tensorflow as tf


def saliency(model: tf.keras.Model, path):
    image = tf.io.decode_jpeg(tf.io.read_file(path))
    with tf.GradientTape() as tape:
        score = tf.reduce_max(model(image[None]))
    return tape.gradient(score, image)
```

## Good

```python
import tensorflow as tf


def saliency(model: tf.keras.Model, path):
    image = tf.io.decode_jpeg(tf.io.read_file(path))
    with tf.GradientTape() as tape:
        tape.watch(image)
        score = tf.reduce_max(model(image[None]))
    return tape.gradient(score, image)
```

## When it is wrong

Where the tensor is in fact a `tf.Variable`, which is watched automatically.

## References

- TensorFlow guide "Introduction to gradients and automatic differentiation": controlling what the tape watches
)"},
    .calls = "GradientTape.gradient GradientTape.jacobian GradientTape.batch_jacobian",
    .on_call = check};

} // namespace deepperf::rules::tape_not_watching
