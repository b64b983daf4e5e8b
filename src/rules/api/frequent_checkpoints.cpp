#include "rules/options.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::frequent_checkpoints {

using namespace python;

namespace {

constexpr i64 kFew = 20;       // steps between two checkpoints
constexpr i64 kShortRun = 500; // steps in all: a test

struct Setting {
  std::string_view name;
  std::string_view strategy; // that must not be "epoch" or "no"
  std::string_view old_strategy;
  bool is_default_strategy; // without a strategy, the steps count
  std::string_view what;
};

constexpr Setting kSaves = {"save_steps", "save_strategy", "", true, "saves a checkpoint"};
constexpr Setting kEvaluates = {"eval_steps", "eval_strategy", "evaluation_strategy", false,
                                "evaluates the whole evaluation set"};

void check_setting(Site &site, const Call &call, const Setting &setting) {
  const Option steps = option_of(site, call, setting.name);
  const auto &count = steps.constant;
  const auto number = count.has_value() ? count->as_integer() : std::nullopt;
  if (!number.has_value() || *number < 1 || *number > kFew) {
    return;
  }
  Option strategy = option_of(site, call, setting.strategy);
  if (strategy.is_absent && !setting.old_strategy.empty()) {
    strategy = option_of(site, call, setting.old_strategy);
  }
  const bool by_steps = strategy.is_absent ? setting.is_default_strategy : strategy.as_string() == "steps";
  const i64 most = option_of(site, call, "max_steps").as_integer().value_or(-1);
  if (!by_steps || (most > 0 && most < kShortRun)) {
    return;
  }
  Finding &finding = report_option(
      site, call, steps,
      fmt::format("{}training {} every {} steps", count->overridable ? "by default, " : "", setting.what, *number),
      fmt::format("set `{}` to hundreds or thousands of steps, or use the strategy \"epoch\"", setting.name));
  constexpr i64 kVeryFew = 10;
  if (*number > kVeryFew) {
    finding.tier = Tier::Hint; // with large batches a step can take minutes
  }
}

// Lightning: `Trainer(val_check_interval=5)`, where a whole number counts batches, and
// `ModelCheckpoint(every_n_train_steps=5)`.
struct Steps {
  i64 count = 0;
  bool overridable = false;
  const Expr *written = nullptr;
  const model::Module *module = nullptr;
};

// Of all that the argument may be, the first that is a small whole number. An option of 1 may be read as 1.0, so a 1
// counts only where it is written down.
std::optional<Steps> few_steps(const model::Argument &argument, bool is_fraction) {
  constexpr i64 kVeryFew = 10;
  for (const model::Argument::Given &given : argument.given) {
    const auto value = model::constant_of(given.scope, given.expr);
    const auto count = value.has_value() ? value->as_integer() : std::nullopt;
    if (count.has_value() && *count >= 1 && *count <= kVeryFew &&
        (!is_fraction || *count != 1 || given.expr->kind == NodeKind::Constant)) {
      return Steps{*count, value->overridable, given.expr, given.scope.module};
    }
  }
  return std::nullopt;
}

void check_lightning(Site &site, const Call &call) {
  const bool saves = called_api(site, call).ends_with("ModelCheckpoint");
  const std::string_view name = saves ? "every_n_train_steps" : "val_check_interval";
  const auto steps = few_steps(argument_of(site, call, ~0U, name), !saves);
  const auto is_given = [&](std::string_view other) { return !argument_of(site, call, ~0U, other).given.empty(); };
  if (!steps.has_value() || is_given("limit_val_batches") || is_given("fast_dev_run") ||
      is_given("limit_train_batches") || is_given("overfit_batches")) {
    return;
  }
  const auto most = setting_of(site, argument_of(site, call, ~0U, "max_steps"), model::ConstantValue::of(i64{-1}));
  if (most.has_value() && most->as_integer().value_or(-1) > 0 && *most->as_integer() < kShortRun) {
    return;
  }
  const Keyword *const written = keyword_argument(call, name);
  Finding &finding =
      report(site, written != nullptr ? static_cast<const Node &>(*written) : call,
             steps->count == 1
                 ? fmt::format("{}training {} after every step", steps->overridable ? "by default, " : "",
                               saves ? "saves a checkpoint" : "evaluates the whole validation set")
                 : fmt::format("{}training {} every {} steps", steps->overridable ? "by default, " : "",
                               saves ? "saves a checkpoint" : "evaluates the whole validation set", steps->count),
             !saves && steps->count == 1
                 ? "use the fraction `1.0` for once per epoch: a whole number counts batches"
                 : fmt::format("set `{}` to hundreds or thousands of steps, or to once per epoch", name));
  if (written == nullptr) {
    finding.notes.push_back({steps->module->file, steps->written->span(), fmt::format("`{}` is set here", name)});
  }
}

void check(Site &site, const Call &call) {
  if (site.module->is_test) {
    return;
  }
  if (called_api(site, call).starts_with("pytorch_lightning.")) {
    check_lightning(site, call);
    return;
  }
  check_setting(site, call, kSaves);
  check_setting(site, call, kEvaluates);
}

} // namespace

extern constinit const Rule kFrequentCheckpoints = {
    .info = {.code = "DP184",
             .name = "frequent-checkpoints",
             .summary = "a Trainer that saves or evaluates every few steps",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`TrainingArguments` of Hugging Face with `save_steps` of at most 10 steps, or with `eval_steps` of at most 10 steps and the strategy "steps". Up to 20 steps it is a hint. The same for `val_check_interval` and `every_n_train_steps` of Lightning. Runs with a
small `max_steps` are not reported.

## Why it costs

A checkpoint holds the weights and the optimizer's state, three times the size of the model in float32. All processes wait while it is written. An evaluation runs the whole
evaluation set. Every few steps, that takes longer than the training.

## Bad

```python
from transformers import TrainingArguments

arguments = TrainingArguments(output_dir="out", save_steps=5)
```

## Good

```python
from transformers import TrainingArguments

arguments = TrainingArguments(output_dir="out", save_steps=1000)
```

## When it is wrong

Where a step takes minutes, as with very large batches.

## References

- Hugging Face Transformers: TrainingArguments
)"},
    .calls = "transformers.TrainingArguments transformers.Seq2SeqTrainingArguments trl.SFTConfig trl.DPOConfig "
             "pytorch_lightning.Trainer pytorch_lightning.callbacks.ModelCheckpoint",
    .on_call = check};

} // namespace deepperf::rules::frequent_checkpoints
