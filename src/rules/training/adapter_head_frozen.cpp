#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::adapter_head_frozen {

using namespace python;
using model::Value;

namespace {

std::string_view api_of(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  return callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
}

// Loads a classifier, and gives it a new last layer: `from_pretrained(…, num_labels=n)`.
bool makes_new_head(const Site &site, const Call &call) {
  const std::string_view api = api_of(site, call);
  if (api == "timm.create_model") {
    const Keyword *const classes = keyword_argument(call, "num_classes");
    const Keyword *const pretrained = keyword_argument(call, "pretrained");
    return classes != nullptr && integer_of(site, classes->value).value_or(1) != 0 && pretrained != nullptr &&
           bool_of(site, pretrained->value) == true;
  }
  return api.starts_with("transformers.") && api.ends_with("Classification.from_pretrained") &&
         (keyword_argument(call, "num_labels") != nullptr || keyword_argument(call, "id2label") != nullptr ||
          keyword_argument(call, "ignore_mismatched_sizes") != nullptr);
}

// The call that made the classifier that gets adapters; null if it may be something else.
const Call *classifier_behind(const Site &site, const Expr *model) {
  const Call *found = nullptr;
  bool is_other = false;
  for_each_alternative(value_of(site, model), [&](const Value &one) {
    const std::string_view api = one.maker() != nullptr ? api_of(site, *one.maker()) : std::string_view{};
    if (one.maker() != nullptr && makes_new_head(site, *one.maker())) {
      is_other |= found != nullptr && found != one.maker();
      found = one.maker();
    } else {
      is_other |= !api.starts_with("peft."); // the same name afterwards
    }
  });
  return is_other ? nullptr : found;
}

// Does PEFT itself keep the head trainable: `task_type="SEQ_CLS"`? Also where that is not known.
bool is_kept_by_task(const Site &site, const Call &config) {
  const model::Argument task = argument_of(site, config, 0, "task_type");
  if (task.is_absent()) {
    return false;
  }
  if (task.given.size() != 1 || task.unknown) {
    return true;
  }
  const auto *member = as<Attribute>(task.given[0].expr); // TaskType.CAUSAL_LM
  const auto text = model::constant_of(task.given[0].scope, task.given[0].expr);
  const std::string name = member != nullptr   ? std::string(member->attr.text())
                           : !text.has_value() ? ""
                           : text->is_none()   ? "None"
                                               : text->as_string().value_or("");
  return name != "None" && name != "CAUSAL_LM" && name != "SEQ_2_SEQ_LM" && name != "FEATURE_EXTRACTION";
}

// Are the adapted layers named, and none of them the head?
bool spares_head(const Site &site, const Call &config) {
  const model::Argument targets = argument_of(site, config, ~0U, "target_modules");
  if (targets.given.size() != 1 || targets.unknown) {
    return targets.is_absent();
  }
  const auto written = model::written_as(targets.given[0].scope, targets.given[0].expr);
  const auto names = written.size() == 1 ? as<List>(written[0].expr) : nullptr;
  return names != nullptr && std::ranges::all_of(names->elts, [&](const Expr *name) {
           const auto text = model::constant_of(written[0].scope, name);
           const std::string part = text.has_value() ? text->as_string().value_or("head") : "head";
           return !has_word(part, {"head", "classifier", "score", "fc", "linear", "proj_out", "out_proj"}) ||
                  part == "out_proj" || part == "fc1" || part == "fc2" || part == "mlp.fc1" || part == "mlp.fc2";
         });
}

// The call that makes the configuration, which may be in a function that returns it; null if that is not known.
const Call *config_behind(const Site &site, const model::Scope &scope, const Expr *expr, u32 depth) {
  constexpr u32 kMostDepth = 3;
  const auto written = model::written_as(scope, expr);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  const model::FunctionInfo *const function = made != nullptr ? called_function(site, *made) : nullptr;
  const Expr *const result = function != nullptr ? returned_at_end(site, *made) : nullptr;
  return function == nullptr ? made
         : result != nullptr && depth < kMostDepth
             ? config_behind(site, model::scope_of(site.project, *function), result, depth + 1)
             : nullptr;
}

void check(Site &site, const Call &call) {
  const Expr *const model = argument(call, 0, "model");
  if (model == nullptr || site.function == nullptr || site.module->is_test) {
    return;
  }
  const Call *const classifier = classifier_behind(site, model);
  const model::Argument given = argument_of(site, call, 1, "peft_config");
  if (classifier == nullptr || given.given.size() != 1 || given.unknown) {
    return;
  }
  const Call *const config = config_behind(site, given.given[0].scope, given.given[0].expr, 0);
  if (config == nullptr) {
    return;
  }
  const Site there = site_of(site, *config);
  const std::string_view api = api_of(site, *config);
  const model::Argument saved = argument_of(there, *config, ~0U, "modules_to_save");
  const auto setting = setting_of(there, saved, model::ConstantValue::none());
  if ((api != "peft.LoraConfig" && api != "peft.AdaLoraConfig" && api != "peft.IA3Config" && api != "peft.LoHaConfig" &&
       api != "peft.LoKrConfig") ||
      !setting.has_value() || !setting->is_none() || is_kept_by_task(there, *config) || !spares_head(there, *config) ||
      project_has_word(site, {"requires_grad", "modules_to_save =", "modules_to_save.append", "unfreeze"})) {
    return;
  }
  Finding &finding = report(site.findings, *site.rule, *there.module, config->span(),
                            "the new classification head is not in `modules_to_save`, so it stays random and frozen",
                            "add the name of the head: `modules_to_save=[\"classifier\"]`");
  finding.notes.push_back({site_of(site, *classifier).module->file, classifier->span(), "the head is created here"});
}

} // namespace

extern constinit const Rule kAdapterHeadFrozen = {
    .info = {.code = "DP975",
             .name = "adapter-head-frozen",
             .summary = "a new classification head that PEFT freezes together with the base model",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`get_peft_model(model, LoraConfig(…))` of a classifier whose head is new (`from_pretrained(…, num_labels=n)`, `timm.create_model(…, num_classes=n)`), where the
configuration has neither `modules_to_save` nor the task type of such a classifier.

## Why it is wrong

PEFT freezes all weights of the model and trains the adapters alone. The head was initialized at random for the new classes, so it stays random, and it
is not saved with the adapter either. Only with `task_type="SEQ_CLS"` or `"TOKEN_CLS"` does PEFT add the head itself. There is no task type for images or audio.

## Bad

```python
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForImageClassification

model = AutoModelForImageClassification.from_pretrained("google/vit-base-patch16-224-in21k", num_labels=12)
model = get_peft_model(model, LoraConfig(r=16, target_modules=["query", "value"]))
```

## Good

```python
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForImageClassification

model = AutoModelForImageClassification.from_pretrained("google/vit-base-patch16-224-in21k", num_labels=12)
model = get_peft_model(model, LoraConfig(r=16, target_modules=["query", "value"], modules_to_save=["classifier"]))
```

## When it is wrong

Where the checkpoint already has a trained head for the same classes.

## References

- PEFT: `LoraConfig.modules_to_save`; the guide on image classification
)"},
    .calls = "peft.get_peft_model",
    .on_call = check};

} // namespace deepperf::rules::adapter_head_frozen
