#include "rules/tree.h"

#include "model/bind.h"
#include "rules/assignments.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::tape_not_watching {

using namespace python;
using model::Value;

namespace {

// What a function does with tapes, in the order of its code, by their names.
struct Tapes {
  std::unordered_map<u32, std::vector<const With *>> made;      // with tf.GradientTape() as tape:
  std::unordered_map<u32, std::vector<const Call *>> gradients; // tape.gradient(…)
};

Tapes find_tapes(const Site &site) {
  Tapes found;
  any_node(body_around(site), [&](const Node *node) {
    const auto *with = as<With>(node);
    for (u32 i = 0; with != nullptr && i < with->items.size(); ++i) {
      const auto *name = as<Name>(with->items[i].optional_vars);
      const auto *made = as<Call>(with->items[i].context_expr);
      if (name != nullptr && made != nullptr && called_api(site, *made) == "tensorflow.GradientTape") {
        found.made[name->id.id].push_back(with);
      }
    }
    const auto *call = as<Call>(node);
    const auto *receiver = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
    if (receiver != nullptr && called_method(*call) == "gradient") {
      found.gradients[receiver->id.id].push_back(call);
    }
    return false;
  });
  return found;
}

const Tapes &tapes_around(const Site &site) {
  return site.memory.recall<Tapes>(&body_around(site), [&site] { return find_tapes(site); });
}

// The `with tf.GradientTape() as tape:` that a name stands for; the last one before the place.
const With *tape_of(const Site &site, const Name &tape, u32 before) {
  const auto &made = tapes_around(site).made;
  const auto known = made.find(tape.id.id);
  if (known == made.end()) {
    return nullptr;
  }
  const auto next = std::ranges::lower_bound(known->second, before, {}, [](const With *with) { return with->start; });
  return next != known->second.begin() ? *(next - 1) : nullptr;
}

// May there be a gradient() of the tape between its `with` and the call?
bool has_gradient_between(const Site &site, Symbol tape, const With &with, const Call &call) {
  const auto &gradients = tapes_around(site).gradients;
  const auto known = gradients.find(tape.id);
  if (known == gradients.end()) {
    return false;
  }
  const auto next = std::ranges::upper_bound(known->second, with.start, {}, [](const Call *one) { return one->start; });
  return next != known->second.end() && (*next)->start < call.start;
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
  // loss = compute(x); with tf.GradientTape() as tape: …
  const bool is_earlier = made->end < with.start && !binds(&with, name->id) && model::kind_of(made) == Kind::Tensor &&
                          (made->kind == NodeKind::Call || made->kind == NodeKind::BinOp) &&
                          !inside_with(site, Kind::GradientTape) && loop_around(site) == nullptr &&
                          enclosing(site, NodeKind::If) == nullptr;
  const auto *call_made = as<Call>(made);
  const bool is_numpy = contains(&with, made) && call_made != nullptr &&
                        (called_api(site, *call_made).starts_with("numpy.") || called_method(*call_made) == "numpy");
  if (!is_outside && !is_numpy && !is_earlier) {
    return false;
  }
  Finding &finding = report(
      site, *target,
      is_numpy     ? fmt::format("`{}` is computed with NumPy, which the tape does not record, so the gradients are "
                                     "`None`",
                                 name->id.text())
      : is_earlier ? fmt::format("`{}` is computed before the `with` block, where the tape does not record yet, so the "
                                 "gradients are `None`",
                                 name->id.text())
                   : fmt::format("`{}` is computed after the `with` block, where the tape no longer records, so the "
                                 "gradients are `None`",
                                 name->id.text()),
      is_numpy ? "compute it with TensorFlow operations" : "move the computation into the `with` block");
  add_note(finding, site, *made, fmt::format("not recorded by `{}`", tape.id.text()));
  return true;
}

// ---- Computed without a gradient ------------------------------------------------------------------------------------

// Looks for a way from what the gradient is taken of back to a model or variable.
class LiveSearch {
public:
  LiveSearch(const Site &site, const With &with, const Expr *sources) : site_(site), with_(with), sources_(sources) {}

  bool is_live(const Expr *expr, u32 depth = 0) {
    constexpr u32 kMostDepth = 24;
    if (depth > kMostDepth) {
      return true; // not known
    }
    if (const auto *name = as<Name>(expr)) {
      return is_live_name(*name, depth);
    }
    if (const auto *call = as<Call>(expr)) {
      return is_live_call(*call, depth);
    }
    if (const auto *element = as<Subscript>(expr)) {
      return is_live(element->value, depth + 1);
    }
    if (const auto *operation = as<BinOp>(expr)) {
      const bool left = is_live(operation->left, depth + 1);
      return is_live(operation->right, depth + 1) || left;
    }
    if (const auto *unary = as<UnaryOp>(expr)) {
      return is_live(unary->operand, depth + 1);
    }
    const bool is_name_of_api = expr->kind == NodeKind::Attribute && value_of(site_, expr).is(Value::Tag::Api);
    return expr->kind != NodeKind::Constant && !is_name_of_api; // tf.float32
  }

  const Call *cut = nullptr; // the operation that has no gradient

private:
  bool is_live_name(const Name &name, u32 depth) {
    const Expr *made = nullptr;
    bool is_other = false;
    any_node(with_.body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *bound =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      if (bound != nullptr && bound->id == name.id && assignment->start < name.start) {
        made = assignment->value;
      }
      const auto *stored = as<Name>(node);
      is_other |= stored != nullptr && stored->id == name.id && stored->context != Context::Load;
      return false;
    });
    if (made != nullptr) {
      return is_live(made, depth + 1);
    }
    // Data that comes from outside has no gradient, unless it is what the gradient is wanted of.
    return is_other || mentions(sources_, name.id) || !is_data(name);
  }

  [[nodiscard]] bool is_data(const Name &name) const {
    const model::FunctionInfo *function = site_.function;
    const bool is_parameter = function != nullptr && function->has_param(name.id);
    const bool is_element = std::ranges::any_of(site_.ancestors, [&](const Node *node) {
      const auto *loop = as<For>(node);
      return loop != nullptr && mentions(loop->target, name.id);
    });
    return (is_parameter || is_element) && model::kind_of(&name) != Kind::Variable;
  }

  bool is_live_call(const Call &call, u32 depth) {
    const std::string_view api = called_api(site_, call);
    const std::string_view method = called_method(call);
    const bool is_integer = api == "tensorflow.argmax" || api == "tensorflow.math.argmax" ||
                            api == "tensorflow.argmin" || api == "tensorflow.math.argmin";
    const bool leaves =
        method == "numpy" || (method == "predict" && model::kind_of(receiver_of(call)) == Kind::KerasModel);
    if (is_integer || leaves || api.starts_with("numpy.")) {
      cut = cut == nullptr ? &call : cut;
      return false;
    }
    const Value callee = site_.project.callee_of(&call);
    const bool is_operation = api.starts_with("tensorflow.") || callee.is_kind(Kind::KerasLoss);
    if (!is_operation) {
      return true; // a model, most likely
    }
    bool live = false;
    for (const Expr *arg : call.args) {
      live = is_live(arg, depth + 1) || live;
    }
    for (const Keyword *keyword : call.keywords) {
      live = is_live(keyword->value, depth + 1) || live;
    }
    return live;
  }

  const Site &site_;
  const With &with_;
  const Expr *sources_;
};

bool check_cut(Site &site, const Call &call, const With &with, const Expr *sources) {
  const auto *name = as<Name>(argument(call, 0, "target"));
  if (name == nullptr || !binds(&with, name->id)) {
    return false;
  }
  LiveSearch search(site, with, sources);
  if (search.is_live(name) || search.cut == nullptr) {
    return false;
  }
  const std::string what(text_of(site, search.cut->func));
  Finding &finding = report(
      site, *name,
      fmt::format("`{}` depends on the model only through `{}()`, which has no gradient, so the gradients are `None`",
                  name->id.text(), what),
      "compute the loss from the outputs of the model, with TensorFlow operations that have a gradient");
  add_note(finding, site, *search.cut, "the tape cannot follow this");
  return true;
}

// optimizer.minimize(loss, variables) of Keras takes a function, or the tape that has recorded the loss.
void check_minimize(Site &site, const Call &call) {
  const Expr *loss = argument(call, 0, "loss");
  if (loss == nullptr || site.module->is_test || has_hidden_arguments(call) ||
      keyword_argument(call, "tape") != nullptr || call.args.size() > 3 || model::kind_of(loss) != Kind::Tensor ||
      model::kind_of(receiver_of(call)) != Kind::KerasOptimizer) {
    return;
  }
  report(site, *loss, "`minimize()` needs a function that computes the loss, or the tape that has recorded it",
         fmt::format("compute the loss under a `tf.GradientTape` and pass `tape=tape`, or pass `lambda: {}`",
                     text_of(site, loss)));
}

// Does the function come to another gradient() of the tape before this one, on every way?
const Call *earlier_gradient(const Site &site, const Node *node, const Call &call, const With &with, Symbol tape) {
  const bool is_around = std::ranges::find(site.ancestors, node) != site.ancestors.end();
  const bool is_branch = node->kind == NodeKind::If || node->kind == NodeKind::For || node->kind == NodeKind::While ||
                         node->kind == NodeKind::Try || node->kind == NodeKind::IfExp || node->kind == NodeKind::Match;
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda || node->kind == NodeKind::ClassDef ||
      (is_branch && !is_around) || node->start > call.start || node->end <= with.start) {
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
  const Call *earlier = nullptr;
  if (has_gradient_between(site, tape.id, with, call)) {
    const Block &body = body_around(site);
    for (auto at = std::ranges::upper_bound(body, with.start, {}, [](const Stmt *one) { return one->end; });
         at != body.end() && (*at)->start <= call.start && earlier == nullptr; ++at) {
      earlier = earlier_gradient(site, *at, call, with, tape.id);
    }
  }
  const model::Loop *loop = loop_around(site);
  const bool is_repeated = loop != nullptr && !contains(loop->node, &with) && loop->node->start > with.start;
  if (earlier == nullptr && !is_repeated) {
    return false;
  }
  Finding &finding =
      report(site, call, "a tape that is not persistent computes gradients only once, so this call raises an error",
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
  if (called_method(call) == "minimize") {
    check_minimize(site, call);
    return;
  }
  const auto *tape = as<Name>(receiver_of(call));
  const Expr *sources = argument(call, 1, called_method(call) == "batch_jacobian" ? "source" : "sources");
  if (tape == nullptr || sources == nullptr) {
    return;
  }
  const With *with = tape_of(site, *tape, call.start);
  if (with == nullptr || check_target(site, call, *with, *tape) || check_again(site, call, *with, *tape) ||
      check_cut(site, call, *with, sources)) {
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

`tape.gradient(y, x)`, `jacobian` or `batch_jacobian` where `x` is a tensor that was created before the `with` block, and no `tape.watch(x)`:
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
    .calls = "KerasOptimizer.minimize GradientTape.gradient GradientTape.jacobian GradientTape.batch_jacobian",
    .on_call = check};

} // namespace deepperf::rules::tape_not_watching
