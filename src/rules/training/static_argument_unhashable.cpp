#include "rules/static_arguments.h"
#include "rules/tracing.h"

#include <fmt/format.h>

namespace deepperf::rules::static_argument_unhashable {

using namespace python;

namespace {

using model::FunctionInfo;
using model::Value;

// What the argument surely is; empty if it can be hashed, or if that is not known.
std::string_view unhashable(const Site &site, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    const Expr *made = last_assigned(site, *name);
    expr = made != nullptr ? made : expr;
  }
  const Kind kind = model::kind_of(expr);
  return expr->kind == NodeKind::List || expr->kind == NodeKind::ListComp   ? "a list"
         : expr->kind == NodeKind::Dict || expr->kind == NodeKind::DictComp ? "a dict"
         : expr->kind == NodeKind::Set                                      ? "a set"
         : kind == Kind::JaxArray || kind == Kind::NumpyArray               ? "an array"
                                                                            : std::string_view{};
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->jax || call.fact == 0 || site.module->is_test) {
    return;
  }
  const Value callee = site.project.callee_of(&call);
  const bool is_method = callee.is(Value::Tag::Method);
  if ((!is_method && !callee.is(Value::Tag::Function)) || callee.function->compiled_at == nullptr ||
      (callee.function->tracers & model::kByJaxJit) == 0) {
    return;
  }
  const FunctionInfo &function = *callee.function;
  const u32 first = is_method && function.type != nullptr && !function.is_static ? 1 : 0;
  const auto look = [&](const Expr *value, u32 index) {
    const std::string_view what = unhashable(site, value);
    if (what.empty() || index >= 63 || (static_parameters(site, function).bits >> index & 1U) == 0) {
      return;
    }
    Finding &finding =
        report(site, *value, fmt::format("a static argument of `jax.jit` must be hashable, and {} is not", what),
               what == "an array" ? "do not make arrays static: `jax.jit` traces them" : "pass a tuple");
    add_note(finding, site_around(site, function), *function.compiled_at, "it is static here");
  };
  for (u32 i = 0; i < call.args.size() && call.args[i]->kind != NodeKind::Starred; ++i) {
    look(call.args[i], i + first);
  }
  for (const Keyword *keyword : call.keywords) {
    for (u32 i = 0; keyword->name && i < function.params.size(); ++i) {
      if (function.params[i]->name == keyword->name) {
        look(keyword->value, i);
      }
    }
  }
}

} // namespace

extern constinit const Rule kStaticArgumentUnhashable = {
    .info = {.code = "DP960",
             .name = "static-argument-unhashable",
             .summary = "a list, dict or array that is passed as a static argument of `jax.jit`",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A call of a function that `jax.jit` compiles with `static_argnums` or `static_argnames`, which passes a list, dict or array for a static argument.

## Why it is wrong

JAX looks compiled code up by the hash of its static arguments. A list, dict or array has none, and the call raises an error: "Non-hashable
static arguments are not supported".

## Bad

```python
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("sizes",))
def network(x, sizes):
    for size in sizes:
        x = jnp.tanh(x) * size
    return x


def run(x):
    return network(x, sizes=[32, 64])
```

## Good

```python
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("sizes",))
def network(x, sizes):
    for size in sizes:
        x = jnp.tanh(x) * size
    return x


def run(x):
    return network(x, sizes=(32, 64))
```

## When it is wrong

No false positives are known.

## References

- JAX documentation of `jax.jit`: `static_argnums`
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::static_argument_unhashable
