#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::batch_stats_dropped {

using namespace python;

namespace {

// Does `mutable=…` ask for the running averages of batch normalization?
bool asks_for_batch_stats(const Site &site, const Expr *given) {
  if (const auto *list = as<List>(given)) {
    for (const Expr *item : list->elts) {
      if (string_of(site, item) == "batch_stats") {
        return true;
      }
    }
    return false;
  }
  return string_of(site, given) == "batch_stats";
}

u32 reads_of(const Node *scope, Symbol name) {
  u32 count = 0;
  any_node_inside(scope, [&](const Node *node) {
    const auto *plain = as<Name>(node);
    count += plain != nullptr && plain->id == name && plain->context == Context::Load ? 1 : 0;
    return false;
  });
  return count;
}

// Where a name stands in what a function returns: `return loss, (logits, updates)` gives 1, 1.
struct Path {
  static constexpr u32 kNone = ~0U;
  u32 outer = kNone;
  u32 inner = kNone;

  [[nodiscard]] bool is_known() const { return outer != kNone; }
};

Path path_in(const Expr *value, Symbol name) {
  const auto is_it = [name](const Expr *expr) {
    const auto *plain = as<Name>(expr);
    return plain != nullptr && plain->id == name;
  };
  const auto *tuple = as<Tuple>(value);
  for (u32 i = 0; tuple != nullptr && i < tuple->elts.size(); ++i) {
    if (is_it(tuple->elts[i])) {
      return Path{.outer = i};
    }
    const auto *nested = as<Tuple>(tuple->elts[i]);
    for (u32 j = 0; nested != nullptr && j < nested->elts.size(); ++j) {
      if (is_it(nested->elts[j])) {
        return Path{.outer = i, .inner = j};
      }
    }
  }
  return {};
}

const Expr *element(const Expr *target, u32 index) {
  const auto *tuple = as<Tuple>(target);
  return tuple != nullptr && index < tuple->elts.size() ? tuple->elts[index] : nullptr;
}

// The name that takes the updates out of `(loss, (logits, updates)), grads = grad_fn(params)`.
const Name *unpacked(const FunctionDef &outer, const FunctionDef &loss, const Path &path) {
  const Name *found = nullptr;
  u32 places = 0;
  for (const Stmt *statement : outer.body) {
    any_node(statement, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *call = assignment != nullptr ? as<Call>(assignment->value) : nullptr;
      if (call == nullptr || assignment->targets.size() != 1 || assignment->start < loss.end) {
        return false;
      }
      const Expr *result = element(assignment->targets[0], 0); // what the differentiated function returned
      const Expr *part = result != nullptr ? element(result, path.outer) : nullptr;
      part = part != nullptr && path.inner != Path::kNone ? element(part, path.inner) : part;
      if (const auto *name = as<Name>(part)) {
        found = name;
        ++places;
      }
      return false;
    });
  }
  return places == 1 ? found : nullptr;
}

void check(Site &site, const Call &call) {
  const Keyword *given = keyword_argument(call, "mutable");
  const FunctionDef *function = site.function != nullptr ? site.function->definition() : nullptr;
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  if (!site.module->jax || site.module->is_test || given == nullptr || function == nullptr || assignment == nullptr ||
      assignment->targets.size() != 1 || assignment->value != &call || !asks_for_batch_stats(site, given->value)) {
    return;
  }
  const auto *updates = as<Name>(element(assignment->targets[0], 1));
  if (updates == nullptr || updates->id.text().starts_with("_")) {
    return; // dropped on purpose
  }
  const Name *dropped = reads_of(function, updates->id) == 0 ? updates : nullptr;
  const FunctionDef *outer = site.function->parent != nullptr ? site.function->parent->definition() : nullptr;
  if (dropped == nullptr && outer != nullptr && !function->body.empty()) {
    const auto *result = as<Return>(function->body.back());
    const Path path = result != nullptr && result->value != nullptr ? path_in(result->value, updates->id) : Path{};
    const Name *taken =
        path.is_known() && reads_of(function, updates->id) == 1 ? unpacked(*outer, *function, path) : nullptr;
    // It may have the name that the inner function reads once, to return it.
    const u32 expected = taken != nullptr && taken->id == updates->id ? 1 : 0;
    if (taken != nullptr && !taken->id.text().starts_with("_") && reads_of(outer, taken->id) == expected) {
      dropped = taken;
    }
  }
  if (dropped == nullptr) {
    return;
  }
  Finding &finding =
      report(site, *dropped, "the updated batch statistics are discarded, so evaluation uses the initial ones",
             fmt::format("keep them in the train state: `batch_stats={}[\"batch_stats\"]`", dropped->id.text()));
  add_note(finding, site, *given, "requested here");
}

} // namespace

extern constinit const Rule kBatchStatsDropped = {
    .info = {.code = "DP852",
             .name = "batch-stats-dropped",
             .summary = "Flax batch statistics that are computed and not kept",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`logits, updates = model.apply(…, mutable=["batch_stats"])` where nothing reads `updates`: in the function itself or, if a loss function
returns it, where the result of `value_and_grad` is unpacked. A name that starts with an underscore is assumed to be intended.

## Why it is wrong

Flax Linen modules are immutable. The running mean and variance of batch normalization are returned as `updates` and must be stored in the
train state. Otherwise evaluation normalizes with the initial mean 0 and variance 1. Flax NNX modules update their statistics in place and
are not affected.

## Bad

```python
import jax


@jax.jit
def train_step(state, batch):
    def loss_fn(params):
        variables = {"params": params, "batch_stats": state.batch_stats}
        logits, updates = state.apply_fn(variables, batch["x"], mutable=["batch_stats"])
        return ((logits - batch["y"]) ** 2).mean(), updates

    (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads), loss
```

## Good

```python
import jax


@jax.jit
def train_step(state, batch):
    def loss_fn(params):
        variables = {"params": params, "batch_stats": state.batch_stats}
        logits, updates = state.apply_fn(variables, batch["x"], mutable=["batch_stats"])
        return ((logits - batch["y"]) ** 2).mean(), updates

    (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads, batch_stats=updates["batch_stats"]), loss
```

## When it is wrong

Where the averages are computed in a separate pass.

## References

- Flax documentation "Batch normalization"
)"},
    .calls = "*.apply *.apply_fn",
    .on_call = check};

} // namespace deepperf::rules::batch_stats_dropped
