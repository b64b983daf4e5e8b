#include "rules/origin_bindings.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::scan_stacks_parameters {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

bool is_update(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  return api == "optax.apply_updates" || api == "equinox.apply_updates" || called_method(call) == "apply_gradients";
}

// The new parameters or the new train state, where they are a part of what the body returns at the place: 0 for what it
// carries, 1 for what scan stacks.
std::vector<const Call *> updates_in(const Site &site, const FunctionInfo &body, i32 place) {
  std::vector<const Call *> found;
  visit_result_origins(site, body, {{.key = {}, .index = place}}, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const Site there = site_of_origin(site, *origin.function);
    if (call != nullptr && origin.path.empty() && is_update(there, *call)) {
      found.push_back(call);
    }
    const bool is_record = call != nullptr && site.project.callee_of(call).is(Value::Tag::Class);
    return is_record || (origin.expr->kind == NodeKind::Attribute && origin.path.empty()) ? Onward::Through
                                                                                          : Onward::Stop;
  });
  return found;
}

// What the body returns for scan to stack: the second of a pair.
const Expr *stacked_by(const FunctionInfo &body) {
  const FunctionDef *definition = body.definition();
  const auto *result =
      definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
  const auto *pair = result != nullptr ? as<Tuple>(result->value) : nullptr;
  return pair != nullptr && pair->elts.size() == 2 ? pair->elts[1] : nullptr;
}

bool is_last_of(const Node *node) {
  const auto *element = as<Subscript>(node);
  const auto *negative = element != nullptr ? as<UnaryOp>(element->slice) : nullptr;
  return negative != nullptr && negative->op() == UnaryOperator::USub;
}

bool comes_from(const Site &site, const FunctionInfo &function, const Expr *expr, const Call *update) {
  bool found = false;
  visit_origins(site, function, expr, [&](const Origin &origin) {
    found |= origin.expr == update;
    return origin.expr->kind == NodeKind::Attribute ? Onward::Through : Onward::Stop;
  });
  return found;
}

// Which entry of what is stacked has the parameters: `{"loss": loss, "params": params}`, `(loss, params)`.
OriginPart part_with(const Site &site, const FunctionInfo &body, const Expr *stacked, const Call *update) {
  if (const auto *name = as<Name>(stacked)) {
    bool is_settled = false;
    const auto bound = bindings_before(site, body, name->id, name->start, is_settled);
    stacked = bound.size() == 1 && bound[0]->path.empty() ? bound[0]->value : stacked;
  }
  const Site there = site_of_origin(site, body);
  if (const auto *dict = as<Dict>(stacked)) {
    for (const DictItem &item : dict->items) {
      const auto key = item.key != nullptr ? string_of(there, item.key) : std::nullopt;
      if (key.has_value() && comes_from(site, body, item.value, update)) {
        return {.key = intern(*key)};
      }
    }
  }
  const auto *tuple = as<Tuple>(stacked);
  for (u32 i = 0; tuple != nullptr && i < tuple->elts.size(); ++i) {
    if (comes_from(site, body, tuple->elts[i], update)) {
      return {.key = {}, .index = static_cast<i32>(i)};
    }
  }
  return {};
}

// Is that part of what the call stacks read nowhere, or only its last step: `jax.tree.map(lambda leaf: leaf[-1], …)`?
bool is_last_wanted(const Site &site, const FunctionInfo &function, const Call &call, const OriginPart &part) {
  const FunctionDef *definition = function.definition();
  const Site there = site_of_origin(site, function);
  bool is_bound = false;
  u32 reads = 0;
  for (const OriginBinding *binding :
       definition != nullptr ? bindings_of_value(site, function, &call) : std::vector<const OriginBinding *>{}) {
    const std::vector<OriginPart> &path = binding->path;
    const bool is_exact = path.size() == 2 && path[0].index == 1 && !part.key && path[1].index == part.index;
    const bool is_whole = path.size() == 1 && path[0].index == 1;
    if (!is_exact && !is_whole) {
      is_bound |= !path.empty();
      continue;
    }
    is_bound = true;
    any_node_inside(definition, [&](const Node *node) {
      const auto *name = as<Name>(node);
      const auto *entry = as<Subscript>(node);
      const auto *of = entry != nullptr ? as<Name>(entry->value) : nullptr;
      const auto *use = as<Call>(node);
      const std::string_view method = use != nullptr ? called_method(*use) : std::string_view{};
      const auto *lambda = use != nullptr && use->args.size() == 2 ? as<Lambda>(use->args[0]) : nullptr;
      reads += name != nullptr && name->id == binding->name && name->context == Context::Load ? 1 : 0;
      if (of != nullptr && of->id == binding->name && part.key && is_whole) {
        const std::optional<std::string> key = string_of(there, entry->slice);
        reads -= key.has_value() && *key != part.key.text() ? 1 : 0; // another entry
      }
      if (lambda != nullptr && (method == "map" || method == "tree_map") && is_last_of(lambda->body) &&
          mentions(use->args[1], binding->name)) {
        --reads;
      }
      return false;
    });
  }
  return is_bound && reads == 0;
}

void check(Site &site, const Call &call) {
  if (call.args.size() < 2 || site.module->is_test || site.function == nullptr) {
    return;
  }
  const Value value = call.args[0]->kind == NodeKind::Lambda ? Value{} : value_of(site, call.args[0]);
  if (!value.is(Value::Tag::Function) && !value.is(Value::Tag::Method)) {
    return;
  }
  const FunctionInfo &body = *value.function;
  const Expr *stacked = stacked_by(body);
  if (stacked == nullptr) {
    return;
  }
  const std::vector<const Call *> outputs = updates_in(site, body, 1);
  const std::vector<const Call *> carried = updates_in(site, body, 0);
  const auto both =
      std::ranges::find_if(outputs, [&](const Call *one) { return std::ranges::find(carried, one) != carried.end(); });
  if (both == outputs.end()) {
    return;
  }
  const OriginPart part = part_with(site, body, stacked, *both);
  bool is_last = is_last_wanted(site, *site.function, call, part);
  // Where the result is handed on, as `return jax.lax.scan(…)`, it is up to the callers.
  if (!site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Return) {
    is_last = !site.function->called_by.empty() &&
              std::ranges::all_of(site.function->called_by, [&](const model::CallSite *caller) {
                return is_last_wanted(site, *caller->caller, *caller->call, part);
              });
  }
  Site place = site_of_origin(site, body);
  Finding &finding =
      report(place, *stacked,
             "`jax.lax.scan` stacks what each step returns here, so a copy of all parameters is kept for every step",
             "return only what each step measures; the last parameters are in the carry");
  finding.notes.push_back({site.module->file, call.span(), "the scan"});
  finding.notes.push_back({body.module->file, (*both)->span(), "the parameters, which the carry contains as well"});
  if (!is_last) {
    finding.tier = Tier::Hint; // perhaps somebody wants the parameters of every step
  }
}

} // namespace

extern constinit const Rule kScanStacksParameters = {
    .info = {.code = "DP281",
             .name = "scan-stacks-parameters",
             .summary = "a `jax.lax.scan` over training steps that stacks the parameters of every step",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Out of Memory",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A body of `jax.lax.scan` whose second result, which `scan` stacks for all steps, contains the parameters or the train state that the step has
just updated, although the carry has them too. It is a hint unless nothing but the last step is read of what is stacked.

## Why it costs

Memory for the stacked result is allocated for all steps at once: a scan over 200 steps holds 200 copies of all weights.

## Bad

```python
import jax
import optax

tx = optax.adam(1e-3)


def loss_fn(params, batch):
    return ((batch @ params) ** 2).mean()


def run(params, state, batches):
    def body(carry, batch):
        params, state = carry
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        updates, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        return (params, state), (loss, params)

    carry, (losses, history) = jax.lax.scan(body, (params, state), batches)
    return jax.tree.map(lambda leaf: leaf[-1], history), losses
```

## Good

```python
import jax
import optax

tx = optax.adam(1e-3)


def loss_fn(params, batch):
    return ((batch @ params) ** 2).mean()


def run(params, state, batches):
    def body(carry, batch):
        params, state = carry
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        updates, state = tx.update(grads, state, params)
        return (optax.apply_updates(params, updates), state), loss

    (params, state), losses = jax.lax.scan(body, (params, state), batches)
    return params, losses
```

## When it is wrong

Where the parameters of all steps are needed, as for averaging checkpoints.

## References

- JAX documentation of `jax.lax.scan`
)"},
    .calls = "jax.lax.scan",
    .on_call = check};

} // namespace deepperf::rules::scan_stacks_parameters
