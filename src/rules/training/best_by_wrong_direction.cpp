#include "rules/best_value.h"
#include "rules/metric_direction.h"

#include <fmt/format.h>
#include <limits>

namespace deepperf::rules::best_by_wrong_direction {

using namespace python;

namespace {

void add_finding(Site &site, const Node &place, std::string_view metric, Better better, std::string advice) {
  const std::string_view kept = better == Better::Lower ? "highest" : "lowest";
  report(site, place,
         fmt::format("the checkpoint with the {} `{}` counts as the best, which is the worst one", kept, metric),
         std::move(advice));
}

// TrainingArguments: without greater_is_better, higher is better unless the name ends with "loss".
void check_trainer(Site &site, const Call &call) {
  const model::Argument metric = argument_of(site, call, ~0U, "metric_for_best_model");
  const auto name = setting_of(site, metric, model::ConstantValue::none());
  const model::Argument direction = argument_of(site, call, ~0U, "greater_is_better");
  if (!name.has_value() || !name->as_string().has_value() || direction.unknown) {
    return;
  }
  const std::string text = *name->as_string();
  const Better better = better_when(text);
  const auto greater = setting_of(site, direction, model::ConstantValue::of(!text.ends_with("loss")));
  if (better == Better::Unknown || !greater.has_value() || !greater->as_bool().has_value() ||
      *greater->as_bool() == (better == Better::Higher)) {
    return;
  }
  const Keyword *written = keyword_argument(call, "metric_for_best_model");
  add_finding(site, written != nullptr ? static_cast<const Node &>(*written) : call, text, better,
              better == Better::Lower ? "pass `greater_is_better=False`" : "pass `greater_is_better=True`");
}

// Callbacks of Lightning: mode="min" unless it is given.
void check_callback(Site &site, const Call &call) {
  const bool stops = called_api(site, call).ends_with("EarlyStopping");
  const model::Argument monitor =
      stops ? argument_of(site, call, 0, "monitor") : argument_of(site, call, ~0U, "monitor");
  const auto name = setting_of(site, monitor, model::ConstantValue::none());
  const model::Argument given = argument_of(site, call, ~0U, "mode");
  if (!name.has_value() || !name->as_string().has_value() || given.unknown) {
    return;
  }
  const std::string text = *name->as_string();
  const Better better = better_when(text);
  const auto mode = setting_of(site, given, model::ConstantValue::of(std::string("min")));
  if (better == Better::Unknown || !mode.has_value() || !mode->as_string().has_value() || mode->as_string() == "auto" ||
      (mode->as_string() == "max") == (better == Better::Higher)) {
    return;
  }
  const Keyword *written = keyword_argument(call, "monitor");
  const Node &place = written != nullptr ? static_cast<const Node &>(*written) : call;
  const std::string advice = better == Better::Lower ? "pass `mode=\"min\"`" : "pass `mode=\"max\"`";
  if (stops) {
    report(
        site, place,
        fmt::format("training stops when `{}` no longer gets {}", text, better == Better::Lower ? "higher" : "lower"),
        advice);
  } else {
    add_finding(site, place, text, better, advice);
  }
}

// Callbacks of Keras: mode="auto" knows the usual metrics, so that only a mode that is given can be wrong.
void check_keras(Site &site, const Call &call) {
  const bool saves = called_api(site, call).ends_with("ModelCheckpoint");
  const auto name = setting_of(site, argument_of(site, call, saves ? 1 : 0, "monitor"), model::ConstantValue::none());
  const auto mode = setting_of(site, argument_of(site, call, ~0U, "mode"), model::ConstantValue::none());
  if (!name.has_value() || !name->as_string().has_value() || !mode.has_value() || !mode->as_string().has_value() ||
      (mode->text != "min" && mode->text != "max")) {
    return;
  }
  const Better better = better_when(name->text);
  if (better == Better::Unknown || (mode->text == "max") == (better == Better::Higher)) {
    return;
  }
  const Keyword *written = keyword_argument(call, "mode");
  const Node &place = written != nullptr ? static_cast<const Node &>(*written) : call;
  const std::string advice = better == Better::Lower ? "pass `mode=\"min\"`" : "pass `mode=\"max\"`";
  if (saves) {
    add_finding(site, place, name->text, better, advice);
    return;
  }
  report(site, place,
         fmt::format("the callback acts when `{}` no longer gets {}", name->text,
                     better == Better::Lower ? "higher" : "lower"),
         advice);
}

void check(Site &site, const Call &call) {
  if (site.module->is_test) {
    return;
  }
  if (called_api(site, call).starts_with("tensorflow.")) {
    check_keras(site, call);
    return;
  }
  if (called_api(site, call).starts_with("transformers.") || called_api(site, call).starts_with("trl.")) {
    check_trainer(site, call);
  } else {
    check_callback(site, call);
  }
}

// ---- `if loss < best: best = loss`, written out ---------------------------------------------------------------------

std::string_view last_word(const Site &site, const Expr *expr) {
  const std::string_view text = text_of(site, expr);
  const std::size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? text : text.substr(dot + 1);
}

// `best = metric` right in the branch; null if there is none.
const Assign *kept_in(const Site &site, const If &branch, const Expr *metric, const Expr *best) {
  for (const Stmt *statement : branch.body) {
    const auto *assignment = as<Assign>(statement);
    if (assignment != nullptr && assignment->targets.size() == 1 &&
        text_of(site, assignment->targets[0]) == text_of(site, best) &&
        text_of(site, assignment->value) == text_of(site, metric)) {
      return assignment;
    }
  }
  return nullptr;
}

void check_comparison(Site &site, const If &branch, const Compare &test) {
  if (test.rest.size() != 1) {
    return;
  }
  const Expr *metric = test.left;
  const Expr *best = test.rest[0].right;
  CompareOperator op = test.rest[0].op;
  const Assign *kept = kept_in(site, branch, metric, best);
  if (kept == nullptr) {
    std::swap(metric, best);
    kept = kept_in(site, branch, metric, best);
    op = op == CompareOperator::Lt    ? CompareOperator::Gt
         : op == CompareOperator::LtE ? CompareOperator::GtE
         : op == CompareOperator::Gt  ? CompareOperator::Lt
         : op == CompareOperator::GtE ? CompareOperator::LtE
                                      : op;
  }
  const bool keeps_lowest = op == CompareOperator::Lt || op == CompareOperator::LtE;
  const bool keeps_highest = op == CompareOperator::Gt || op == CompareOperator::GtE;
  if (kept == nullptr || keeps_lowest == keeps_highest || !keeps_model(site, branch)) {
    return;
  }
  const std::string_view name = last_word(site, metric);
  const std::string_view kept_name = last_word(site, best);
  const Better by_metric = better_when(name);
  const Better by_best = better_when(kept_name);
  const Better better = by_metric == Better::Unknown                         ? by_best
                        : by_best == Better::Unknown || by_best == by_metric ? by_metric
                                                                             : Better::Unknown;
  const Expr *first = set_before(site, best, kept->value);
  const double start = first != nullptr ? start_of(site, first) : std::numeric_limits<double>::quiet_NaN();
  constexpr double kHuge = 1e6;
  const bool is_never_lower = keeps_lowest && (start <= -kHuge || (start == 0 && better == Better::Lower));
  const bool is_never_higher = keeps_highest && start >= kHuge;
  if (is_never_lower || is_never_higher) {
    Finding &finding =
        report(site, test,
               fmt::format("`{}` starts at {}, so `{}` is never {}, and no checkpoint counts as the best", kept_name,
                           text_of(site, first), name, is_never_lower ? "lower" : "higher"),
               is_never_lower ? fmt::format("start with `{} = float(\"inf\")`", text_of(site, best))
                              : fmt::format("start with `{} = float(\"-inf\")`", text_of(site, best)));
    add_note(finding, site, *first, "it is set here");
    return;
  }
  // Who looks for the worst, or for a reward that should be low, names it so.
  if (better == Better::Unknown || keeps_lowest == (better == Better::Lower) ||
      kept_name.find("worst") != std::string_view::npos || kept_name.find("max") != std::string_view::npos ||
      kept_name.find("min") != std::string_view::npos) {
    return;
  }
  add_finding(site, test, name, better, keeps_lowest ? "compare with `>`" : "compare with `<`");
}

void check_branch(Site &site, const Node &node) {
  const auto &branch = static_cast<const If &>(node);
  if (site.module->is_test) {
    return;
  }
  if (const auto *test = as<Compare>(branch.test)) {
    check_comparison(site, branch, *test);
  } else if (const auto *both = as<BoolOp>(branch.test); both != nullptr && both->op() == BoolOperator::And) {
    for (const Expr *part : both->values) {
      if (const auto *test_part = as<Compare>(part)) {
        check_comparison(site, branch, *test_part);
      }
    }
  }
}

} // namespace

extern constinit const Rule kBestByWrongDirection = {
    .info = {.code = "DP903",
             .name = "best-by-wrong-direction",
             .summary = "a best checkpoint that is selected in the wrong direction of its metric",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`TrainingArguments(metric_for_best_model="wer")` without `greater_is_better=False`, Lightning's `ModelCheckpoint(monitor="val_acc")` or
`EarlyStopping(monitor="val_acc")` without `mode="max"`, and the same the other way around. The direction is inferred from the metric's name.
Also `if loss < best: best = loss; save()` where `best` starts at 0, where it starts at infinity and a higher value is better, and where the comparison
is the wrong way around.

## Why it is wrong

Transformers assumes that a higher value is better unless the name ends with `loss`. Lightning's `mode` is `min` by default. With the wrong
direction the worst checkpoint is kept and loaded at the end, or training stops as soon as it gets better.

## Bad

```python
from transformers import TrainingArguments

args = TrainingArguments("out", eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True, metric_for_best_model="wer")
```

## Good

```python
from transformers import TrainingArguments

args = TrainingArguments(
    "out",
    eval_strategy="epoch",
    save_strategy="epoch",
    load_best_model_at_end=True,
    metric_for_best_model="wer",
    greater_is_better=False,
)
```

## When it is wrong

Where a name means something other than usual.

## References

- Transformers: `TrainingArguments`, `greater_is_better`
- Lightning: `ModelCheckpoint`, `mode`
)"},
    .calls = "transformers.TrainingArguments transformers.Seq2SeqTrainingArguments trl.SFTConfig "
             "pytorch_lightning.callbacks.ModelCheckpoint pytorch_lightning.callbacks.EarlyStopping "
             "tensorflow.keras.callbacks.EarlyStopping tensorflow.keras.callbacks.ModelCheckpoint "
             "tensorflow.keras.callbacks.ReduceLROnPlateau",
    .on_call = check,
    .nodes = {NodeKind::If},
    .on_node = check_branch};

} // namespace deepperf::rules::best_by_wrong_direction
