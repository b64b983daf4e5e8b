#include "rules/origin_bindings.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::batch_stats_dropped {

using namespace python;

namespace {

// Does `mutable=…` ask for the running averages of batch normalization?
bool asks_for_batch_stats(const Site &site, const Expr *given) {
  const auto *list = as<List>(given);
  const auto *tuple = as<Tuple>(given);
  if (list != nullptr || tuple != nullptr) {
    for (const Expr *item : list != nullptr ? list->elts : tuple->elts) {
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

// A name that the updates end in and that nothing reads.
struct Dropped {
  const model::FunctionInfo *function = nullptr;
  Symbol name;
  const Node *place = nullptr; // the name, where it is bound
};

// The name where the assignment that begins at the offset binds it.
const Node *bound_at(const FunctionDef &definition, u32 start, Symbol name) {
  const Node *found = nullptr;
  any_node(definition.body, [&](const Node *node) {
    const auto *plain = as<Name>(node);
    if (plain != nullptr && plain->id == name && plain->context == Context::Store && node->start >= start) {
      found = node;
    }
    return found != nullptr;
  });
  return found;
}

// Where a call of the loss function, through jax.value_and_grad, leaves the part of its result that is at the path.
Dropped dropped_by_caller(const Site &site, const model::CallSite &caller, const Path &path) {
  const FunctionDef *definition = caller.caller->definition();
  if (definition == nullptr) {
    return {};
  }
  // `(loss, (logits, updates)), grads = …`: the first part is what the loss function returned.
  std::vector<OriginPart> wanted = {{.key = {}, .index = 0}, {.key = {}, .index = static_cast<i32>(path.outer)}};
  if (path.inner != Path::kNone) {
    wanted.push_back({.key = {}, .index = static_cast<i32>(path.inner)});
  }
  bool is_gradient = false;
  visit_origins(site, *caller.caller, caller.call, [&](const Origin &origin) {
    is_gradient |= origin.is_gradient;
    return Onward::Stop;
  });
  if (!is_gradient) {
    wanted.erase(wanted.begin());
  }
  Dropped found;
  for (const OriginBinding *binding : bindings_of_value(site, *caller.caller, caller.call)) {
    if (binding->path == wanted) {
      found = {caller.caller, binding->name, bound_at(*definition, binding->start, binding->name)};
    }
  }
  return found.place != nullptr ? found : Dropped{};
}

// Does the project put updated statistics back into its state anywhere: `state.replace(batch_stats=…)`?
struct StatisticsKept {
  bool anywhere = false;
};

StatisticsKept find_kept(const model::Project &project) {
  StatisticsKept kept;
  for (const model::Module &module : project.modules) {
    for (const Stmt *statement : module.jax ? module.parsed->tree.body : Block{}) {
      any_node_inside(statement, [&](const Node *node) {
        const auto *call = as<Call>(node);
        const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
        kept.anywhere |= (method == "replace" || method == "_replace" || method == "apply_gradients") &&
                         keyword_argument(*call, "batch_stats") != nullptr;
        return kept.anywhere;
      });
    }
  }
  return kept;
}

bool keeps_statistics(const Site &site) {
  return site.memory.recall<StatisticsKept>(&site.project, [&] { return find_kept(site.project); }).anywhere;
}

// In the function, or in the one around it, whose loss it computes.
bool applies_gradients(const Site &site, const model::FunctionInfo *function) {
  for (; function != nullptr && function->definition() != nullptr; function = function->parent) {
    const bool applies = any_node(function->definition()->body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      return call != nullptr &&
             (called_method(*call) == "apply_gradients" || called_api(site, *call) == "optax.apply_updates");
    });
    if (applies) {
      return true;
    }
  }
  return false;
}

// Where the updates end, if nothing reads them: in the function itself, or in all that call it.
Dropped find_dropped(const Site &site, const FunctionDef &function, const Name &updates) {
  const u32 reads = reads_of(&function, updates.id);
  if (reads == 0) {
    return {site.function, updates.id, &updates};
  }
  const auto *result = reads == 1 && !function.body.empty() ? as<Return>(function.body.back()) : nullptr;
  const Path path = result != nullptr && result->value != nullptr ? path_in(result->value, updates.id) : Path{};
  if (!path.is_known()) {
    return {};
  }
  Dropped dropped;
  for (const model::CallSite *caller : site.function->called_by) {
    dropped = dropped_by_caller(site, *caller, path);
    // The name may be the one that an inner function reads once, to return it.
    const bool is_inner = dropped.place != nullptr && site.function->parent == dropped.function;
    const u32 expected = is_inner && dropped.name == updates.id ? 1 : 0;
    if (dropped.place == nullptr || reads_of(dropped.function->definition(), dropped.name) != expected) {
      return {};
    }
  }
  return dropped;
}

// `model.apply(…, mutable=["batch_stats"])[0]` in a training step
void check_first_only(Site &site, const Call &call) {
  const Keyword *given = keyword_argument(call, "mutable");
  const auto *first = !site.ancestors.empty() ? as<Subscript>(site.ancestors.back()) : nullptr;
  if (!site.module->jax || site.module->is_test || given == nullptr || first == nullptr || first->value != &call ||
      integer_of(site, first->slice) != std::optional<i64>(0) || !asks_for_batch_stats(site, given->value) ||
      keeps_statistics(site) || !applies_gradients(site, site.function)) {
    return;
  }
  Finding &finding =
      report(site, *first, "the updated batch statistics are discarded, so evaluation uses the initial ones",
             "keep them in the train state: `batch_stats=updates[\"batch_stats\"]`");
  add_note(finding, site, *given, "requested here");
}

void check(Site &site, const Call &call) {
  const Keyword *given = keyword_argument(call, "mutable");
  const FunctionDef *function = site.function != nullptr ? site.function->definition() : nullptr;
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  check_first_only(site, call);
  if (!site.module->jax || site.module->is_test || given == nullptr || function == nullptr || assignment == nullptr ||
      assignment->targets.size() != 1 || assignment->value != &call || !asks_for_batch_stats(site, given->value)) {
    return;
  }
  const auto *updates = as<Name>(element(assignment->targets[0], 1));
  const Dropped dropped = updates != nullptr ? find_dropped(site, *function, *updates) : Dropped{};
  if (dropped.place == nullptr) {
    return;
  }
  // `_` may be on purpose, as where another model is trained; not in a step that nobody else keeps them for.
  const bool is_underscore = dropped.name.text().starts_with("_");
  if (is_underscore && (keeps_statistics(site) || !applies_gradients(site, dropped.function))) {
    return;
  }
  Site place = site_of_origin(site, *dropped.function);
  Finding &finding =
      report(place, *dropped.place, "the updated batch statistics are discarded, so evaluation uses the initial ones",
             fmt::format("keep them in the train state: `batch_stats={}[\"batch_stats\"]`",
                         is_underscore ? "updates" : dropped.name.text()));
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
returns it, where the result of `value_and_grad` is unpacked. A name that starts with an underscore is assumed to be intended, unless the
same function applies gradients and nothing in the project keeps updated statistics.

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
