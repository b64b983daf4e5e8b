#include "base/name_table.h"
#include "model/bind.h"
#include "rules/jax.h"
#include "rules/tracing.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace deepperf::rules::loop_instead_of_vmap {

using namespace python;

namespace {

using model::FunctionInfo;
using model::Value;

bool is_array(const Site &site, const Expr *expr);

// Do all callers pass arrays for the parameter?
bool is_array_parameter(const Site &site, const Name &name) {
  const FunctionInfo *function = site.function;
  const auto param = std::ranges::find_if(function->params, [&](const Param *one) { return one->name == name.id; });
  constexpr std::size_t kMostCallers = 8;
  if (param == function->params.end() || function->called_by.empty() || function->called_by.size() > kMostCallers) {
    return false;
  }
  const model::Value value = value_of(site, &name);
  return (value.is_kind(Kind::NumpyArray) || value.is_kind(Kind::JaxArray)) && !value.container;
}

bool is_array(const Site &site, const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  if (kind == Kind::NumpyArray || kind == Kind::JaxArray) {
    return true;
  }
  const auto *name = as<Name>(expr);
  return name != nullptr && site.function != nullptr && is_array_parameter(site, *name);
}

// What the loop goes over: the rows of one array, or of several with zip().
bool goes_over_rows(const Site &site, const Expr *iter) {
  const auto *call = as<Call>(iter);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  if (api == "zip" || api == "enumerate") {
    return !call->args.empty() && std::ranges::all_of(call->args, [&](const Expr *arg) { return is_array(site, arg); });
  }
  return is_array(site, iter);
}

// Does the function add the batch dimension itself, as in `image[None]`? Then it takes one sample.
bool takes_one_sample(const FunctionInfo &function) {
  const auto adds = [](const Node *node) {
    const auto *element = as<Subscript>(node);
    const auto *index = element != nullptr ? as<Tuple>(element->slice) : nullptr;
    const Expr *first = element == nullptr                         ? nullptr
                        : index != nullptr && !index->elts.empty() ? index->elts[0]
                                                                   : element->slice;
    return first != nullptr && is_none(first);
  };
  const FunctionDef *definition = function.definition();
  return definition != nullptr && any_node(definition->body, adds);
}

// The call of a compiled function with the loop's element: `score(params, x)`.
const Call *compiled_call(const Site &site, const Node *inside, const Expr *target, const FunctionInfo *&callee) {
  const Call *found = nullptr;
  any_node(inside, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (found == nullptr && call != nullptr && runs_compiled_jax(site.project, *call)) {
      const bool takes_element = std::ranges::any_of(call->args, [&](const Expr *arg) {
        const auto *name = as<Name>(arg);
        return name != nullptr && mentions(target, name->id);
      });
      const Value value = site.project.callee_of(call);
      const bool is_function = value.is(Value::Tag::Function) || value.is(Value::Tag::Method);
      if (takes_element && call->args.size() >= 2 && is_function) {
        found = call;
        callee = value.function;
      }
    }
    return found != nullptr;
  });
  return found;
}

void add_finding(Site &site, const Call &call, const Node &loop) {
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is called for one sample at a time, so each call launches a few tiny kernels",
                         text_of(site, call.func)),
             fmt::format("map it over the batch: `jax.vmap({}, in_axes=(None, 0))`", text_of(site, call.func)));
  add_note(finding, site, loop, "one call for each sample");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 3);
}

void check_comprehension(Site &site, const Node &node) {
  const auto &each = static_cast<const ComprehensionExpr &>(node);
  if (!site.module->jax || site.module->is_test || each.generators.size() != 1 || tracers_at(site) != 0) {
    return;
  }
  const FunctionInfo *callee = nullptr;
  const Call *call = compiled_call(site, each.elt, each.generators[0]->target, callee);
  if (call != nullptr && (goes_over_rows(site, each.generators[0]->iter) ||
                          (takes_one_sample(*callee) && each.generators[0]->iter->kind != NodeKind::Attribute))) {
    add_finding(site, *call, node);
  }
}

// `for x in xs: out.append(f(params, x))`
void check_loop(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  if (!site.module->jax || site.module->is_test || loop.body.size() > 2 || tracers_at(site) != 0 ||
      !goes_over_rows(site, loop.iter)) {
    return;
  }
  const auto *statement = as<ExprStmt>(loop.body[loop.body.size() - 1]);
  const auto *append = statement != nullptr ? as<Call>(statement->value) : nullptr;
  if (append == nullptr || called_method(*append) != "append" || append->args.size() != 1) {
    return;
  }
  const FunctionInfo *callee = nullptr;
  if (const Call *call = compiled_call(site, append->args[0], loop.target, callee)) {
    add_finding(site, *call, node);
  }
}

void check(Site &site, const Node &node) {
  if (node.kind == NodeKind::For) {
    check_loop(site, node);
  } else {
    check_comprehension(site, node);
  }
}

} // namespace

extern constinit const Rule kLoopInsteadOfVmap = {
    .info = {.code = "DP123",
             .name = "loop-instead-of-vmap",
             .summary = "a compiled JAX function that is called for one sample at a time",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A comprehension or loop over the rows of an array that calls a function compiled by `jax.jit` for each of them.

## Why it costs

Each call has the cost of a dispatch and launches kernels that use a small part of the device. `jax.vmap` turns the function into one that takes
the whole batch, with one call and kernels of full size.

## Bad

```python
import jax
import jax.numpy as jnp


@jax.jit
def score(params, x):
    return jnp.tanh(x @ params).sum()


def scores(params):
    samples = jnp.ones((1000, 16))
    return jnp.stack([score(params, x) for x in samples])
```

## Good

```python
import jax
import jax.numpy as jnp


@jax.jit
def score(params, x):
    return jnp.tanh(x @ params).sum()


def scores(params):
    samples = jnp.ones((1000, 16))
    return jax.vmap(score, in_axes=(None, 0))(params, samples)
```

## When it is wrong

Where each row is itself a batch that fills the device.

## References

- JAX documentation, "Automatic vectorization"
)"},
    .nodes = {NodeKind::ListComp, NodeKind::GeneratorExp, NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::loop_instead_of_vmap
