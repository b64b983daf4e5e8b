#include "rules/reach.h"
#include "rules/tracing.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::self_under_jit {

using namespace python;
using model::ClassInfo;
using model::FunctionInfo;

namespace {

// A plain Python class: Flax, Equinox and registered classes are trees of arrays.
bool is_plain(const ClassInfo &type) {
  return std::ranges::all_of(type.mro, [](const ClassInfo *at) {
    const bool has_foreign = std::ranges::any_of(at->bases, [](const model::Value &base) {
      return !base.is(model::Value::Tag::Class) && !(base.is(model::Value::Tag::Api) && base.name().text() == "object");
    });
    return !has_foreign && at->parents.size() == at->node->bases.size() && at->node->decorators.empty();
  });
}

// `@jax.jit` and `@partial(jax.jit, donate_argnums=…)`; with static arguments `self` may be one.
bool compiles_everything(const Site &site, const FunctionInfo &function) {
  const auto *made = as<Call>(function.compiled_at);
  if (made == nullptr) {
    const model::Value value = value_of(site_around(site, function), function.compiled_at);
    return value.is(model::Value::Tag::Api) && value.name().text() == "jax.jit";
  }
  return called_api(site, *made) == "functools.partial" && !made->args.empty() &&
         std::ranges::none_of(made->keywords, [](const Keyword *keyword) {
           return !keyword->name || keyword->name.text().starts_with("static");
         });
}

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  const FunctionInfo *function = site.project.function_at(&node);
  if (function == nullptr || !site.module->jax || site.module->is_test || function->type == nullptr ||
      function->is_static || function->is_class_method || (function->tracers & model::kByJaxJit) == 0 ||
      definition.params.empty() ||
      std::ranges::find(definition.decorators, function->compiled_at) == definition.decorators.end() ||
      !is_plain(*function->type) || !compiles_everything(site, *function) ||
      project_has_word(site, {"register_pytree", "register_dataclass", "register_static"})) {
    return;
  }
  report(site, *function->compiled_at,
         fmt::format("`jax.jit` treats `{}` as an array argument and raises an error: `{}` is neither an array nor a "
                     "registered pytree",
                     definition.params[0]->name.text(), function->type->name.text()),
         "use `@partial(jax.jit, static_argnums=0)`, or compile a function that receives what it needs as arguments");
}

} // namespace

extern constinit const Rule kSelfUnderJit = {
    .info = {.code = "DP914",
             .name = "self-under-jit",
             .summary = "a method of a plain class under `jax.jit`, which cannot take `self`",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`@jax.jit` on a method of a plain Python class, without `static_argnums` or `static_argnames`. Modules of Flax and Equinox, and classes that
are registered as pytrees, are not reported.

## Why it is wrong

`self` is the first argument of the compiled function, and JAX accepts arrays and pytrees of arrays only: the first call raises a
`TypeError`.

## Bad

```python
import jax


class Agent:
    def __init__(self, network):
        self.network = network

    @jax.jit
    def act(self, params, observation):
        return self.network.apply(params, observation).argmax()
```

## Good

```python
from functools import partial

import jax


class Agent:
    def __init__(self, network):
        self.network = network

    @partial(jax.jit, static_argnums=0)
    def act(self, params, observation):
        return self.network.apply(params, observation).argmax()
```

## When it is wrong

Where the class is registered as a pytree in code that is not checked.

## References

- JAX FAQ "How to use jit with methods?"
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::self_under_jit
