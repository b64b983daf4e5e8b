#include "model/definitions.h"
#include "rules/encoding.h"
#include "rules/loss_call.h"
#include "rules/reach.h"
#include "rules/tree.h"
#include "rules/value_source.h"

#include <algorithm>

namespace deepperf::rules::causal_loss_not_shifted {

using namespace python;

namespace {

// ---- The model ------------------------------------------------------------------------------------------------------

bool is_hf_trainer(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const model::Value &base) {
      const std::string_view api = base.is(model::Value::Tag::Api) ? base.name().text() : std::string_view{};
      return api == "transformers.Trainer" || api == "transformers.Seq2SeqTrainer";
    });
  });
}

// The models that trainers of a class are constructed with.
struct TrainedModels {
  std::vector<model::Value> models;
};

const TrainedModels &models_of_trainer(const Site &site, const model::ClassInfo &type) {
  return site.memory.recall<TrainedModels>(&type, [&] {
    TrainedModels found;
    for (const auto &[made, places] : model::definitions_of(site.project).constructions) {
      if (std::ranges::find(made->mro, &type) == made->mro.end()) {
        continue;
      }
      for (const model::CallPlace &place : places) {
        const Expr *const given = argument(*place.call, 0, "model");
        found.models.push_back(given != nullptr ? value_of(site_of(site, *place.call), given) : model::Value{});
      }
    }
    return found;
  });
}

bool is_causal(const model::Value &value) {
  return value.is_kind(Kind::HfModel) && value.name() && makes_causal_model(value.name().text());
}

// Does the call run a causal language model? In `compute_loss(self, model, …)` of a Trainer, the one that it is given.
bool runs_causal_model(const Site &site, const Call &call) {
  std::string_view api;
  if (maker_of_callee(site, call, &api) != nullptr) {
    return makes_causal_model(api);
  }
  const auto *name = as<Name>(call.func);
  const model::FunctionInfo *const function = site.function;
  if (name == nullptr || function == nullptr || function->type == nullptr || function->params.size() < 2 ||
      function->params[1]->name != name->id || !is_hf_trainer(*function->type)) {
    return false;
  }
  const auto &models = models_of_trainer(site, *function->type).models;
  return !models.empty() && std::ranges::all_of(models, is_causal);
}

// The call of the model whose logits these are, as they were: `model(ids).logits`, `out["logits"]`, `out[0]`.
struct Logits {
  std::optional<ValueSource> model; // its expression is the call
};

Logits logits_behind(const ValueSource &origin) {
  const auto *attribute = as<Attribute>(origin.expr);
  const auto *element = as<Subscript>(origin.expr);
  const bool is_entry = element != nullptr && (string_of(origin.site, element->slice) == "logits" ||
                                               integer_of(origin.site, element->slice) == 0);
  const bool is_logits = (attribute != nullptr && attribute->attr.text() == "logits") || is_entry;
  if (!is_logits || origin.is_part) {
    return {};
  }
  auto made = value_source_of(origin.site, attribute != nullptr ? attribute->value : element->value);
  const auto *call = made.has_value() && !made->is_part ? as<Call>(made->expr) : nullptr;
  return call != nullptr && runs_causal_model(made->site, *call) ? Logits{std::move(made)} : Logits{};
}

// ---- The labels -----------------------------------------------------------------------------------------------------

// `batch["labels"]`, `inputs.pop("labels")`, `inputs.get("labels")`, `batch.labels`
bool is_entry_called(const Site &site, const Expr *expr, std::string_view name) {
  if (const auto *element = as<Subscript>(expr)) {
    return string_of(site, element->slice) == name;
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == name;
  }
  const auto *call = as<Call>(expr);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  return (method == "pop" || method == "get") && !call->args.empty() && string_of(site, call->args[0]) == name;
}

// Does any code of the project that has to do with labels take them one token later?
bool shifts_labels_somewhere(const Site &site) {
  struct Shifts {
    bool value = false;
  };
  return site.memory
      .recall<Shifts>(&site.project,
                      [&site] {
                        return Shifts{std::ranges::any_of(site.project.functions, [](const model::FunctionInfo &one) {
                          const std::string_view text = one.definition() != nullptr ? text_of(one) : std::string_view{};
                          return has_word(text, {"label", "target"}) &&
                                 has_word(text, {"1:]", "+ 1:", "+1:", "+ 1 :", "shift", "roll("});
                        })};
                      })
      .value;
}

// Are the labels the tokens that the model was given, at the same places?
bool is_aligned(const ValueSource &labels, const ValueSource &model) {
  if (labels.is_part) {
    return false;
  }
  const auto &call = *static_cast<const Call *>(model.expr);
  const Expr *const inputs = argument(call, 0, "input_ids");
  if (inputs != nullptr && inputs->kind != NodeKind::Starred) {
    const auto given = value_source_of(model.site, inputs);
    if (given.has_value() && !given->is_part && given->site.function == labels.site.function &&
        text_of(given->site, given->expr) == text_of(labels.site, labels.expr)) {
      return true;
    }
  }
  // By the convention of Transformers, where the model itself shifts them.
  return is_entry_called(labels.site, labels.expr, "labels") && !shifts_labels_somewhere(labels.site);
}

void check(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  const Expr *const target = loss.loss == Loss::CrossEntropy ? argument(call, 1, "target") : nullptr;
  if (target == nullptr || site.module->is_test || site.function == nullptr) {
    return;
  }
  for (const ValueSource &input : value_sources_of(site, loss.input)) {
    const Logits logits = logits_behind(input);
    if (!logits.model.has_value()) {
      continue;
    }
    const auto labels = value_sources_of(site, target);
    const bool all = !labels.empty() && std::ranges::all_of(labels, [&](const ValueSource &one) {
      return is_aligned(one, *logits.model);
    });
    if (!all) {
      return;
    }
    Finding &finding =
        report(site, call,
               "the logits of a causal language model are compared with the labels of the same positions, so the "
               "model learns to copy its input",
               "compare `logits[:, :-1]` with `labels[:, 1:]`");
    finding.notes.push_back({logits.model->site.module->file, logits.model->expr->span(), "the model runs here"});
    return;
  }
}

} // namespace

extern constinit const Rule kCausalLossNotShifted = {
    .info = {.code = "DP984",
             .name = "causal-loss-not-shifted",
             .summary = "a causal language model whose logits are compared with the tokens of the same positions",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A cross-entropy of the logits of a causal language model of Hugging Face (`AutoModelForCausalLM`, `GPT2LMHeadModel`) and the tokens that it was
given, or `batch["labels"]`, without moving one against the other by a token. The loss may be in a helper function, in `training_step` or in
`compute_loss` of a `Trainer`.

## Why it is wrong

The logits at a position are the model's prediction of the next token. Compared with the token of the same position, which the model can see, they
teach it to repeat its input: the loss falls quickly, and the model generates nonsense. `model(ids, labels=labels).loss` shifts the labels itself; a
custom loss has to do so.

## Bad

```python
import torch.nn.functional as F
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")


def step(ids):
    logits = model(input_ids=ids).logits
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten())
```

## Good

```python
import torch.nn.functional as F
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")


def step(ids):
    logits = model(input_ids=ids).logits
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
```

## When it is wrong

Where a data set of another project has shifted its labels already. Code of the project that does so silences the rule.

## References

- Transformers: causal language modeling ("the labels are shifted inside the model")
)"},
    .calls = kLossCalls,
    .on_call = check};

} // namespace deepperf::rules::causal_loss_not_shifted
