#include "rules/tracing.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::jit_per_call {

using namespace python;

namespace {

// JAX keeps compiled code by function: a new wrapper of the same function finds it again. What is new each time is a
// lambda, a partial, or a function that is defined around here.
bool is_new_each_time(const Site &site, const Expr *function) {
  if (function->kind == NodeKind::Lambda) {
    return true;
  }
  if (const auto *call = as<Call>(function)) {
    const std::string_view api = called_api(site, *call);
    return api == "functools.partial" || api == "jax.grad" || api == "jax.value_and_grad" || api == "jax.vmap" ||
           api == "equinox.filter_grad" || api == "equinox.filter_value_and_grad";
  }
  const auto *name = as<Name>(function);
  const Expr *made = name != nullptr ? last_assigned(site, *name) : nullptr;
  if (made != nullptr && (made->kind == NodeKind::Lambda || made->kind == NodeKind::Call) &&
      site.function->definition() != nullptr) {
    return is_new_each_time(site, made);
  }
  if (name == nullptr || site.function == nullptr || site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
    return false;
  }
  const model::Value value = value_of(site, name);
  return value.is(model::Value::Tag::Function) && value.function->parent == site.function &&
         site.function->definition() != nullptr;
}

void lint(Site &site, const Node &place, std::string_view what, const CompiledAgain &again) {
  if (!again.found) {
    return;
  }
  Finding &finding = report(
      site, place,
      again.loop != nullptr
          ? fmt::format("`{}` gets a new function object in every iteration, so it is traced and compiled every time",
                        what)
          : fmt::format("`{}` gets a new function object in every call of the function around it, so it is traced and "
                        "compiled every time",
                        what),
      "define and compile it once, outside, and pass what changes as an argument");
  if (again.loop != nullptr) {
    add_note(finding, site, *again.loop->node, "the loop");
  } else if (!runs_per_batch(site) && !again.per_epoch) {
    finding.tier = Tier::Hint; // perhaps it is only called once, or for other shapes each time
  }
}

void check_call(Site &site, const Call &call) {
  if (call.args.empty() || !is_new_each_time(site, call.args[0])) {
    return;
  }
  // jax.jit(f).lower(…) looks at what would be compiled.
  if (!site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Attribute) {
    return;
  }
  lint(site, call, text_of(site, call.func), compiled_again(site, call));
}

void check_node(Site &site, const Node &node) {
  if (const auto *call = as<Call>(&node)) {
    const model::FunctionInfo *made = nullptr;
    const CompiledAgain again =
        call->fact != 0 && site.module->jax ? factory_called_again(site, *call, &made) : CompiledAgain{};
    if (again.found && (made->tracers & model::kByJaxJit) != 0) {
      lint(site, *call, text_of(site, call->func), again);
    }
    return;
  }
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (definition.decorators.empty()) {
    return;
  }
  const auto *known = site.project.function_at(&node);
  if (known == nullptr || (known->tracers & model::kByJaxJit) == 0) {
    return;
  }
  const Expr *decorator = known->compiled_at;
  if (std::ranges::find(definition.decorators, decorator) != definition.decorators.end()) {
    lint(site, *decorator, text_of(site, decorator), compiled_again(site, definition));
  }
}

} // namespace

extern constinit const Rule kJitPerCall = {
    .info = {.code = "DP220",
             .name = "jit-per-call",
             .summary = "`jax.jit` or `jax.pmap` of a function object that is new each time",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`jax.jit`, `jax.pmap` or `pjit` of a lambda, a `functools.partial`, a gradient or an inner function, in a loop or in a function that is
called from one, where the result is called immediately and not kept. Inner functions with such a decorator count too. Outside a loop it is
a hint.

## Why it costs

JAX looks up compiled code by the function object. A lambda or an inner function is a new object each time, so each call traces the Python
code and runs the compiler instead of finding the compiled code in the cache.

## Bad

```python
import jax

for batch in batches:
    loss = jax.jit(lambda x: (x ** 2).mean())(batch)
```

## Good

```python
import jax

mean_square = jax.jit(lambda x: (x ** 2).mean())
for batch in batches:
    loss = mean_square(batch)
```

## When it is wrong

Where the function around it is called once. If no call from a loop is known, it is a hint. A module-level function that is compiled again
by its name is found in JAX's cache and not reported.

## References

- JAX documentation "Just-in-time compilation": JIT and caching
- JAX FAQ
)"},
    .calls = "jax.jit jax.pmap jax.experimental.pjit.pjit equinox.filter_jit flax.nnx.jit",
    .on_call = check_call,
    .nodes = {NodeKind::FunctionDef, NodeKind::Call},
    .on_node = check_node};

} // namespace deepperf::rules::jit_per_call
