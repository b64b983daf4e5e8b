#include "rules/site.h"

#include <string>

namespace deepperf::rules::logits_gathered {

using namespace python;
using model::Value;

namespace {

// Gives a score for each word of the vocabulary at each position.
bool is_language_model(std::string_view maker) {
  return maker.find("CausalLM") != std::string_view::npos || maker.find("MaskedLM") != std::string_view::npos ||
         maker.find("LMHeadModel") != std::string_view::npos || maker.find("Seq2SeqLM") != std::string_view::npos ||
         maker.find("ForConditionalGeneration") != std::string_view::npos;
}

void check(Site &site, const Call &call) {
  const model::Argument metrics = argument_of(site, call, ~0U, "compute_metrics");
  if (metrics.unknown || metrics.given.size() != 1 || is_none(metrics.given[0].expr) ||
      !argument_of(site, call, ~0U, "preprocess_logits_for_metrics").is_absent()) {
    return;
  }
  const std::string_view trainer = called_api(site, call);
  if (trainer == "transformers.Seq2SeqTrainer") {
    return; // it generates text, in general
  }
  const model::Argument model = argument_of(site, call, 0, "model");
  const Value value =
      !model.unknown && model.given.size() == 1 ? model::value_of(model.given[0].scope, model.given[0].expr) : Value{};
  if (!value.is_kind(Kind::HfModel) || value.maker() == nullptr || !value.name() ||
      !is_language_model(value.name().text())) {
    return;
  }
  const Keyword *const written = keyword_argument(call, "compute_metrics");
  const Node &place = written != nullptr ? static_cast<const Node &>(*written) : call;
  Finding &finding =
      report(site, place,
             "evaluation keeps the logits of every token over the whole vocabulary until it calls `compute_metrics`",
             "pass `preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(dim=-1)`");
  finding.notes.push_back({site_of(site, *value.maker()).module->file, value.maker()->span(),
                           "this model returns one logit for each word of the vocabulary"});
}

} // namespace

extern constinit const Rule kLogitsGathered = {
    .info = {.code = "DP157",
             .name = "logits-gathered",
             .summary = "a language model's `Trainer` that gathers all logits for `compute_metrics`",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Transformers `Trainer` with `compute_metrics` and without `preprocess_logits_for_metrics`, whose model is a language
model.

## Why it costs

The `Trainer` keeps the model's outputs for the whole evaluation set: tokens × vocabulary numbers of 4 bytes each. A
thousand texts of 512 tokens with a vocabulary of 50,000 words take 100 GB. They are also gathered from all processes.

## Bad

```python
from transformers import AutoModelForCausalLM, Trainer


def fit(dataset, metrics):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    trainer = Trainer(model=model, eval_dataset=dataset, compute_metrics=metrics)
    trainer.evaluate()
```

## Good

```python
from transformers import AutoModelForCausalLM, Trainer


def best_words(logits, labels):
    return logits.argmax(dim=-1)


def fit(dataset, metrics):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    trainer = Trainer(
        model=model,
        eval_dataset=dataset,
        compute_metrics=metrics,
        preprocess_logits_for_metrics=best_words,
    )
    trainer.evaluate()
```

## When it is wrong

For evaluation sets of a few texts, and with `prediction_loss_only` or `predict_with_generate`.

## References

- Transformers: `Trainer`, `preprocess_logits_for_metrics`
)"},
    .calls = "transformers.Trainer trl.SFTTrainer",
    .on_call = check};

} // namespace deepperf::rules::logits_gathered
