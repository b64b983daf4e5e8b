#include "base/name_table.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::flax_mode_constant {

using namespace python;

namespace {

// The parameter of the method that tells training from evaluation; empty if there is none.
Symbol mode_of(const FunctionDef &definition) {
  static const NameTable kModes({"train", "training", "is_training", "deterministic", "is_train", "eval_mode"});
  const auto found = std::ranges::find_if(definition.params,
                                          [](const Param *param) { return param->name && kModes.has(param->name); });
  return found != definition.params.end() ? (*found)->name : Symbol{};
}

// `nn.Dropout(0.1, deterministic=False)(x)`, `nn.Dropout(0.1)(x, deterministic=False)`: the keyword of either call.
const Keyword *mode_keyword(const Site &site, const Call &layer, std::string_view keyword) {
  if (const Keyword *given = keyword_argument(layer, keyword)) {
    return given;
  }
  const auto *applied = !site.ancestors.empty() ? as<Call>(site.ancestors.back()) : nullptr;
  return applied != nullptr && applied->func == &layer ? keyword_argument(*applied, keyword) : nullptr;
}

void check(Site &site, const Call &call) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (definition == nullptr || site.function->type == nullptr || site.module->is_test ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const bool is_dropout = called_api(site, call).ends_with("Dropout");
  const Keyword *given = mode_keyword(site, call, is_dropout ? "deterministic" : "use_running_average");
  const Symbol mode = mode_of(*definition);
  if (given == nullptr || !mode || !is_constant(given->value, ConstantKind::False)) {
    return;
  }
  const bool is_inverted = mode.text() == "deterministic" || mode.text() == "eval_mode";
  report(site, *given,
         is_dropout
             ? fmt::format("this dropout ignores `{}`, so it stays active in evaluation", mode.text())
             : fmt::format("this `BatchNorm` ignores `{}`, so it uses the statistics of the batch even in evaluation",
                           mode.text()),
         fmt::format("pass `{}={}{}`", given->name.text(), is_inverted ? "" : "not ", mode.text()));
}

} // namespace

extern constinit const Rule kFlaxModeConstant = {
    .info = {.code = "DP862",
             .name = "flax-mode-constant",
             .summary = "a Flax `Dropout` or `BatchNorm` that ignores the module's `train` argument",
             .root_cause = "Training: Wrong Mode",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`nn.Dropout(…, deterministic=False)` or `nn.BatchNorm(use_running_average=False)` in a method of a Flax module that has an argument for the
mode: `train`, `training`, `deterministic` or the like.

## Why it is wrong

The layer stays in training mode when the model is evaluated: predictions are random, or depend on which examples share a batch.

## Bad

```python
import flax.linen as nn


class Block(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.BatchNorm(use_running_average=not train)(nn.Dense(64)(x))
        return nn.Dropout(0.1, deterministic=False)(x)
```

## Good

```python
import flax.linen as nn


class Block(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.BatchNorm(use_running_average=not train)(nn.Dense(64)(x))
        return nn.Dropout(0.1, deterministic=not train)(x)
```

## When it is wrong

Where dropout is intended in evaluation too, as in Monte Carlo dropout.

## References

- Flax documentation, "Dropout" and "Batch normalization"
)"},
    .calls = "flax.linen.Dropout flax.linen.BatchNorm",
    .on_call = check};

} // namespace deepperf::rules::flax_mode_constant
