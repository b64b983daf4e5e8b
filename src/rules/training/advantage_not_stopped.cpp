#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::advantage_not_stopped {

using namespace python;
using model::Value;

namespace {

// What gives the logarithm of an action's probability.
bool is_log_probability(const Site &there, const Call &call) {
  const std::string_view api = called_api(there, call);
  return called_method(call) == "log_prob" || api == "jax.nn.log_softmax" || api == "flax.linen.log_softmax" ||
         api == "tensorflow.nn.log_softmax" || api == "jax.numpy.log" || api == "tensorflow.math.log" ||
         api.find("softmax_cross_entropy") != std::string_view::npos;
}

// What numbers of a policy go through, and values of a critic do not.
bool is_of_policy(const Site &there, const Call &call) {
  const std::string_view api = called_api(there, call);
  const std::string_view last = api.substr(api.rfind('.') + 1);
  return is_log_probability(there, call) || last == "softmax" || last == "sigmoid" || last == "exp";
}

bool stops_gradient(const Site &there, const Call &call) {
  const std::string_view api = called_api(there, call);
  return api.ends_with(".stop_gradient") || called_method(call) == "numpy" || called_method(call) == "item";
}

// Does jax.grad or the like differentiate the function with respect to this parameter?
bool is_differentiated(const Site &site, const model::FunctionInfo &function, u32 parameter) {
  const u32 first = function.type != nullptr && !function.is_static ? 1 : 0;
  return parameter == first && std::ranges::any_of(handed_to(site, function), [](const HandedTo &handed) {
           return (handed.api.ends_with("grad") || handed.api.ends_with("value_and_grad")) &&
                  keyword_argument(*handed.transform, "argnums") == nullptr;
         });
}

bool is_keras_model(const Value &value) {
  return value.is_kind(Kind::KerasModel) ||
         (value.is(Value::Tag::Object) && value.type != nullptr && value.type->kind == Kind::KerasModel);
}

// What a factor of the product comes from, as far as gradients go.
struct Factor {
  bool is_log_probability = false;
  bool is_policy = false;
  bool is_difference = false;
  bool is_trained = false; // the gradient reaches what is trained
};

class FactorSearch {
public:
  explicit FactorSearch(const Site &site) : site_(site) {}

  Factor of(const Expr *expr) {
    visits_ = 0;
    Factor factor;
    visit_origins(site_, *site_.function, expr, [&](const Origin &origin) { return visit(origin, factor); });
    return factor;
  }

private:
  // `returns - values`: one side is trained, and no probability.
  bool is_difference_of_value(const model::FunctionInfo &function, const BinOp &difference) {
    constexpr u32 kMostDepth = 2;
    if (depth_ == kMostDepth || difference.left->kind == NodeKind::Constant ||
        difference.right->kind == NodeKind::Constant) {
      return false;
    }
    const auto is_value = [&](const Expr *side) {
      FactorSearch inner(site_);
      inner.depth_ = depth_ + 1;
      Factor factor;
      visit_origins(site_, function, side, [&](const Origin &origin) { return inner.visit(origin, factor); });
      return factor.is_trained && !factor.is_policy;
    };
    return is_value(difference.left) || is_value(difference.right);
  }

  Onward visit(const Origin &origin, Factor &factor) {
    constexpr u32 kMostVisits = 200;
    if (++visits_ > kMostVisits || (factor.is_log_probability && factor.is_policy && depth_ > 0)) {
      return Onward::Stop;
    }
    const Site there = site_of_origin(site_, *origin.function);
    if (origin.parameter_of != nullptr) {
      if (is_differentiated(site_, *origin.parameter_of, origin.parameter)) {
        factor.is_trained = true;
        return Onward::Stop;
      }
      return Onward::Through;
    }
    if (const auto *operation = as<BinOp>(origin.expr)) {
      factor.is_difference |= operation->op() == Operator::Sub && is_difference_of_value(*origin.function, *operation);
      return Onward::Through;
    }
    if (const auto *attribute = as<Attribute>(origin.expr)) {
      const std::string_view name = attribute->attr.text(); // of what a gradient does not go through
      return name == "shape" || name == "ndim" || name == "dtype" || name == "size" ? Onward::Stop : Onward::Through;
    }
    if (origin.expr->kind == NodeKind::Compare) {
      return Onward::Stop;
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      return Onward::Through;
    }
    if (stops_gradient(there, *call) || called_name(*call) == "one_hot" || called_name(*call) == "argmax" ||
        called_name(*call) == "shape" || called_name(*call) == "len") {
      return Onward::Stop;
    }
    if (is_of_policy(there, *call)) {
      factor.is_policy = true;
      factor.is_log_probability |= is_log_probability(there, *call);
      return Onward::Stop;
    }
    if (is_keras_model(site_.project.callee_of(call))) {
      factor.is_trained = true;
      return Onward::Stop;
    }
    return Onward::Through;
  }

  const Site &site_;
  u32 depth_ = 0;
  u32 visits_ = 0;
};

struct Differentiated {
  bool holds = false;
};

// Is the function, one around it, or one that calls it handed to jax.grad or the like?
bool is_in_gradient(const Site &site, const model::FunctionInfo &function, u32 depth = 0) {
  constexpr u32 kMostLevels = 3;
  if (depth > kMostLevels) {
    return false;
  }
  const auto find = [&] {
    const bool is_handed = std::ranges::any_of(handed_to(site, function),
                                               [](const HandedTo &handed) { return handed.api.ends_with("grad"); });
    return Differentiated{is_handed ||
                          (function.parent != nullptr && is_in_gradient(site, *function.parent, depth + 1)) ||
                          std::ranges::any_of(function.called_by, [&](const model::CallSite *caller) {
                            return caller->caller != &function && is_in_gradient(site, *caller->caller, depth + 1);
                          })};
  };
  return depth == 0 ? site.memory.recall<Differentiated>(&function, find).holds : find().holds;
}

// Under a GradientTape, here or where the function is called.
bool is_recorded(const Site &site) {
  return inside_with(site, Kind::GradientTape) ||
         std::ranges::any_of(site.function->called_by, [](const model::CallSite *caller) { return caller->in_tape; });
}

// `a` and `b` of `a * b`, after a sign.
const Expr *factor_of(const Expr *expr) {
  const auto *sign = as<UnaryOp>(expr);
  return sign != nullptr ? sign->operand : expr;
}

void check(Site &site, const Node &node) {
  const auto &product = static_cast<const BinOp &>(node);
  if (product.op() != Operator::Mult || (!site.module->jax && !site.module->tensorflow) || site.module->is_test ||
      site.function == nullptr || product.left->kind == NodeKind::Constant ||
      product.right->kind == NodeKind::Constant ||
      !file_has_word(site, {"log_softmax", "log_prob", "softmax_cross_entropy"}) ||
      (!is_recorded(site) && !is_in_gradient(site, *site.function))) {
    return;
  }
  FactorSearch search(site);
  const Expr *const left = factor_of(product.left);
  const Expr *const right = factor_of(product.right);
  Factor one = search.of(left);
  Factor other = search.of(right);
  const Expr *advantage = right;
  if (!one.is_log_probability) {
    std::swap(one, other);
    advantage = left;
  }
  if (!one.is_log_probability || one.is_difference || other.is_policy || !other.is_difference || !other.is_trained) {
    return;
  }
  report(site, *advantage,
         fmt::format("`{}` depends on the value that the same loss trains, so the policy's part of the loss also "
                     "changes the critic",
                     text_of(site, advantage)),
         fmt::format("stop the gradient: `{}({})`", site.module->jax ? "jax.lax.stop_gradient" : "tf.stop_gradient",
                     text_of(site, advantage)));
}

} // namespace

extern constinit const Rule kAdvantageNotStopped = {
    .info = {.code = "DP970",
             .name = "advantage-not-stopped",
             .summary = "a policy gradient whose advantage carries a gradient into the critic",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX, TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

The product of a log-probability and a difference with a value that the same loss trains (`log_prob * (returns - values)`), without
`stop_gradient` around the difference. Both are followed through names, functions and results.

## Why it is wrong

In a policy gradient the advantage is a weight. If its gradient flows, the policy's part of the loss also moves the critic, towards values that
make likely actions look better instead of towards the returns. Both parts then work against each other, and training becomes unstable.

## Bad

```python
import jax
import jax.numpy as jnp


def network(params, obs):
    hidden = jnp.tanh(obs @ params["w"])
    return hidden @ params["policy"], (hidden @ params["value"])[..., 0]


def loss_fn(params, obs, actions, returns):
    logits, values = network(params, obs)
    log_probs = jax.nn.log_softmax(logits)
    taken = jnp.take_along_axis(log_probs, actions[:, None], axis=-1)[:, 0]
    advantage = returns - values
    return -jnp.mean(taken * advantage) + jnp.mean(advantage**2)


gradients = jax.jit(jax.grad(loss_fn))
```

## Good

```python
import jax
import jax.numpy as jnp


def network(params, obs):
    hidden = jnp.tanh(obs @ params["w"])
    return hidden @ params["policy"], (hidden @ params["value"])[..., 0]


def loss_fn(params, obs, actions, returns):
    logits, values = network(params, obs)
    log_probs = jax.nn.log_softmax(logits)
    taken = jnp.take_along_axis(log_probs, actions[:, None], axis=-1)[:, 0]
    advantage = returns - values
    return -jnp.mean(taken * jax.lax.stop_gradient(advantage)) + jnp.mean(advantage**2)


gradients = jax.jit(jax.grad(loss_fn))
```

## When it is wrong

Where the gradient through the weight is intended, as in some meta-learning objectives.

## References

- Mnih et al. 2016, "Asynchronous Methods for Deep Reinforcement Learning": the gradient of the policy treats the advantage as a constant
)"},
    .nodes = {NodeKind::BinOp},
    .on_node = check};

} // namespace deepperf::rules::advantage_not_stopped
