#include "rules/site.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::control_flow_contract {

using namespace python;

namespace {

using model::FunctionInfo;
using model::Value;

const FunctionInfo *function_of(const Site &site, const Expr *expr) {
  if (expr == nullptr) {
    return nullptr;
  }
  if (expr->kind == NodeKind::Lambda) {
    return site.project.function_at(expr);
  }
  const Value value = value_of(site, expr);
  return value.is(Value::Tag::Function) || value.is(Value::Tag::Method) ? value.function : nullptr;
}

// Does it surely return one array or a tuple of another size than two?
bool returns_no_pair(const FunctionInfo &function, const Node *&place) {
  const auto is_other = [](const Expr *value) {
    const auto *tuple = as<Tuple>(value);
    return value->kind == NodeKind::BinOp || (tuple != nullptr && tuple->elts.size() != 2);
  };
  if (const Lambda *lambda = function.lambda()) {
    place = lambda->body;
    return is_other(lambda->body);
  }
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || !definition->decorators.empty()) {
    return false;
  }
  u32 results = 0;
  u32 others = 0;
  any_node(definition->body, [&](const Node *node) {
    const auto *result = as<Return>(node);
    if (result != nullptr && result->value != nullptr) {
      const auto *name = as<Name>(result->value);
      // A name that is only ever bound to arithmetic or to calls of jax.numpy is one array.
      bool is_array = false;
      bool is_unknown = false;
      if (name != nullptr) {
        any_node(definition->body, [&](const Node *part) {
          const auto *assignment = as<Assign>(part);
          for (const Expr *target : assignment != nullptr ? assignment->targets : Array<Expr *>{}) {
            const auto *bound = as<Name>(target);
            if (bound != nullptr && bound->id == name->id) {
              const bool is_one =
                  assignment->value->kind == NodeKind::BinOp || model::kind_of(assignment->value) == Kind::JaxArray;
              (is_one ? is_array : is_unknown) = true;
            } else if (bound == nullptr && mentions(target, name->id)) {
              is_unknown = true;
            }
          }
          return false;
        });
      }
      ++results;
      others += is_other(result->value) || (is_array && !is_unknown) ? 1 : 0;
      place = result->value;
    }
    return false;
  });
  return results > 0 && results == others;
}

void check_scan(Site &site, const Call &call) {
  const FunctionInfo *body = function_of(site, argument(call, 0, "f"));
  const Node *place = nullptr;
  if (body == nullptr || site.module->is_test || !returns_no_pair(*body, place)) {
    return;
  }
  Finding &finding =
      report(site.findings, *site.rule, *body->module, place->span(),
             "`jax.lax.scan` expects its function to return a pair: the new carry and the output of the step",
             "return `carry, output`, or `carry, None`");
  finding.notes.push_back({site.module->file, call.span(), "scanned here"});
}

// jax.lax.cond(test, x * 2, x * 3): the branches are functions. Five arguments are the old form, with two operands.
void check_cond(Site &site, const Call &call) {
  if (call.args.size() < 3 || call.args.size() > 4 || site.module->is_test) {
    return;
  }
  for (u32 i = 1; i < 3; ++i) {
    const Expr *branch = call.args[i];
    if (branch->kind == NodeKind::BinOp || branch->kind == NodeKind::Constant || branch->kind == NodeKind::UnaryOp ||
        model::kind_of(branch) == Kind::JaxArray) {
      report(site, *branch, "`jax.lax.cond` expects functions for its branches, but receives a value",
             fmt::format("pass a function, `lambda x: …`, or use `jnp.where({}, …)`", text_of(site, call.args[0])));
      return;
    }
  }
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "jax.lax.scan") {
    check_scan(site, call);
  } else {
    check_cond(site, call);
  }
}

} // namespace

extern constinit const Rule kControlFlowContract = {
    .info = {.code = "DP958",
             .name = "control-flow-contract",
             .summary =
                 "a function passed to `jax.lax.scan`, `cond` or `while_loop` that does not have the form they need",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A function passed to `jax.lax.scan` that returns one array instead of a pair, and values passed to `jax.lax.cond` where it takes functions.

## Why it is wrong

`scan` calls `f(carry, x)` and unpacks `carry, y` from it; `cond` calls one of its branches. Both fail while the function is traced.

## Bad

```python
import jax
import jax.numpy as jnp


def body(carry, x):
    return jnp.tanh(carry) + x


def run(start, xs):
    return jax.lax.scan(body, start, xs)
```

## Good

```python
import jax
import jax.numpy as jnp


def body(carry, x):
    carry = jnp.tanh(carry) + x
    return carry, carry


def run(start, xs):
    return jax.lax.scan(body, start, xs)
```

## When it is wrong

No false positives are known.

## References

- JAX documentation of `jax.lax.scan` and `jax.lax.cond`
)"},
    .calls = "jax.lax.scan jax.lax.cond",
    .on_call = check};

} // namespace deepperf::rules::control_flow_contract
