#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::persistent_tape {

using namespace python;

namespace {

bool is_true(const Expr *expr) {
  const auto *constant = as<Constant>(expr);
  return constant != nullptr && constant->constant_kind() == ConstantKind::True;
}

// What is done with the tape in the function: gradients taken of it, inside and outside of its `with`.
struct Uses {
  u32 gradients = 0;
  u32 repeated = 0; // in a loop, or in a function that is called later, perhaps several times
  u32 inside_block = 0;
  bool is_other = false; // handed to somebody, kept
  const Call *inside = nullptr;
};

void count(const Node *node, Symbol tape, const With &with, bool repeated, Uses &uses) {
  const bool is_loop = node->kind == NodeKind::For || node->kind == NodeKind::While ||
                       node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda ||
                       (node->kind >= NodeKind::ListComp && node->kind <= NodeKind::GeneratorExp);
  if (const auto *call = as<Call>(node)) {
    const auto *receiver = as<Name>(receiver_of(*call));
    if (receiver != nullptr && receiver->id == tape) {
      const std::string_view method = called_method(*call);
      if (method == "gradient" || method == "jacobian" || method == "batch_jacobian") {
        ++uses.gradients;
        uses.repeated += repeated ? 1 : 0;
        const bool is_inside = with.start <= call->start && call->end <= with.end;
        uses.inside_block += is_inside ? 1 : 0;
        uses.inside = uses.inside == nullptr && is_inside ? call : uses.inside;
      }
      for (const Expr *arg : call->args) {
        count(arg, tape, with, repeated, uses);
      }
      return;
    }
  }
  if (const auto *name = as<Name>(node); name != nullptr && name->id == tape && name->context == Context::Load) {
    uses.is_other = true;
  }
  for_each_child(node, [&](const Node *child) { count(child, tape, with, repeated || is_loop, uses); });
}

// Is the gradient itself differentiated? Then it has to be taken inside of the outer tape.
bool is_inner_tape(const Site &site, const With &with) {
  const auto is_with = [&](const Node *node) { return node->kind == NodeKind::With && node != &with; };
  return std::ranges::any_of(site.ancestors, is_with) ||
         any_node(with.body, [&](const Node *node) { return is_with(node); }) || with.items.size() > 1;
}

void check(Site &site, const Node &node) {
  const auto &with = static_cast<const With &>(node);
  if (!site.module->tensorflow || site.module->is_test || with.items.empty() || site.function == nullptr) {
    return;
  }
  const auto *call = as<Call>(with.items[0].context_expr);
  const auto *tape = as<Name>(with.items[0].optional_vars);
  if (call == nullptr || tape == nullptr || called_api(site, *call) != "tensorflow.GradientTape") {
    return;
  }
  const Keyword *persistent = keyword_argument(*call, "persistent");
  if (!is_true(persistent != nullptr ? persistent->value
               : call->args.empty()  ? nullptr
                                     : call->args[0]) ||
      is_inner_tape(site, with)) {
    return;
  }
  Uses uses;
  const auto look = [&](const Block &body) {
    for (const Stmt *statement : body) {
      count(statement, tape->id, with, false, uses);
    }
  };
  look(site.function->definition() != nullptr ? site.function->definition()->body : site.module->parsed->tree.body);
  // Gradients that are taken later may be those of the first ones.
  if (uses.inside != nullptr && uses.inside_block == uses.gradients && uses.repeated == 0) {
    Finding &finding = report(site, *uses.inside, "the persistent tape also records the computation of its gradients",
                              "call `gradient()` after the `with` block, unless you need second derivatives");
    add_note(finding, site, *call, "the tape");
    return;
  }
  if (uses.gradients == 1 && uses.repeated == 0 && !uses.is_other) {
    Finding &finding =
        report(site, *call, "the persistent tape keeps all intermediate tensors, but only one gradient is taken of it",
               "omit `persistent=True`: the tape then frees them as the gradient is computed");
    if (persistent != nullptr) {
      if (const std::optional<Edit> edit = remove_argument(site, *call, *persistent)) {
        set_fix(finding, true, {*edit});
      }
    }
  }
}

} // namespace

extern constinit const Rule kPersistentTape = {
    .info = {.code = "DP247",
             .name = "persistent-tape",
             .summary = "a persistent `GradientTape` that is used once, or records its own gradients",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`tf.GradientTape(persistent=True)` of which one gradient is taken, and `gradient()` of a persistent tape inside of its own `with` block.
Nested tapes, which compute second derivatives, are not reported.

## Why it costs

A persistent tape keeps all intermediate tensors of the forward pass until it is deleted; a plain one frees them while it computes the
gradient. Inside the block a persistent tape keeps recording, so it also records the operations of the backward pass.

## Bad

```python
import tensorflow as tf


def gradients(model, x, y):
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    return tape.gradient(loss, model.trainable_variables)
```

## Good

```python
import tensorflow as tf


def gradients(model, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    return tape.gradient(loss, model.trainable_variables)
```

## When it is wrong

Where the gradient inside of the block is differentiated itself.

## References

- TensorFlow API documentation, `tf.GradientTape`: `persistent`
)"},
    .nodes = {NodeKind::With},
    .on_node = check};

} // namespace deepperf::rules::persistent_tape
