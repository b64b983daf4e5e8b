#include "model/bind.h"
#include "model/variance.h"
#include "rules/static_arguments.h"
#include "rules/thin.h"
#include "rules/tracing.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace deepperf::rules::donated_buffer_kept {

using namespace python;

namespace {

using model::FunctionInfo;
using model::Value;

// Which parameters a compiled function takes over, as bits; 0 if that is not known.
u64 donated_by(const Site &site, const FunctionInfo &function) {
  const StaticParameters donated = donated_parameters(site, function);
  return donated.unknown ? 0 : donated.bits;
}

// The calls in a loop that donate some of their arguments.
struct DonatingCalls {
  struct One {
    const Assign *assignment = nullptr;
    const Call *call = nullptr;
    u64 bits = 0; // of its arguments
  };
  std::vector<One> all;
};

const DonatingCalls &donating_calls(const Site &site, const For &loop) {
  return site.memory.recall<DonatingCalls>(&loop, [&] {
    DonatingCalls found;
    any_node(loop.body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
      const Value callee = call != nullptr ? site.project.callee_of(call) : Value{};
      if (!callee.is(Value::Tag::Function) && !callee.is(Value::Tag::Method)) {
        return false;
      }
      const bool is_bound =
          callee.is(Value::Tag::Method) && callee.function->type != nullptr && !callee.function->is_static;
      if (const u64 bits = donated_by(site, *callee.function) >> (is_bound ? 1 : 0); bits != 0) {
        found.all.push_back({assignment, call, bits});
      }
      return false;
    });
    return found;
  });
}

// The call in the loop that donates what the name holds, and binds it to the result.
const Call *donates(const Site &site, const For &loop, Symbol name) {
  constexpr std::size_t kMostCalls = 64; // many names may be asked about
  const std::vector<DonatingCalls::One> &calls = donating_calls(site, loop).all;
  if (calls.size() > kMostCalls) {
    return nullptr;
  }
  for (const DonatingCalls::One &one : calls) {
    for (u32 i = 0; i < one.call->args.size() && i < 64; ++i) {
      const auto *passed = as<Name>(one.call->args[i]);
      if (passed != nullptr && passed->id == name && (one.bits >> i & 1U) != 0 &&
          std::ranges::any_of(one.assignment->targets, [&](const Expr *target) { return mentions(target, name); })) {
        return one.call;
      }
    }
  }
  return nullptr;
}

// `state`, `state.params`, `state.params["w"]`: the buffers themselves.
const Name *kept_buffer(const Expr *expr) {
  while (expr->kind == NodeKind::Attribute || expr->kind == NodeKind::Subscript) {
    expr = expr->kind == NodeKind::Attribute ? static_cast<const Attribute *>(expr)->value
                                             : static_cast<const Subscript *>(expr)->value;
  }
  return as<Name>(expr);
}

void check_pair(Site &site, const Expr *target, const Expr *value, const For &loop) {
  const Name *buffer = kept_buffer(value);
  const auto *entry = as<Subscript>(target); // best["params"] = state.params
  const auto *kept = as<Name>(entry != nullptr ? entry->value : target);
  if (buffer == nullptr || (kept == nullptr && target->kind != NodeKind::Attribute) ||
      (kept != nullptr && kept->id == buffer->id)) {
    return;
  }
  if (const auto *attribute = as<Attribute>(value); attribute != nullptr && attribute->attr.text() == "step") {
    return;
  }
  const Call *call = donates(site, loop, buffer->id);
  if (call == nullptr) {
    return;
  }
  // Something that only this iteration reads before the next donation is harmless.
  const bool is_read_later =
      kept == nullptr ||
      (site.function != nullptr && any_node(site.function->definition() != nullptr ? site.function->definition()->body
                                                                                   : site.module->parsed->tree.body,
                                            [&](const Node *node) {
                                              const auto *name = as<Name>(node);
                                              return name != nullptr && name->id == kept->id &&
                                                     name->context == Context::Load && name->start > loop.end;
                                            }));
  if (!is_read_later) {
    return;
  }
  Finding &finding = report(
      site, *value,
      fmt::format("`{}` keeps buffers that the next step takes over, so they are deleted when they are read later",
                  text_of(site, target)),
      fmt::format("keep a copy: `jax.tree_util.tree_map(jnp.copy, {})`", text_of(site, value)));
  add_note(finding, site, *call, "the argument is donated here");
}

// best.update(params=state.params), history.append(state)
void check_call(Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  const auto *keeper = method == "update" || method == "append" ? as<Name>(receiver_of(call)) : nullptr;
  if (keeper == nullptr || !site.module->jax || site.module->is_test) {
    return;
  }
  for (const Node *ancestor : site.ancestors) {
    const auto *loop = as<For>(ancestor);
    if (loop == nullptr) {
      continue;
    }
    if (method == "append" && call.args.size() == 1) {
      check_pair(site, keeper, call.args[0], *loop);
    }
    for (const Keyword *keyword : call.keywords) {
      if (method == "update" && keyword->name) {
        check_pair(site, keeper, keyword->value, *loop);
      }
    }
  }
}

// The statements after one in its own block.
std::vector<const Stmt *> statements_after(const Site &site, const Stmt &statement) {
  const Node *parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  const auto *loop = as<For>(parent);
  const auto *repeated = as<While>(parent);
  const auto *definition = as<FunctionDef>(parent);
  const Block block = loop != nullptr         ? loop->body
                      : repeated != nullptr   ? repeated->body
                      : definition != nullptr ? definition->body
                                              : Block{};
  std::vector<const Stmt *> after;
  for (const Stmt *one : block) {
    if (one->start > statement.start) {
      after.push_back(one);
    }
  }
  return after;
}

// `new, state = step(params, state)` and `params` once more: its buffers are gone.
void check_read_after(Site &site, const Assign &assignment) {
  const auto *call = as<Call>(assignment.value);
  const Value callee = call != nullptr && call->fact != 0 ? site.project.callee_of(call) : Value{};
  if ((!callee.is(Value::Tag::Function) && !callee.is(Value::Tag::Method)) || callee.function->compiled_at == nullptr) {
    return;
  }
  const u64 bits = donated_by(site, *callee.function);
  const bool is_bound = callee.function->type != nullptr && !callee.function->is_static;
  for (u32 i = 0; bits != 0 && i < callee.function->params.size() && i < 63; ++i) {
    const auto *given =
        (bits >> i & 1U) != 0 ? as<Name>(model::passed_argument(*call, *callee.function, is_bound, i)) : nullptr;
    const auto binds = [&](const Expr *target) { return given != nullptr && mentions(target, given->id); };
    if (given == nullptr || std::ranges::any_of(assignment.targets, binds)) {
      continue;
    }
    const Node *read = nullptr;
    for (const Stmt *next : statements_after(site, assignment)) {
      bool is_bound_again = false;
      any_node(static_cast<const Node *>(next), [&](const Node *node) {
        const auto *name = as<Name>(node);
        const bool is_it = name != nullptr && name->id == given->id;
        read = is_it && name->context == Context::Load && read == nullptr ? node : read;
        is_bound_again |= is_it && name->context != Context::Load;
        return false;
      });
      if (read != nullptr || is_bound_again) {
        break;
      }
    }
    if (read != nullptr) {
      Finding &finding = report(
          site, *read,
          fmt::format("`{}` was donated, so its buffers are deleted when it is read here", given->id.text()),
          fmt::format("compute this before the call, or pass a copy: `jax.tree.map(jnp.copy, {})`", given->id.text()));
      add_note(finding, site, *call, "the argument is donated here");
      return;
    }
  }
}

void check(Site &site, const Node &node) {
  if (const auto *assignment = as<Assign>(&node); assignment != nullptr && site.module->jax && !site.module->is_test) {
    check_read_after(site, *assignment);
  }
  if (const auto *call = as<Call>(&node)) {
    check_call(site, *call);
    return;
  }
  const auto &assignment = static_cast<const Assign &>(node);
  if (!site.module->jax || site.module->is_test || assignment.targets.size() != 1) {
    return;
  }
  const For *loop = nullptr;
  for (const Node *ancestor : site.ancestors) {
    loop = ancestor->kind == NodeKind::For ? static_cast<const For *>(ancestor) : loop;
    if (loop != nullptr && ancestor == loop) {
      const auto *targets = as<Tuple>(assignment.targets[0]);
      const auto *values = as<Tuple>(assignment.value);
      if (targets != nullptr && values != nullptr && targets->elts.size() == values->elts.size()) {
        for (u32 i = 0; i < targets->elts.size(); ++i) {
          check_pair(site, targets->elts[i], values->elts[i], *loop);
        }
      } else if (targets == nullptr) {
        check_pair(site, assignment.targets[0], assignment.value, *loop);
      }
    }
  }
}

} // namespace

extern constinit const Rule kDonatedBufferKept = {
    .info = {.code = "DP954",
             .name = "donated-buffer-kept",
             .summary = "a JAX array that is kept, or used again, after it was donated to a compiled function",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`best = state` or `best = state.params` in a loop that passes `state` to a function compiled with `donate_argnums`, where `best` is read after the
loop.

Also an argument that is read again after the call that donated it.

## Why it is wrong

A donated buffer belongs to the compiled function, which writes its result there. Code that keeps a reference to it gets "Array has been deleted",
or, on backends without donation, works by accident.

## Bad

```python
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, donate_argnums=0)
def train_step(state, x):
    return state - 0.1 * x, jnp.mean(state)


def train(state, batches):
    kept = None
    for step, x in enumerate(batches):
        state, loss = train_step(state, x)
        if step % 1000 == 0:
            kept = state
    return kept
```

## Good

```python
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, donate_argnums=0)
def train_step(state, x):
    return state - 0.1 * x, jnp.mean(state)


def train(state, batches):
    kept = None
    for step, x in enumerate(batches):
        state, loss = train_step(state, x)
        if step % 1000 == 0:
            kept = jnp.copy(state)
    return kept
```

## When it is wrong

Where the loop always ends in the iteration that keeps the state.

## References

- JAX documentation, "Buffer donation"
)"},
    .nodes = {NodeKind::Assign, NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::donated_buffer_kept
