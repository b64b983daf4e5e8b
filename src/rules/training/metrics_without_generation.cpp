#include "rules/callables.h"
#include "rules/options.h"
#include "rules/reach.h"

namespace deepperf::rules::metrics_without_generation {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const Option metrics = option_of(site, call, "compute_metrics");
  const model::Argument settings = argument_of(site, call, 1, "args");
  if (metrics.value == nullptr || settings.unknown || settings.given.size() != 1 || site.function == nullptr ||
      !are_absent(site, call, {"preprocess_logits_for_metrics"}) || site.module->is_test) {
    return;
  }
  const model::FunctionInfo *const function = callable_of(metrics.scope, metrics.value);
  if (function == nullptr || !has_word(text_of(*function), {".batch_decode("}) ||
      has_word(text_of(*function), {"argmax"})) {
    return;
  }
  const auto written = model::written_as(settings.given[0].scope, settings.given[0].expr);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  if (made == nullptr) {
    return;
  }
  const Site there = site_of(site, *made);
  if (called_api(there, *made) != "transformers.Seq2SeqTrainingArguments") {
    return;
  }
  const auto generates =
      setting_of(there, argument_of(there, *made, ~0U, "predict_with_generate"), model::ConstantValue::of(false));
  if (!generates.has_value() || generates->overridable || generates->as_bool() != false) {
    return;
  }
  Finding &finding = report_option(site, call, metrics,
                                   "this decodes the predictions, but without `predict_with_generate` they are logits",
                                   "pass `predict_with_generate=True` to `Seq2SeqTrainingArguments`");
  finding.notes.push_back({there.module->file, made->span(), "these arguments do not request generation"});
}

} // namespace

extern constinit const Rule kMetricsWithoutGeneration = {
    .info = {.code = "DP932",
             .name = "metrics-without-generation",
             .summary = "text metrics of a sequence-to-sequence Trainer that never generates text",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `Seq2SeqTrainer` whose `compute_metrics` decodes the predictions, with arguments that do not set `predict_with_generate=True`.

## Why it is wrong

Without generation the predictions are logits of the teacher-forced decoder, floating-point numbers of shape `[N, length, vocabulary]`.
Decoding them fails, and their argmax would be scored with the correct earlier tokens as input.

## Bad

```python
from transformers import AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def texts(output):
    return {"length": len(tokenizer.batch_decode(output.predictions, skip_special_tokens=True)[0])}


def train(model, data):
    arguments = Seq2SeqTrainingArguments("out", bf16=True)
    Seq2SeqTrainer(model=model, args=arguments, train_dataset=data, compute_metrics=texts).train()
```

## Good

```python
from transformers import AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def texts(output):
    return {"length": len(tokenizer.batch_decode(output.predictions, skip_special_tokens=True)[0])}


def train(model, data):
    arguments = Seq2SeqTrainingArguments("out", bf16=True, predict_with_generate=True)
    Seq2SeqTrainer(model=model, args=arguments, train_dataset=data, compute_metrics=texts).train()
```

## When it is wrong

Where `compute_metrics` takes the argmax itself: functions with `argmax` are not reported.

## References

- Transformers: `Seq2SeqTrainingArguments.predict_with_generate`
)"},
    .calls = "transformers.Seq2SeqTrainer",
    .on_call = check};

} // namespace deepperf::rules::metrics_without_generation
