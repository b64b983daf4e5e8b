#include "rules/site.h"

#include <fmt/format.h>
#include <string>

namespace deepperf::rules::best_model_unmatched {

using namespace python;
using model::Value;

namespace {

// The constant that an argument certainly is.
std::optional<model::ConstantValue> fixed(const Site &site, const Call &call, std::string_view name,
                                          const model::ConstantValue &otherwise) {
  const auto setting = setting_of(site, argument_of(site, call, ~0U, name), otherwise);
  return setting.has_value() && !setting->overridable ? setting : std::nullopt;
}

std::optional<std::string> strategy(const Site &site, const Call &call, std::string_view name,
                                    std::string_view otherwise) {
  const auto setting = fixed(site, call, name, model::ConstantValue::of(std::string(otherwise)));
  return setting.has_value() ? setting->as_string() : std::nullopt;
}

std::optional<i64> steps(const Site &site, const Call &call, std::string_view name, i64 otherwise) {
  const auto setting = fixed(site, call, name, model::ConstantValue::of(otherwise));
  return setting.has_value() ? setting->as_integer() : std::nullopt;
}

void check(Site &site, const Call &call) {
  const auto best = fixed(site, call, "load_best_model_at_end", model::ConstantValue::of(false));
  if (!best.has_value() || best->as_bool() != true || site.module->is_test) {
    return;
  }
  const bool is_old = !argument_of(site, call, ~0U, "evaluation_strategy").is_absent();
  const auto evaluated = strategy(site, call, is_old ? "evaluation_strategy" : "eval_strategy", "no");
  const auto saved = strategy(site, call, "save_strategy", "steps");
  if (!evaluated.has_value() || !saved.has_value() || *saved == "best") {
    return;
  }
  if (*evaluated != *saved) {
    report(
        site, call,
        fmt::format("`load_best_model_at_end` needs evaluation and saving at the same times, but they are \"{}\" and "
                    "\"{}\": ValueError",
                    *evaluated, *saved),
        *evaluated == "no" ? fmt::format("pass `eval_strategy=\"{}\"`", *saved)
                           : fmt::format("pass `save_strategy=\"{}\"`", *evaluated));
    return;
  }
  const auto every = steps(site, call, "eval_steps", 0);
  const auto save = steps(site, call, "save_steps", 500);
  if (*saved == "steps" && every.has_value() && save.has_value() && *every > 0 && *save > 0 && *save % *every != 0) {
    report(site, call,
           fmt::format("a checkpoint is saved every {} steps, which is not a multiple of `eval_steps`, {}: ValueError",
                       *save, *every),
           fmt::format("pass `save_steps={}`", *every));
  }
}

} // namespace

extern constinit const Rule kBestModelUnmatched = {
    .info = {.code = "DP931",
             .name = "best-model-unmatched",
             .summary = "`load_best_model_at_end` with evaluation and saving at different times",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`TrainingArguments(load_best_model_at_end=True)` whose `eval_strategy` and `save_strategy` differ, also because one of them keeps its
default (`"no"` and `"steps"`), or whose `save_steps` is not a multiple of `eval_steps`.

## Why it is wrong

The best model can be loaded only if a checkpoint exists for every evaluation. The constructor raises a `ValueError`.

## Bad

```python
from transformers import TrainingArguments

arguments = TrainingArguments("out", eval_strategy="epoch", load_best_model_at_end=True)
```

## Good

```python
from transformers import TrainingArguments

arguments = TrainingArguments("out", eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True)
```

## When it is wrong

Never, for arguments that are written as literals.

## References

- Transformers: `TrainingArguments.load_best_model_at_end`
)"},
    .calls = "transformers.TrainingArguments transformers.Seq2SeqTrainingArguments trl.SFTConfig",
    .on_call = check};

} // namespace deepperf::rules::best_model_unmatched
