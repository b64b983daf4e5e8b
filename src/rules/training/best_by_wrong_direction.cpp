#include "base/name_table.h"
#include "rules/site.h"

#include <cctype>
#include <fmt/format.h>

namespace deepperf::rules::best_by_wrong_direction {

using namespace python;

namespace {

enum class Better : u8 { Unknown, Lower, Higher };

// `eval_wer`, `val/mean_iou`: by the words that a metric's name is made of.
Better better_when(std::string_view metric) {
  static const NameTable kLower({"loss", "wer",  "cer",   "ter",        "mer", "rmse",  "mse",
                                 "mae",  "mape", "smape", "perplexity", "ppl", "error", "err",
                                 "fid",  "nll",  "eer",   "mpjpe",      "bpb", "bpc",   "rmsle"});
  static const NameTable kHigher({"acc",       "accuracy", "acc1",   "f1",        "auc",      "auroc",     "bleu",
                                  "sacrebleu", "rouge",    "rouge1", "rouge2",    "rougel",   "rougelsum", "map",
                                  "miou",      "iou",      "dice",   "precision", "recall",   "psnr",      "ssim",
                                  "r2",        "mcc",      "ndcg",   "mrr",       "spearman", "pearson",   "spearmanr",
                                  "pearsonr",  "reward",   "auprc",  "jaccard",   "kappa"});
  bool is_lower = false;
  bool is_higher = false;
  std::string word;
  const auto finish = [&] {
    const Symbol symbol = intern(word);
    is_lower = is_lower || kLower.has(symbol);
    is_higher = is_higher || kHigher.has(symbol);
    word.clear();
  };
  for (const char letter : metric) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
    } else {
      finish();
    }
  }
  finish();
  return is_lower == is_higher ? Better::Unknown : is_lower ? Better::Lower : Better::Higher;
}

void tell(Site &site, const Node &place, std::string_view metric, Better better, std::string advice) {
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
  tell(site, written != nullptr ? static_cast<const Node &>(*written) : call, text, better,
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
    tell(site, place, text, better, advice);
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
    tell(site, place, name->text, better, advice);
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
`EarlyStopping(monitor="val_acc")` without `mode="max"`, and the same the other way around. The direction is told from the metric's name.

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

Where a name means something else than usual.

## References

- Transformers: `TrainingArguments`, `greater_is_better`
- Lightning: `ModelCheckpoint`, `mode`
)"},
    .calls = "transformers.TrainingArguments transformers.Seq2SeqTrainingArguments trl.SFTConfig "
             "pytorch_lightning.callbacks.ModelCheckpoint pytorch_lightning.callbacks.EarlyStopping "
             "tensorflow.keras.callbacks.EarlyStopping tensorflow.keras.callbacks.ModelCheckpoint "
             "tensorflow.keras.callbacks.ReduceLROnPlateau",
    .on_call = check};

} // namespace deepperf::rules::best_by_wrong_direction
