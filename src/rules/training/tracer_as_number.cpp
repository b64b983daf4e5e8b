#include "base/name_table.h"
#include "rules/site.h"
#include "rules/tracing.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::tracer_as_number {

using namespace python;

namespace {

bool is_jitted(const Site &site) {
  return !site.module->is_test && (tracers_at(site) & model::kByJaxJit) != 0; // tests provoke such errors
}

bool is_traced_value(const Expr *expr) { return model::kind_of(expr) == Kind::JaxArray; }

// A parameter of a function that is itself compiled, and has no static ones; or what is computed from it. Its shape is
// known while tracing.
bool is_traced_parameter(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 6;
  const model::FunctionInfo *function = site.function;
  if (function == nullptr || function->compiled_at == nullptr || function->type != nullptr || depth > kMostDepth) {
    return false;
  }
  const auto is_traced = [&](const Expr *part) { return is_traced_parameter(site, part, depth + 1); };
  switch (expr->kind) {
  case NodeKind::Name: {
    const auto *name = static_cast<const Name *>(expr);
    const bool is_param = std::ranges::any_of(function->params, [&](const Param *param) {
      return param->name == name->id && param->default_value == nullptr;
    });
    return is_param && last_assigned(site, *name) == nullptr &&
           text_of(site, function->compiled_at).find("static") == std::string_view::npos;
  }
  case NodeKind::BinOp:
    return is_traced(static_cast<const BinOp *>(expr)->left) || is_traced(static_cast<const BinOp *>(expr)->right);
  case NodeKind::UnaryOp:
    return is_traced(static_cast<const UnaryOp *>(expr)->operand);
  case NodeKind::Call: {
    const auto &call = *static_cast<const Call *>(expr);
    const std::string_view api = called_api(site, call);
    return (api.starts_with("numpy.") || api.starts_with("jax.numpy.")) && !api.ends_with("shape") &&
           !api.ends_with("size") && !api.ends_with("ndim") && std::ranges::any_of(call.args, is_traced);
  }
  default:
    return false;
  }
}

// Is the test's value one that only the compiled program knows?
bool needs_value(const Site &site, const Expr *test) {
  if (const auto *negation = as<UnaryOp>(test)) {
    return needs_value(site, negation->operand);
  }
  if (const auto *compare = as<Compare>(test)) {
    const auto is_traced = [&](const Expr *part) { return is_traced_value(part) || is_traced_parameter(site, part); };
    return compare->rest.size() == 1 && compare->rest[0].op <= CompareOperator::GtE &&
           compare->rest[0].right->kind != NodeKind::JoinedStr &&
           !string_of(site, compare->rest[0].right).has_value() &&
           (is_traced(compare->left) || is_traced(compare->rest[0].right));
  }
  return test->kind == NodeKind::Call && is_traced_value(test);
}

void check_branch(Site &site, const Node &node) {
  const Expr *test =
      node.kind == NodeKind::If ? static_cast<const If &>(node).test : static_cast<const While &>(node).test;
  if (needs_value(site, test) && is_jitted(site)) {
    Finding &finding =
        report(site, *test, "this condition needs the value of a traced array, so `jax.jit` raises an error",
               "use `jnp.where`, `jax.lax.cond` or `jax.lax.while_loop`");
    finding.tier = depends_on_traced_argument(site, test) ? finding.tier : Tier::Hint;
  }
}

// A function of NumPy wants numbers, and gets what stands for them while tracing. (np.sum() and the like ask the array
// itself, which works.)
void check_numpy(Site &site, const Call &call) {
  static const NameTable kRefusing(
      {"numpy.sqrt",    "numpy.exp",    "numpy.log",     "numpy.log1p",       "numpy.expm1",
       "numpy.sin",     "numpy.cos",    "numpy.tan",     "numpy.tanh",        "numpy.abs",
       "numpy.maximum", "numpy.sign",   "numpy.minimum", "numpy.power",       "numpy.where",
       "numpy.asarray", "numpy.array",  "numpy.stack",   "numpy.floor",       "numpy.concatenate",
       "numpy.ceil",    "numpy.square", "numpy.matmul",  "numpy.linalg.norm", "numpy.absolute"});
  const std::string_view api = called_api(site, call);
  const auto is_traced = [&](const Expr *part) {
    const auto *parts = as<List>(part);
    return is_traced_parameter(site, part) ||
           (parts != nullptr &&
            std::ranges::any_of(parts->elts, [&](const Expr *one) { return is_traced_parameter(site, one); }));
  };
  if (!api.starts_with("numpy.") || !kRefusing.has(intern(api)) || !is_jitted(site) ||
      side_effect_at(site, call) == SideEffect::Numpy || // which DP222 tells

      !std::ranges::any_of(call.args, is_traced)) {
    return;
  }
  report(site, call, "NumPy cannot compute with a traced array, so `jax.jit` raises an error",
         fmt::format("use `jnp.{}`", api.substr(std::string_view("numpy.").size())));
}

void check_node(Site &site, const Node &node) {
  if (const auto *call = as<Call>(&node)) {
    if (site.module->jax && call->fact != 0) {
      check_numpy(site, *call);
    }
  } else {
    check_branch(site, node);
  }
}

void check_call(Site &site, const Call &call) {
  const Expr *array = called_method(call) == "item" ? receiver_of(call)
                      : call.args.size() == 1       ? call.args[0]
                                                    : nullptr;
  if (array != nullptr && is_traced_value(array) && is_jitted(site)) {
    Finding &finding = report(site, call,
                              fmt::format("`{}` needs the value of a traced array, so `jax.jit` raises an error",
                                          called_method(call) == "item" ? "item()" : text_of(site, call.func)),
                              "keep it an array, or return it and convert it outside the compiled function");
    finding.tier = depends_on_traced_argument(site, array) ? finding.tier : Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kTracerAsNumber = {
    .info = {.code = "DP826",
             .name = "tracer-as-number",
             .summary = "a branch or conversion under `jax.jit` that needs the value of an array",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`if` and `while` on the value of an array, and `float(x)`, `int(x)`, `bool(x)`, `x.item()`, in a function that `jax.jit` compiles. It is a hint
where the value is not known to come from the function's arguments, or some of them are static.

## Why it is wrong

While JAX traces a function, its arrays have a shape and a dtype but no values. Such code raises a `TracerBoolConversionError` or
`ConcretizationTypeError` in the first call.

## Bad

```python
import jax
import jax.numpy as jnp


@jax.jit
def clip(x):
    norm = jnp.linalg.norm(x)
    if norm > 1.0:
        x = x / norm
    return x
```

## Good

```python
import jax
import jax.numpy as jnp


@jax.jit
def clip(x):
    norm = jnp.linalg.norm(x)
    return jnp.where(norm > 1.0, x / norm, x)
```

## When it is wrong

Where the array is a constant that does not depend on the function's arguments.

## References

- JAX documentation "Control flow and logical operators with JIT"
)"},
    .calls = "float int bool JaxArray.item",
    .on_call = check_call,
    .nodes = {NodeKind::If, NodeKind::While, NodeKind::Call},
    .on_node = check_node};

} // namespace deepperf::rules::tracer_as_number
