#include "rules/site.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace deepperf::rules::gradient_result_misread {

using namespace python;

namespace {

using model::FunctionInfo;
using model::Value;

// What a loss returns, in all of its `return` statements.
enum class Result : u8 { Unknown, Number, Pair };

bool is_number(const Site &site, const Expr *expr) {
  if (const auto *operation = as<BinOp>(expr)) {
    return is_number(site, operation->left) || is_number(site, operation->right);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  const std::string_view method = called_method(*call);
  return api == "jax.numpy.mean" || api == "jax.numpy.sum" || (api.empty() && (method == "mean" || method == "sum"));
}

Result result_of(const Site &site, const FunctionInfo &function) {
  Result result = Result::Unknown;
  const auto note = [&](const Expr *value, bool is_first) {
    const Expr *returned = value;
    const Result one = returned->kind == NodeKind::Tuple ? Result::Pair
                       : is_number(site, returned)       ? Result::Number
                                                         : Result::Unknown;
    result = is_first || result == one ? one : Result::Unknown;
  };
  if (const Lambda *lambda = function.lambda()) {
    note(lambda->body, true);
    return result;
  }
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || !definition->decorators.empty()) {
    return Result::Unknown;
  }
  bool is_first = true;
  any_node(definition->body, [&](const Node *node) {
    const auto *back = as<Return>(node);
    if (back != nullptr && back->value != nullptr) {
      note(back->value, is_first);
      is_first = false;
    }
    return false;
  });
  return result;
}

const FunctionInfo *differentiated(const Site &site, const Call &transform) {
  if (transform.args.empty()) {
    return nullptr;
  }
  if (transform.args[0]->kind == NodeKind::Lambda) {
    return site.project.function_at(transform.args[0]);
  }
  const Value value = value_of(site, transform.args[0]);
  return value.is(Value::Tag::Function) || value.is(Value::Tag::Method) ? value.function : nullptr;
}

// Whether `has_aux` is set; nothing if that is not known.
std::optional<bool> has_aux(const Site &site, const Call &transform) {
  const Keyword *given = keyword_argument(transform, "has_aux");
  return has_hidden_arguments(transform) ? std::nullopt
         : given == nullptr              ? std::optional(false)
                                         : bool_of(site, given->value);
}

void check_transform(Site &site, const Call &call) {
  const FunctionInfo *function = site.module->is_test ? nullptr : differentiated(site, call);
  const std::optional<bool> aux = has_aux(site, call);
  if (function == nullptr || !aux.has_value()) {
    return;
  }
  const Result result = result_of(site, *function);
  const std::string_view name = text_of(site, call.args[0]);
  const bool is_lambda = call.args[0]->kind == NodeKind::Lambda;
  if (result == Result::Pair && !*aux) {
    report(site, call,
           fmt::format("{} returns a tuple, and `{}` without `has_aux=True` takes a single number",
                       is_lambda ? "the function" : fmt::format("`{}`", name), text_of(site, call.func)),
           "pass `has_aux=True`, and return the loss first");
  } else if (result == Result::Number && *aux) {
    report(site, call,
           fmt::format("{} returns a single number, and `has_aux=True` expects a pair of the loss and something else",
                       is_lambda ? "the function" : fmt::format("`{}`", name)),
           "omit `has_aux=True`, or return `(loss, aux)`");
  }
}

// The `jax.value_and_grad(f)` whose result is called; null if it is something else.
const Call *value_and_grad(const Site &site, const Call &call) {
  const auto *made = as<Call>(call.func);
  if (const auto *name = as<Name>(call.func)) {
    const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), name);
    made = written.size() == 1 ? as<Call>(written.front().expr) : nullptr;
  }
  if (made != nullptr && called_api(site, *made) == "jax.jit" && !made->args.empty()) {
    made = as<Call>(made->args[0]);
  }
  return made != nullptr && called_api(site, *made) == "jax.value_and_grad" ? made : nullptr;
}

// Is the name handed to the optimizer as gradients: `tx.update(name, …)`, `state.apply_gradients(grads=name)`?
bool is_applied(const Site &site, Symbol name) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  return any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const std::string_view method = called_method(*call);
    const Keyword *grads = keyword_argument(*call, "grads");
    const Expr *given = method == "update" && call->args.size() >= 2      ? call->args[0]
                        : method == "apply_gradients" && grads != nullptr ? grads->value
                                                                          : nullptr;
    const auto *passed = as<Name>(given);
    return passed != nullptr && passed->id == name;
  });
}

void check_unpacking(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *call = as<Call>(assignment.value);
  const auto *targets = assignment.targets.size() == 1 ? as<Tuple>(assignment.targets[0]) : nullptr;
  if (call == nullptr || targets == nullptr || !site.module->jax || site.module->is_test) {
    return;
  }
  const Call *transform = value_and_grad(site, *call);
  const std::optional<bool> aux = transform != nullptr ? has_aux(site, *transform) : std::nullopt;
  if (!aux.has_value()) {
    return;
  }
  if (*aux && targets->elts.size() == 3) {
    report(site, *targets, "`value_and_grad` with `has_aux=True` returns a pair whose first element is itself a pair",
           fmt::format("unpack it as `({}, {}), {} = …`", text_of(site, targets->elts[0]),
                       text_of(site, targets->elts[1]), text_of(site, targets->elts[2])));
    return;
  }
  if (targets->elts.size() != 2) {
    return;
  }
  const auto *first = as<Name>(targets->elts[0]);
  const auto *second = as<Name>(targets->elts[1]);
  if (first != nullptr && is_applied(site, first->id) && (second == nullptr || !is_applied(site, second->id))) {
    report(site, *targets, "`value_and_grad` returns the value first, so the loss is used as the gradients",
           fmt::format("unpack it as `{}, {} = …`", text_of(site, targets->elts[1]), first->id.text()));
  } else if (*aux && first != nullptr && second != nullptr && is_applied(site, second->id) &&
             targets->elts[1]->kind == NodeKind::Name) {
    return; // the pair stays together
  }
}

} // namespace

extern constinit const Rule kGradientResultMisread = {
    .info = {.code = "DP949",
             .name = "gradient-result-misread",
             .summary =
                 "`jax.grad` or `jax.value_and_grad` where the loss or the caller does not match what is returned",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`jax.grad` or `jax.value_and_grad` of a function that returns a tuple, without `has_aux=True`, or of one that returns a single number, with it.
Also results that are unpacked in the wrong order or into too many names.

## Why it is wrong

JAX differentiates a function that returns one number. Anything else requires `has_aux=True`, and is then returned as
`(value, aux), gradients`. Without that the first call fails with "Gradient only defined for scalar-output functions".

## Bad

```python
import jax
import jax.numpy as jnp


def loss_fn(params, x, y):
    predicted = x @ params
    return jnp.mean((predicted - y) ** 2), predicted


def step(params, x, y):
    (loss, predicted), grads = jax.value_and_grad(loss_fn)(params, x, y)
    return params - 0.1 * grads, loss, predicted
```

## Good

```python
import jax
import jax.numpy as jnp


def loss_fn(params, x, y):
    predicted = x @ params
    return jnp.mean((predicted - y) ** 2), predicted


@jax.jit
def step(params, x, y):
    (loss, predicted), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, x, y)
    return params - 0.1 * grads, loss, predicted
```

## When it is wrong

No false positives are known.

## References

- JAX documentation of `jax.value_and_grad`
)"},
    .calls = "jax.grad jax.value_and_grad",
    .on_call = check_transform,
    .nodes = {NodeKind::Assign},
    .on_node = check_unpacking};

} // namespace deepperf::rules::gradient_result_misread
