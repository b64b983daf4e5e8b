#include "base/name_table.h"
#include "rules/site.h"
#include "rules/tracers.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::tracer_as_number {

using namespace python;

namespace {

bool is_jitted(const Site &site) {
  return !site.module->is_test && (tracers_at(site) & model::kByJaxJit) != 0; // tests provoke such errors
}

bool is_traced_value(const Expr *expr) { return model::kind_of(expr) == Kind::JaxArray; }

// The part of a test whose value only the compiled program knows; null if there is none.
const Expr *traced_part(const Site &site, const Expr *test) {
  if (const auto *negation = as<UnaryOp>(test)) {
    return traced_part(site, negation->operand);
  }
  if (const auto *both = as<BoolOp>(test)) {
    for (const Expr *part : both->values) {
      if (const Expr *traced = traced_part(site, part)) {
        return traced;
      }
    }
    return nullptr;
  }
  if (const auto *compare = as<Compare>(test)) {
    const Expr *right = compare->rest[0].right;
    if (compare->rest.size() != 1 || compare->rest[0].op > CompareOperator::GtE || right->kind == NodeKind::JoinedStr ||
        is_none(right) || string_of(site, right).has_value()) {
      return nullptr;
    }
    for (const Expr *part : {static_cast<const Expr *>(compare->left), right}) {
      if (is_traced_value(part) || is_tracer(site, part)) {
        return part;
      }
    }
    return nullptr;
  }
  if (const auto *name = as<Name>(test)) { // a parameter may be a dict that is tested for being empty
    const Expr *made = last_assigned(site, *name);
    return made != nullptr && is_traced_value(made) && is_traced_value(test) && is_tracer(site, test) ? test : nullptr;
  }
  return test->kind == NodeKind::Call && (is_traced_value(test) || is_tracer(site, test)) ? test : nullptr;
}

void check_test(Site &site, const Expr *test) {
  if (!is_jitted(site)) {
    return;
  }
  const Expr *traced = traced_part(site, test);
  if (traced == nullptr) {
    return;
  }
  Finding &finding =
      report(site, *test, "this condition needs the value of a traced array, so `jax.jit` raises an error",
             "use `jnp.where`, `jax.lax.cond` or `jax.lax.while_loop`");
  const bool is_certain = depends_on_traced_argument(site, test) || is_tracer(site, traced);
  finding.tier = is_certain ? finding.tier : Tier::Hint;
}

// `while error > 1e-5:` where the first value is a number and the body makes it an array.
void check_later_test(Site &site, const While &loop) {
  if (!site.module->jax || !is_jitted(site) || traced_part(site, loop.test) != nullptr) {
    return;
  }
  const auto *compare = as<Compare>(loop.test);
  const auto *name = as<Name>(compare != nullptr ? compare->left : loop.test);
  const bool becomes_array = name != nullptr && any_node(loop.body, [&](const Node *node) {
                               const auto *assignment = as<Assign>(node);
                               const auto *target = assignment != nullptr && assignment->targets.size() == 1
                                                        ? as<Name>(assignment->targets[0])
                                                        : nullptr;
                               return target != nullptr && target->id == name->id &&
                                      is_traced_value(assignment->value) && is_tracer(site, assignment->value);
                             });
  if (becomes_array) {
    report(site, *loop.test, "this condition needs the value of a traced array, so `jax.jit` raises an error",
           "use `jax.lax.while_loop`");
  }
}

// A function of NumPy needs numbers, and gets what stands for them while tracing. (np.sum() and the like ask the array
// itself, which works.)
void check_numpy(Site &site, const Call &call, std::string_view api) {
  const auto is_traced = [&](const Expr *part) {
    const auto *parts = as<List>(part);
    return is_tracer(site, part) || (parts != nullptr && std::ranges::any_of(parts->elts, [&](const Expr *one) {
                                       return is_tracer(site, one);
                                     }));
  };
  if (numpy_on_tracer(api) != NumpyOnTracer::Fails || !std::ranges::any_of(call.args, is_traced)) {
    return;
  }
  report(site, call, "NumPy cannot compute with a traced array, so `jax.jit` raises an error",
         fmt::format("use `jnp.{}`", api.substr(std::string_view("numpy.").size())));
}

// Is a shape, or one of its numbers, a tracer?
bool has_traced_size(const Site &site, const Expr *shape) {
  const auto *tuple = as<Tuple>(shape);
  const auto *list = as<List>(shape);
  const auto is_traced = [&](const Expr *part) { return is_tracer(site, part); };
  return tuple != nullptr  ? std::ranges::any_of(tuple->elts, is_traced)
         : list != nullptr ? std::ranges::any_of(list->elts, is_traced)
                           : shape != nullptr && is_traced(shape);
}

// What decides about a shape must be known when the function is compiled.
void check_shape(Site &site, const Call &call, std::string_view api) {
  static const NameTable kMakers(
      {"jax.numpy.zeros", "jax.numpy.ones", "jax.numpy.empty", "jax.numpy.full", "jax.numpy.arange", "jax.numpy.eye"});
  // Their result is as long as there are elements that count; with `size` it has one length.
  static const NameTable kSelecting(
      {"jax.numpy.nonzero", "jax.numpy.unique", "jax.numpy.argwhere", "jax.numpy.flatnonzero", "jax.numpy.where"});
  if (api == "range" && !call.args.empty() &&
      std::ranges::any_of(call.args, [&](const Expr *arg) { return is_tracer(site, arg); })) {
    report(site, call, "`range` needs a number, but under `jax.jit` this is a traced array, so JAX raises an error",
           "use `jax.lax.fori_loop`, or make the argument static with `static_argnums`");
  } else if (kMakers.has(intern(api)) && !call.args.empty() && has_traced_size(site, call.args[0])) {
    report(site, call, "this shape depends on a traced array, so `jax.jit` raises an error",
           "make the argument static with `static_argnums`, or use a fixed shape and a mask");
  } else if (kSelecting.has(intern(api)) && keyword_argument(call, "size") == nullptr &&
             (api != "jax.numpy.where" || (call.args.size() == 1 && call.keywords.empty())) && !call.args.empty() &&
             is_tracer(site, call.args[0])) {
    report(site, call, "the shape of this result depends on the values of a traced array, so `jax.jit` raises an error",
           "pass `size=`, or keep all elements and use a mask with `jnp.where`");
  }
}

// x[x > 0]: as many elements as there are positive ones.
void check_mask(Site &site, const Subscript &subscript) {
  const auto *mask = as<Compare>(subscript.slice);
  if (subscript.context != Context::Load || mask == nullptr || !site.module->jax || !is_jitted(site) ||
      !is_tracer(site, subscript.value) || !is_tracer(site, mask)) {
    return;
  }
  // x.at[x > 0].set(0) is fine
  const auto *at = as<Attribute>(subscript.value);
  if (at != nullptr && at->attr.text() == "at") {
    return;
  }
  report(site, subscript, "the shape of this selection depends on a traced array, so `jax.jit` raises an error",
         "keep all elements and use `jnp.where(mask, x, 0)`, or `jnp.sum(x, where=mask)`");
}

void check_node(Site &site, const Node &node) {
  if (const auto *call = as<Call>(&node)) {
    if (!site.module->jax || call->fact == 0 || !is_jitted(site)) {
      return;
    }
    const std::string_view api = called_api(site, *call);
    if (api.starts_with("numpy.")) {
      check_numpy(site, *call, api);
    } else if (!api.empty()) {
      check_shape(site, *call, api);
    }
  } else if (const auto *subscript = as<Subscript>(&node)) {
    check_mask(site, *subscript);
  } else if (const auto *branch = as<If>(&node)) {
    check_test(site, branch->test);
  } else if (const auto *loop = as<While>(&node)) {
    check_test(site, loop->test);
    check_later_test(site, *loop);
  } else if (const auto *choice = as<IfExp>(&node)) {
    check_test(site, choice->test);
  } else if (const auto *claim = as<Assert>(&node)) {
    check_test(site, claim->test);
  }
}

void check_call(Site &site, const Call &call) {
  const Expr *array = called_method(call) == "item" || called_method(call) == "tolist" ? receiver_of(call)
                      : call.args.size() == 1                                          ? call.args[0]
                                                                                       : nullptr;
  if (array == nullptr || !site.module->jax || !is_jitted(site)) {
    return;
  }
  const bool is_certain = is_tracer(site, array);
  if (is_certain || is_traced_value(array)) {
    const std::string_view method = called_method(call);
    Finding &finding = report(site, call,
                              fmt::format("`{}` needs the value of a traced array, so `jax.jit` raises an error",
                                          method == "item"     ? "item()"
                                          : method == "tolist" ? "tolist()"
                                                               : text_of(site, call.func)),
                              "keep it an array, or return it and convert it outside the compiled function");
    finding.tier = is_certain || depends_on_traced_argument(site, array) ? finding.tier : Tier::Hint;
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

In a function that `jax.jit` compiles, and in functions that it calls with traced arrays:

- `if`, `while` and `assert` on the value of an array, and `float(x)`, `int(x)`, `bool(x)`, `x.item()`, `x.tolist()`;
- a NumPy function that needs numbers, such as `np.linalg.norm(x)`;
- a shape or `range` that depends on an array's value, `x[x > 0]`, and `jnp.nonzero` or `jnp.unique` without `size`.

It is a hint where the value is not known to come from the function's arguments, or some of them are static.

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
    .calls = "float int bool *.item *.tolist",
    .on_call = check_call,
    .nodes = {NodeKind::If, NodeKind::While, NodeKind::IfExp, NodeKind::Assert, NodeKind::Call, NodeKind::Subscript},
    .on_node = check_node};

} // namespace deepperf::rules::tracer_as_number
