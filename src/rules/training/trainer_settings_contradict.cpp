#include "rules/callables.h"
#include "rules/options.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace deepperf::rules::trainer_settings_contradict {

using namespace python;

namespace {

// The constant that an argument certainly is.
std::optional<model::ConstantValue> fixed(const Site &site, const Call &call, std::string_view name,
                                          const model::ConstantValue &otherwise) {
  const auto setting = setting_of(site, argument_of(site, call, ~0U, name), otherwise);
  return setting.has_value() && !setting->overridable ? setting : std::nullopt;
}

bool is_true(const Site &site, const Call &call, std::string_view name) {
  const auto setting = fixed(site, call, name, model::ConstantValue::of(false));
  return setting.has_value() && setting->as_bool() == true;
}

// The keys of the only dictionary that a function returns; none if they are not known.
std::vector<std::string> returned_keys(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  std::vector<std::string> keys;
  bool is_known = definition != nullptr;
  u32 returns = 0;
  if (definition != nullptr) {
    any_node(definition->body, [&](const Node *node) {
      const auto *result = as<Return>(node);
      if (result == nullptr) {
        return false;
      }
      const auto *written = as<Dict>(result->value);
      is_known = is_known && written != nullptr;
      for (u32 i = 0; written != nullptr && i < written->items.size(); ++i) {
        const auto key = written->items[i].key != nullptr ? string_of(site, written->items[i].key) : std::nullopt;
        is_known = is_known && key.has_value();
        keys.push_back(key.value_or(""));
      }
      ++returns;
      return false;
    });
  }
  return is_known && returns == 1 ? keys : std::vector<std::string>{};
}

void check_metric(Site &site, const Call &trainer, const Site &there, const Call &made) {
  const auto metric = fixed(there, made, "metric_for_best_model", model::ConstantValue::none());
  const Option metrics = option_of(site, trainer, "compute_metrics");
  const model::FunctionInfo *const function =
      metrics.value != nullptr ? callable_of(metrics.scope, metrics.value) : nullptr;
  if (!metric.has_value() || !metric->as_string().has_value() || !is_true(there, made, "load_best_model_at_end") ||
      function == nullptr) {
    return;
  }
  std::string name = *metric->as_string();
  name = name.starts_with("eval_") ? name.substr(5) : name;
  const std::vector<std::string> keys = returned_keys(site, *function);
  const auto means = [&name](const std::string &key) { return key == name || key == "eval_" + name; };
  if (keys.empty() || name == "loss" || name == "runtime" || name.ends_with("per_second") ||
      std::ranges::any_of(keys, means)) {
    return;
  }
  Finding &finding = report_option(
      site, trainer, metrics,
      fmt::format("the best model is chosen by `{}`, which this function does not return: KeyError", name),
      fmt::format("return `{}`, or pass `metric_for_best_model=\"{}\"`", name, keys[0]));
  finding.notes.push_back({there.module->file, made.span(), "the metric is named here"});
}

void check_trainer(Site &site, const Call &call) {
  const model::Argument settings = argument_of(site, call, 1, "args");
  if (settings.unknown || settings.given.size() != 1 || site.function == nullptr) {
    return;
  }
  const auto written = model::written_as(settings.given[0].scope, settings.given[0].expr);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  if (made == nullptr) {
    return;
  }
  const Site there = site_of(site, *made);
  const std::string_view api = called_api(there, *made);
  if (api != "transformers.TrainingArguments" && api != "transformers.Seq2SeqTrainingArguments") {
    return;
  }
  check_metric(site, call, there, *made);
  const bool is_old = !argument_of(there, *made, ~0U, "evaluation_strategy").is_absent();
  const auto strategy = fixed(there, *made, is_old ? "evaluation_strategy" : "eval_strategy",
                              model::ConstantValue::of(std::string("no")));
  constexpr u32 kEvalSet = 4;
  const bool is_given = !argument_of(site, call, kEvalSet, "eval_dataset").is_absent();
  if (!is_given && strategy.has_value() && strategy->as_string().has_value() && *strategy->as_string() != "no") {
    Finding &finding =
        report(site, call,
               fmt::format("the Trainer is set to evaluate (\"{}\") but has no `eval_dataset`: ValueError",
                           *strategy->as_string()),
               "pass `eval_dataset`, or omit `eval_strategy`");
    finding.notes.push_back({there.module->file, made->span(), "the evaluation is requested here"});
    return;
  }
  const Keyword *const callbacks = keyword_argument(call, "callbacks");
  const bool stops = callbacks != nullptr && any_node(callbacks->value, [&](const Node *node) {
                       const auto *one = as<Call>(node);
                       return one != nullptr && called_api(site, *one) == "transformers.EarlyStoppingCallback";
                     });
  const auto metric = fixed(there, *made, "metric_for_best_model", model::ConstantValue::none());
  const auto best = fixed(there, *made, "load_best_model_at_end", model::ConstantValue::of(false));
  if (stops && metric.has_value() && metric->is_none() && best.has_value() && best->as_bool() == false) {
    Finding &finding = report(site, *callbacks, "`EarlyStoppingCallback` needs a metric to compare: AssertionError",
                              "pass `load_best_model_at_end=True` and `metric_for_best_model` to the arguments");
    finding.notes.push_back({there.module->file, made->span(), "these arguments name none"});
  }
}

void check(Site &site, const Call &call) {
  if (site.module->is_test) {
    return;
  }
  if (called_api(site, call).ends_with("Trainer")) {
    check_trainer(site, call);
  } else if (is_true(site, call, "fp16") && is_true(site, call, "bf16")) {
    report(site, call, "`fp16` and `bf16` exclude each other: ValueError", "omit one of them");
  }
}

} // namespace

extern constinit const Rule kTrainerSettingsContradict = {
    .info = {.code = "DP943",
             .name = "trainer-settings-contradict",
             .summary = "settings of a Transformers Trainer that contradict each other",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

- `fp16=True` together with `bf16=True`
- an `eval_strategy` other than `"no"`, and a Trainer without `eval_dataset`
- `EarlyStoppingCallback` with arguments that neither evaluate nor set `metric_for_best_model` or `load_best_model_at_end`
- a `metric_for_best_model` that `compute_metrics` does not return

## Why it is wrong

The constructor, or the first evaluation, raises an exception.

## Bad

```python
from transformers import Trainer, TrainingArguments


def train(model, data):
    arguments = TrainingArguments("out", eval_strategy="epoch", bf16=True)
    Trainer(model=model, args=arguments, train_dataset=data).train()
```

## Good

```python
from transformers import Trainer, TrainingArguments


def train(model, data, held_out):
    arguments = TrainingArguments("out", eval_strategy="epoch", bf16=True)
    Trainer(model=model, args=arguments, train_dataset=data, eval_dataset=held_out).train()
```

## When it is wrong

Where a subclass of the Trainer, which the rule does not analyze, does not need them.

## References

- Transformers: `Trainer`, `TrainingArguments`, `EarlyStoppingCallback`
)"},
    .calls = "transformers.Trainer transformers.Seq2SeqTrainer transformers.TrainingArguments "
             "transformers.Seq2SeqTrainingArguments trl.SFTConfig",
    .on_call = check};

} // namespace deepperf::rules::trainer_settings_contradict
