#include "rules/optax_chain.h"
#include "rules/origins.h"

namespace deepperf::rules::decay_after_optimizer {

using namespace python;

namespace {

// `add_decayed_weights(-rate * decay)` is what the optimizer would have made of it.
bool is_negative(const Expr *decay) {
  const auto *call = as<Call>(decay);
  const Expr *factor = call != nullptr ? argument(*call, 0, "weight_decay") : nullptr;
  const auto *product = as<BinOp>(factor);
  const auto *minus = as<UnaryOp>(product != nullptr ? product->left : factor);
  return minus != nullptr && minus->op() == UnaryOperator::USub;
}

void check(Site &site, const Call &call) {
  for (const Chain &chain : chains_of(site, call)) {
    const ChainPart *optimizer = nullptr;
    for (const ChainPart &part : chain) {
      if (part.what == Transformation::Optimizer) {
        optimizer = &part;
      } else if (optimizer != nullptr && part.what == Transformation::Decay && !is_negative(part.expr)) {
        Site there = site_of_origin(site, *part.function);
        Finding &finding = report(
            there, *part.expr,
            "after the optimizer, weight decay is added to the finished update, so the weights grow in every step",
            "use `optax.adamw`, or put `add_decayed_weights` before the optimizer");
        add_note(finding, site_of_origin(site, *optimizer->function), *optimizer->expr,
                 "the optimizer, which has applied the negative learning rate");
        return;
      }
    }
  }
}

} // namespace

extern constinit const Rule kDecayAfterOptimizer = {
    .info = {.code = "DP989",
             .name = "decay-after-optimizer",
             .summary = "weight decay that comes after the optimizer in `optax.chain`",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`optax.chain` with a complete optimizer (`optax.adam`, `optax.sgd`, …) and `add_decayed_weights` after it. The parts may come from
functions, from a table of them, or from a list that is built step by step.

## Why it is wrong

A chain passes gradients from left to right, and the optimizer ends with the negative learning rate. `add_decayed_weights` adds the weights
times its factor to its input. After the optimizer this has the wrong sign and no learning rate: the weights become larger in every step.

## Bad

```python
import optax

optimizer = optax.chain(optax.adam(1e-3), optax.add_decayed_weights(1e-4))
```

## Good

```python
import optax

optimizer = optax.adamw(1e-3, weight_decay=1e-4)
```

## When it is wrong

With a negative factor that contains the learning rate.

## References

- Optax documentation, `optax.chain` and `optax.add_decayed_weights`
)"},
    .calls = "optax.chain",
    .on_call = check};

} // namespace deepperf::rules::decay_after_optimizer
