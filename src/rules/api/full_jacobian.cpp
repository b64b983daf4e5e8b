#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::full_jacobian {

using namespace python;

namespace {

bool is_whole_slice(const Expr *index) {
  const auto *slice = as<Slice>(index);
  return slice != nullptr && slice->lower == nullptr && slice->upper == nullptr && slice->step == nullptr;
}

// "bibj->bij": the same letter for two axes of the input, which is in the result too: the diagonal.
bool takes_diagonal(std::string_view equation) {
  const std::size_t arrow = equation.find("->");
  const std::string_view from = equation.substr(0, arrow);
  if (arrow == equation.npos || from.find(',') != from.npos) {
    return false;
  }
  const std::string_view to = equation.substr(arrow + 2);
  return std::ranges::any_of(from, [&](char letter) {
    return letter != ' ' && std::ranges::count(from, letter) == 2 && to.find(letter) != to.npos;
  });
}

// The axis that a reduction runs over, if that is one.
std::optional<i64> axis_of(const Site &site, const Call &call, u32 position) {
  const Keyword *given = keyword_argument(call, "axis");
  given = given != nullptr ? given : keyword_argument(call, "dim");
  const Expr *axis = given != nullptr ? given->value : call.args.size() > position ? call.args[position] : nullptr;
  return axis != nullptr ? integer_of(site, axis) : std::nullopt;
}

// Two axes 0 and 2 of `diagonal`.
bool is_batch_pair(const Site &site, const Call &call, u32 position) {
  const auto axis = [&](u32 place, std::string_view one, std::string_view other) {
    const Keyword *given = keyword_argument(call, one);
    given = given != nullptr ? given : keyword_argument(call, other);
    const Expr *expr = given != nullptr ? given->value : call.args.size() > place ? call.args[place] : nullptr;
    return expr != nullptr ? integer_of(site, expr) : std::nullopt;
  };
  const std::optional<i64> first = axis(position, "dim1", "axis1");
  const std::optional<i64> second = axis(position + 1, "dim2", "axis2");
  return (first == 0 && second == 2) || (first == 2 && second == 0);
}

// Does the code keep of the Jacobian of a batch only what each example has to do with itself? `jacobian` is the
// expression that holds it.
bool keeps_own_part(const Site &site, const Call &call, const Expr *jacobian) {
  const std::string_view api = called_api(site, call);
  const std::string_view name = api.substr(api.rfind('.') + 1);
  const bool is_first = !call.args.empty() && call.args[0] == jacobian;
  if (is_first && (name == "reduce_sum" || (name == "sum" && !api.empty()))) {
    return axis_of(site, call, 1) == 2;
  }
  if (is_first && name == "diagonal") {
    return is_batch_pair(site, call, 2);
  }
  if (name == "einsum" && call.args.size() == 2 && call.args[1] == jacobian) {
    const std::optional<std::string> equation = string_of(site, call.args[0]);
    return equation.has_value() && takes_diagonal(*equation);
  }
  if (receiver_of(call) == jacobian && called_method(call) == "sum") {
    return axis_of(site, call, 0) == 2;
  }
  return receiver_of(call) == jacobian && called_method(call) == "diagonal" && is_batch_pair(site, call, 1);
}

// `jacobian[i, :, i]`, `jacobian[rows, :, rows]`
bool is_own_part(const Subscript &part) {
  const auto *index = as<Tuple>(part.slice);
  const auto *first = index != nullptr && index->elts.size() >= 3 ? as<Name>(index->elts[0]) : nullptr;
  const auto *second = first != nullptr ? as<Name>(index->elts[2]) : nullptr;
  return second != nullptr && first->id == second->id && is_whole_slice(index->elts[1]);
}

// Is it the Jacobian of the outputs of a batch? TensorFlow: tape.jacobian(y, x). Others: of a function, called with it.
const Call *jacobian_call(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return nullptr;
  }
  const std::string_view api = called_api(site, *call);
  if (called_method(*call) == "jacobian" && model::kind_of(receiver_of(*call)) == Kind::GradientTape) {
    return call;
  }
  if (api == "torch.autograd.functional.jacobian") {
    return call;
  }
  const auto *made = as<Call>(call->func);
  const std::string_view maker = made != nullptr ? called_api(site, *made) : std::string_view{};
  return maker == "jax.jacobian" || maker == "jax.jacrev" || maker == "jax.jacfwd" || maker == "torch.func.jacrev" ||
                 maker == "torch.func.jacfwd"
             ? call
             : nullptr;
}

// The Jacobian that stands there, itself or under a name.
const Call *jacobian_of(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  return jacobian_call(site, name != nullptr ? last_assigned(site, *name) : expr);
}

void add_finding(Site &site, const Node &place, const Call &jacobian, bool sums = false) {
  const bool is_tape = called_method(jacobian) == "jacobian" && receiver_of(jacobian) != nullptr &&
                       model::kind_of(receiver_of(jacobian)) == Kind::GradientTape;
  const std::string_view tape = is_tape ? text_of(site, receiver_of(jacobian)) : std::string_view{};
  std::string arguments;
  for (const Expr *given : jacobian.args) {
    arguments += (arguments.empty() ? "" : ", ") + std::string(text_of(site, given));
  }
  Finding &finding = report(site, jacobian,
                            "this Jacobian holds the derivatives of every example with respect to every other one: "
                            "nearly all are zero, and only each example's own block is used",
                            is_tape ? fmt::format("compute only that block: `{}.batch_jacobian({})`", tape, arguments)
                                    : "compute only that block: `vmap` the Jacobian of the function of one example");
  add_note(finding, site, place, "only the examples' own blocks are used");
  if (sums && !is_tape) {
    finding.tier = Tier::Hint; // without a batch it may be a sum over the inputs
  }
}

void check(Site &site, const Node &node) {
  if (site.module->is_test || (!site.module->tensorflow && !site.module->torch && !site.module->jax)) {
    return;
  }
  if (const auto *part = as<Subscript>(&node)) {
    const Call *jacobian =
        part->context == Context::Load && is_own_part(*part) ? jacobian_of(site, part->value) : nullptr;
    if (jacobian != nullptr) {
      add_finding(site, node, *jacobian);
    }
    return;
  }
  const auto &call = static_cast<const Call &>(node);
  const auto try_it = [&](const Expr *given) {
    const bool is_candidate = given != nullptr && (given->kind == NodeKind::Name || given->kind == NodeKind::Call);
    if (!is_candidate || !keeps_own_part(site, call, given)) {
      return false;
    }
    const Call *jacobian = jacobian_of(site, given);
    if (jacobian != nullptr) {
      add_finding(site, node, *jacobian, called_name(call).ends_with("sum"));
    }
    return jacobian != nullptr;
  };
  const std::string_view name = called_name(call);
  if (name != "reduce_sum" && name != "sum" && name != "diagonal" && name != "einsum") {
    return;
  }
  if (!try_it(receiver_of(call)) && !call.args.empty() && !try_it(call.args[0]) && call.args.size() > 1) {
    try_it(call.args[1]);
  }
}

} // namespace

extern constinit const Rule kFullJacobian = {
    .info = {.code = "DP188",
             .name = "full-jacobian",
             .summary = "the Jacobian of a whole batch, of which only each example's own block is used",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Training",
             .frameworks = "TensorFlow, PyTorch, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tape.jacobian(y, x)`, `torch.autograd.functional.jacobian` or `jax.jacobian` of a batch, whose result is summed over the batch axis of the
input (`tf.reduce_sum(jacobian, axis=2)`), or of which only the diagonal is taken (`einsum("bibj->bij", …)`, `diagonal`, `jacobian[i, :, i]`).

## Why it costs

With a batch of B examples the full Jacobian has the shape [B, outputs, B, inputs]. An example does not depend on the others, so all but B
of the B² blocks are zero. Memory and work grow with the square of the batch.

## Bad

```python
import tensorflow as tf


def penalty(encoder, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        code = encoder(x)
    jacobian = tf.reduce_sum(tape.jacobian(code, x), axis=2)
    return tf.reduce_mean(tf.square(jacobian))
```

## Good

```python
import tensorflow as tf


def penalty(encoder, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        code = encoder(x)
    return tf.reduce_mean(tf.square(tape.batch_jacobian(code, x)))
```

## When it is wrong

Where examples of a batch depend on each other, as through batch normalization in training mode, the blocks outside the diagonal are not zero.

## References

- TensorFlow guide "Advanced automatic differentiation": batch Jacobian
- `torch.func` documentation: computing Jacobians in a batched way
)"},
    .nodes = {NodeKind::Call, NodeKind::Subscript},
    .on_node = check};

} // namespace deepperf::rules::full_jacobian
