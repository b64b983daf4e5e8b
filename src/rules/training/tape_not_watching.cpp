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

// Is what the gradient is taken of computed after the block, or outside of TensorFlow? Then the tape knows nothing of
// it.
bool check_target(Site &site, const Call &call, const With &with, const Name &tape) {
  const Expr *target = argument(call, 0, "target");
  const auto *name = as<Name>(target);
  if (name == nullptr) {
    return false;
  }
  const Expr *made = last_assigned(site, *name);
  if (made == nullptr || made->end < with.start) {
    any_node(with.body, [&](const Node *node) { // the last one in the block
      const auto *assignment = as<Assign>(node);
      const auto *bound = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
      made = bound != nullptr && bound->id == name->id ? assignment->value : made;
      return false;
    });
  }
  if (made == nullptr) {
    return false;
  }
  const bool is_outside = made->start > with.end && made->end < call.start && !binds(&with, name->id) &&
                          (made->kind == NodeKind::Call || made->kind == NodeKind::BinOp) &&
                          any_node(made, [&](const Node *node) {
                            const auto *part = as<Name>(node);
                            return part != nullptr && part->context == Context::Load && binds(&with, part->id);
                          });
  const auto *call_made = as<Call>(made);
  const bool is_numpy = contains(&with, made) && call_made != nullptr &&
                        (called_api(site, *call_made).starts_with("numpy.") || called_method(*call_made) == "numpy");
  if (!is_outside && !is_numpy) {
    return false;
  }
  Finding &finding =
      report(site, *target,
             is_numpy ? fmt::format("`{}` is computed with NumPy, which the tape does not record, so the gradients are "
                                    "`None`",
                                    name->id.text())
                      : fmt::format("`{}` is computed after the `with` block, where the tape no longer records, so the "
                                    "gradients are `None`",
                                    name->id.text()),
             is_numpy ? "compute it with TensorFlow operations" : "move the computation into the `with` block");
  add_note(finding, site, *made, fmt::format("not recorded by `{}`", tape.id.text()));
  return true;
}

// Does the function come to another gradient() of the tape before this one, on every way?
const Call *earlier_gradient(const Site &site, const Node *node, const Call &call, const With &with, Symbol tape) {
  const bool is_around = std::ranges::find(site.ancestors, node) != site.ancestors.end();
  const bool is_branch = node->kind == NodeKind::If || node->kind == NodeKind::For || node->kind == NodeKind::While ||
                         node->kind == NodeKind::Try || node->kind == NodeKind::IfExp || node->kind == NodeKind::Match;
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda || node->kind == NodeKind::ClassDef ||
      (is_branch && !is_around) || node->start > call.start) {
    return nullptr;
  }
  const auto *one = as<Call>(node);
  if (one != nullptr && one != &call && one->start > with.start && one->end <= call.start &&
      is_method_of(*one, tape, "gradient")) {
    return one;
  }
  const Call *found = nullptr;
  for_each_child(node, [&](const Node *child) {
    found = found != nullptr ? found : earlier_gradient(site, child, call, with, tape);
  });
  // `if a: tape.gradient(…) else: tape.gradient(…)`
  const auto *branch = as<If>(node);
  if (branch != nullptr && found != nullptr) {
    const bool in_body = std::ranges::any_of(branch->body, [&](const Stmt *part) { return contains(part, &call); });
    const bool found_in_body =
        std::ranges::any_of(branch->body, [&](const Stmt *part) { return contains(part, found); });
    return in_body == found_in_body ? found : nullptr;
  }
  return found;
}

// A tape that is not persistent gives its gradients once.
bool check_again(Site &site, const Call &call, const With &with, const Name &tape) {
  for (const WithItem &item : with.items) {
    const auto *made = as<Call>(item.context_expr);
    if (made != nullptr && (!made->args.empty() || !made->keywords.empty())) {
      return false; // persistent=True
    }
  }
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Call *earlier = nullptr;
  for (const Stmt *statement : definition != nullptr ? definition->body : site.module->parsed->tree.body) {
    earlier = earlier != nullptr ? earlier : earlier_gradient(site, statement, call, with, tape.id);
  }
  const model::Loop *loop = loop_around(site);
  const bool is_repeated = loop != nullptr && !contains(loop->node, &with) && loop->node->start > with.start;
  if (earlier == nullptr && !is_repeated) {
    return false;
  }
  Finding &finding =
      report(site, call, "a tape that is not persistent gives its gradients only once, so this call raises an error",
             "take all gradients in one call, `tape.gradient(loss, [a, b])`, or use a tape for each loss, or "
             "`tf.GradientTape(persistent=True)`");
  if (earlier != nullptr) {
    add_note(finding, site, *earlier, "the tape was used here");
  } else {
    add_note(finding, site, *loop->node, "the loop");
  }
  return true;
}

void check(Site &site, const Call &call) {
  const auto *tape = as<Name>(receiver_of(call));
  const Expr *sources = argument(call, 1, called_method(call) == "batch_jacobian" ? "source" : "sources");
  if (tape == nullptr || sources == nullptr) {
    return;
  }
  const With *with = tape_of(site, *tape, call.start);
  if (with == nullptr || check_target(site, call, *with, *tape) || check_again(site, call, *with, *tape)) {
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
             .summary = "a gradient of something that the `GradientTape` did not record or watch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Program Crash",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tape.gradient(y, x)`, `jacobian` or `batch_jacobian` where `x` is a tensor that was made before the `with` block, and no `tape.watch(x)`:
saliency maps, adversarial examples, gradient penalties. Also a loss that is computed after the `with` block or with NumPy, and a second
gradient of a tape that is not persistent.

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
