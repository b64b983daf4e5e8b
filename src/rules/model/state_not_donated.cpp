#include "rules/jax.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace deepperf::rules::state_not_donated {

using namespace python;
using model::Value;

namespace {

bool is_place(const Expr *expr) {
  return expr != nullptr && (expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute);
}

bool is_bound_by(const Site &site, const Expr *targets, std::string_view name) {
  const auto *tuple = as<Tuple>(targets);
  const auto is_it = [&](const Expr *target) { return is_place(target) && text_of(site, target) == name; };
  return tuple != nullptr ? std::ranges::any_of(tuple->elts, is_it) : is_it(targets);
}

// `state = out["state"]` in the loop, where `out` is what the step gave.
bool is_taken_from(const Site &site, const model::Loop &loop, const Expr *targets, std::string_view name) {
  const auto *result = as<Name>(targets);
  return result != nullptr && any_node(loop.node, [&](const Node *node) {
           const auto *assignment = as<Assign>(node);
           const auto *part = assignment != nullptr ? as<Subscript>(assignment->value) : nullptr;
           const auto *field = assignment != nullptr ? as<Attribute>(assignment->value) : nullptr;
           const auto *whole = as<Name>(part != nullptr ? part->value : field != nullptr ? field->value : nullptr);
           return whole != nullptr && whole->id == result->id && assignment->targets.size() == 1 &&
                  is_place(assignment->targets[0]) && text_of(site, assignment->targets[0]) == name;
         });
}

// The argument, or the object whose method it is, that the call's result replaces: `state` of
// `state, loss = step(state, batch)`.
const Expr *replaced_argument(const Site &site, const model::Loop &loop, const Assign &assignment, const Call &call) {
  std::vector<const Expr *> given(call.args.begin(), call.args.end());
  given.push_back(receiver_of(call));
  for (const Expr *arg : given) {
    if (is_place(arg) && (is_bound_by(site, assignment.targets[0], text_of(site, arg)) ||
                          is_taken_from(site, loop, assignment.targets[0], text_of(site, arg)))) {
      return arg;
    }
  }
  return nullptr;
}

// Does the function read an attribute of the parameter? A random key has none.
bool reads_fields(const model::FunctionInfo &function, u32 position) {
  return function.definition() != nullptr && position < function.params.size() &&
         any_node(function.definition()->body, [&](const Node *node) {
           const auto *field = as<Attribute>(node);
           const auto *owner = field != nullptr ? as<Name>(field->value) : nullptr;
           return owner != nullptr && owner->id == function.params[position]->name;
         });
}

// `new_actor, info = step(self.actor, batch)` and then `self.actor = new_actor`, in a function that a loop calls.
const Expr *stored_back(const Site &site, const Assign &assignment, const Call &call, const model::FunctionInfo &step) {
  const FunctionDef *const definition = site.function->definition();
  const auto *results = as<Tuple>(assignment.targets[0]);
  std::vector<const Expr *> replaced;
  for (u32 i = 0; i < call.args.size(); ++i) {
    const Expr *const arg = call.args[i];
    const bool is_replaced =
        definition != nullptr && results != nullptr && arg->kind == NodeKind::Attribute &&
        std::ranges::any_of(definition->body, [&](const Stmt *statement) {
          const auto *store = as<Assign>(statement);
          const auto *value = store != nullptr && store->start > assignment.end ? as<Name>(store->value) : nullptr;
          return value != nullptr && store->targets.size() == 1 &&
                 text_of(site, store->targets[0]) == text_of(site, arg) && is_bound_by(site, results, value->id.text());
        });
    if (is_replaced && reads_fields(step, i)) {
      return arg;
    }
    if (is_replaced) {
      replaced.push_back(arg);
    }
  }
  return replaced.size() > 1 ? replaced[1] : nullptr;
}

// A layer whose table of parameters alone is large: then the second copy of the state takes hundreds of megabytes.
struct LargeLayer {
  const Call *call = nullptr;
};

// `nn.Embed(50257, 1024)` in the file, with sizes that are written down or are the defaults of its settings.
const LargeLayer &large_layer_in(const Site &site, const model::Module &module) {
  return site.memory.recall<LargeLayer>(&module, [&] {
    constexpr double kManyParameters = 1 << 25; // with two moments of Adam 400 MB as float32
    LargeLayer found;
    for (const Stmt *statement : module.parsed->tree.body) {
      any_node_inside(statement, [&](const Node *node) {
        const auto *call = as<Call>(node);
        const std::string_view api = call != nullptr && call->fact != 0 ? called_api(site, *call) : std::string_view{};
        if (api != "flax.linen.Embed" && api != "flax.nnx.Embed" && api != "haiku.Embed") {
          return false;
        }
        const Site there = site_of(site, *call);
        const auto size = [&](u32 position, std::string_view keyword) {
          const std::optional<model::ConstantValue> value =
              setting_of(there, argument_of(there, *call, position, keyword), model::ConstantValue::none());
          return value.has_value() ? value->as_number().value_or(0) : 0;
        };
        const double rows = size(0, api == "haiku.Embed" ? "vocab_size" : "num_embeddings");
        const double width = size(1, api == "haiku.Embed" ? "embed_dim" : "features");
        found.call = rows * width >= kManyParameters ? call : nullptr;
        return found.call != nullptr;
      });
      if (found.call != nullptr) {
        break;
      }
    }
    return found;
  });
}

// Which compiled functions were reported: each is, once.
struct Known {
  mutable bool is_reported = false;
};

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *call = as<Call>(assignment.value);
  if (!site.module->jax || site.module->is_test || call == nullptr || call->fact == 0 ||
      assignment.targets.size() != 1) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const bool is_method = loop == nullptr && site.function != nullptr && site.function->in_loop;
  const Value callee =
      (loop != nullptr || is_method) && runs_compiled_jax(site.project, *call) ? site.project.callee_of(call) : Value{};
  if (!callee.is(Value::Tag::Function) && !callee.is(Value::Tag::Method)) {
    return;
  }
  const model::FunctionInfo &step = *callee.function;
  const auto &module_text = step.module->parsed->source;
  const std::string_view compiler = module_text.part(step.compiled_at->start, step.compiled_at->end);
  constexpr std::string_view kGradient[] = {"grad"};
  constexpr std::string_view kOptimizer[] = {"apply_gradients(", "opt_state", "optimizer_state"};
  const Site inside = site_of_origin(site, step);
  if (has_word(compiler, {"donate", "filter_jit", "nnx"}) || step.node == nullptr ||
      !reaches_word(inside, *step.node, Words(kGradient)) || !reaches_word(inside, *step.node, Words(kOptimizer))) {
    return;
  }
  const Expr *state =
      loop != nullptr ? replaced_argument(site, *loop, assignment, *call) : stored_back(site, assignment, *call, step);
  note_read_everything(); // whoever comes first tells
  const Known &known = site.memory.recall<Known>(&step, [] { return Known{}; });
  if (state == nullptr || known.is_reported) {
    return;
  }
  known.is_reported = true;
  Finding &finding = report(
      site.findings, *site.rule, *step.module, step.compiled_at->span(),
      fmt::format("the old and the new `{}` are in memory at the same time, as the step does not donate its input",
                  text_of(site, state)),
      "let JAX reuse the buffers: `@functools.partial(jax.jit, donate_argnums=(0,))`, and do not use the old state "
      "again");
  finding.notes.push_back({site.module->file, call->span(), "the result replaces it here"});
  const LargeLayer &layer = large_layer_in(site, *step.module);
  if (layer.call != nullptr) {
    finding.notes.push_back(
        {step.module->file, layer.call->span(), "this layer alone has tens of millions of parameters"});
  } else {
    finding.tier = Tier::Hint; // it may be a small model
  }
}

} // namespace

extern constinit const Rule kStateNotDonated = {
    .info = {.code = "DP225",
             .name = "state-not-donated",
             .summary = "a compiled JAX training step that keeps the old state next to the new one",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A training step with optimizer state under `jax.jit` or `jax.pmap`, without `donate_argnums` or `donate_argnames`, whose result replaces one of its arguments in a
loop: `state, loss = train_step(state, batch)`. It matters for large models only, so it is a
hint unless an embedding in the same file is known to have more than 30 million parameters.

## Why it costs

JAX arrays are immutable, so the step allocates new parameters and optimizer state while the caller still holds the old ones: the state takes
twice its memory. A donated argument gives its buffers to the result.

## Bad

```python
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


@jax.jit
def train_step(params, opt_state, batch):
    grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def train(params, batches):
    opt_state = optimizer.init(params)
    for batch in batches:
        params, opt_state = train_step(params, opt_state, batch)
    return params
```

## Good

```python
import functools

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def train_step(params, opt_state, batch):
    grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def train(params, batches):
    opt_state = optimizer.init(params)
    for batch in batches:
        params, opt_state = train_step(params, opt_state, batch)
    return params
```

## When it is wrong

Where the old state is used again, as for a checkpoint that is written in the background.

## References

- JAX documentation, "Buffer donation"
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::state_not_donated
