#include "model/variance.h"
#include "rules/copies.h"
#include "rules/origins.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::target_update_reversed {

using namespace python;

namespace {

constexpr double kSmall = 0.2; // a rate of change, and not what is kept

std::optional<double> coefficient(const Site &site, const Expr *expr) {
  const std::optional<model::ConstantValue> value = setting_of(site, expr);
  if (value.has_value()) {
    return value->as_number();
  }
  const auto *rest = as<BinOp>(expr); // 1 - tau
  if (rest == nullptr || rest->op() != Operator::Sub) {
    return std::nullopt;
  }
  const std::optional<double> whole = number_of(site, rest->left);
  const std::optional<model::ConstantValue> part = setting_of(site, rest->right);
  const std::optional<double> number = part.has_value() ? part->as_number() : std::nullopt;
  return whole.has_value() && number.has_value() ? std::optional(*whole - *number) : std::nullopt;
}

struct Term {
  const Expr *value = nullptr;
  double factor = 0;
};

// `tau * x`
std::optional<Term> term_of(const Site &site, const Expr *expr) {
  const auto *product = as<BinOp>(expr);
  if (product == nullptr || product->op() != Operator::Mult) {
    return std::nullopt;
  }
  if (const std::optional<double> factor = coefficient(site, product->left)) {
    return Term{product->right, *factor};
  }
  if (const std::optional<double> factor = coefficient(site, product->right)) {
    return Term{product->left, *factor};
  }
  return std::nullopt;
}

// Of `tau * a + (1 - tau) * b` with a small tau: `a`, of which almost nothing is kept. Null if it is no such average.
const Expr *faded_in(const Site &site, const Expr *expr) {
  const auto *sum = as<BinOp>(expr);
  if (sum == nullptr || sum->op() != Operator::Add) {
    return nullptr;
  }
  const std::optional<Term> one = term_of(site, sum->left);
  const std::optional<Term> other = term_of(site, sum->right);
  if (!one.has_value() || !other.has_value()) {
    return nullptr;
  }
  const double total = one->factor + other->factor;
  const bool is_average = total > 0.999 && total < 1.001 && one->factor > 0 && other->factor > 0;
  const Term &small = one->factor < other->factor ? *one : *other;
  return is_average && small.factor <= kSmall ? small.value : nullptr;
}

// The text of what the value of the call is assigned to; empty if to nothing.
std::string_view assigned_text(const Site &site, const Node &call) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  return assignment != nullptr && assignment->value == original_of(site, &call) && assignment->targets.size() == 1
             ? text_of(site, assignment->targets[0])
             : std::string_view{};
}

void add_finding(Site &site, const Node &place, std::string_view target) {
  report(site, place,
         fmt::format(
             "this keeps almost nothing of `{}`: the small factor multiplies the average instead of the new weights",
             target),
         "swap the factors: `(1 - tau) * average + tau * new`");
}

// Is the result of the function put where its argument for the parameter came from: `target = update(target, online)`?
bool replaces_argument(const Site &site, const model::FunctionInfo &function, Symbol parameter) {
  const u32 index = function.place_of_param(parameter);
  if (index == model::FunctionInfo::kNoParam) {
    return false;
  }
  return std::ranges::any_of(function.called_by, [&](const model::CallSite *caller) {
    const Expr *given = model::passed_argument(*caller, index);
    const Site there = site_at(site, *caller->caller, *caller->call);
    return given != nullptr && assigned_text(there, *caller->call) == text_of(there, given);
  });
}

// jax.tree.map(lambda t, o: tau * t + (1 - tau) * o, target, online)
void check_tree_map(Site &site, const Call &call) {
  const auto *lambda = call.args.size() == 3 ? as<Lambda>(call.args[0]) : nullptr;
  const model::FunctionInfo *inner = lambda != nullptr ? site.project.function_at(lambda) : nullptr;
  if (inner == nullptr || inner->params.size() != 2) {
    return;
  }
  const auto *faded = as<Name>(faded_in(site_of_origin(site, *inner), lambda->body));
  if (faded == nullptr || (faded->id != inner->params[0]->name && faded->id != inner->params[1]->name)) {
    return;
  }
  const Expr *target = call.args[faded->id == inner->params[0]->name ? 1 : 2];
  const auto *name = as<Name>(target);
  const auto *result = !site.ancestors.empty() ? as<Return>(site.ancestors.back()) : nullptr;
  const bool is_returned = result != nullptr && name != nullptr && site.function != nullptr &&
                           replaces_argument(site, *site.function, name->id);
  if (is_returned || assigned_text(site, call) == text_of(site, target)) {
    add_finding(site, *lambda, text_of(site, target));
  }
}

void check(Site &site, const Call &call) {
  if (site.module->is_test) {
    return;
  }
  const std::string_view api = called_api(site, call);
  if (api == "optax.incremental_update" && call.args.size() == 3) {
    const std::optional<model::ConstantValue> step = setting_of(site, call.args[2]);
    const std::optional<double> size = step.has_value() ? step->as_number() : std::nullopt;
    if (size.has_value() && *size <= kSmall && assigned_text(site, call) == text_of(site, call.args[0]) &&
        text_of(site, call.args[0]) != text_of(site, call.args[1])) {
      report(
          site, call,
          fmt::format("`{}` becomes almost a copy of `{}`: the new weights are the first argument, and the average is "
                      "the second",
                      text_of(site, call.args[0]), text_of(site, call.args[1])),
          fmt::format("swap them: `optax.incremental_update({}, {}, …)`", text_of(site, call.args[1]),
                      text_of(site, call.args[0])));
    }
    return;
  }
  check_tree_map(site, call);
}

// `t.assign(tau * t + (1 - tau) * o)`
void check_assign(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->tensorflow || site.module->is_test || called_method(call) != "assign" || call.args.size() != 1) {
    return;
  }
  const Expr *faded = faded_in(site, call.args[0]);
  const Expr *receiver = receiver_of(call);
  if (faded != nullptr && text_of(site, faded) == text_of(site, receiver)) {
    add_finding(site, *call.args[0], text_of(site, receiver));
  }
}

} // namespace

extern constinit const Rule kTargetUpdateReversed = {
    .info = {.code = "DP973",
             .name = "target-update-reversed",
             .summary = "a moving average of weights whose factors are swapped",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX, TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`target = tree.map(lambda t, o: tau * t + (1 - tau) * o, target, online)` with a small `tau`, `t.assign(tau * t + (1 - tau) * o)`, and
`target = optax.incremental_update(target, online, tau)`, whose first argument is for the new weights.

## Why it is wrong

A target network or an average of weights should change slowly. With the factors swapped it is almost the online network after one update, so
it no longer stabilizes anything, and nothing reports it.

## Bad

```python
import jax


def follow(target, online):
    target = jax.tree.map(lambda t, o: 0.005 * t + 0.995 * o, target, online)
    return target
```

## Good

```python
import jax


def follow(target, online):
    target = jax.tree.map(lambda t, o: 0.995 * t + 0.005 * o, target, online)
    return target
```

## When it is wrong

Where the average is meant to follow that fast.

## References

- Lillicrap et al. 2016, "Continuous control with deep reinforcement learning": soft target updates
)"},
    .calls = "optax.incremental_update jax.tree.map jax.tree_util.tree_map jax.tree_map",
    .on_call = check,
    .nodes = {NodeKind::Call},
    .on_node = check_assign};

} // namespace deepperf::rules::target_update_reversed
