#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::reference_model_copied {

using namespace python;
using model::Value;

namespace {

// The one call of that kind that made the value, where nothing else may have: `AutoModel….from_pretrained(…)`.
const Call *maker_of(const Site &site, const Expr *expr, bool (*is_it)(std::string_view)) {
  const Call *found = nullptr;
  bool is_other = false;
  const Value value = value_of(site, expr);
  for_each_alternative(value, [&](const Value &one) {
    const Value callee = one.maker() != nullptr ? site.project.callee_of(one.maker()) : Value();
    const bool is_one = callee.is(Value::Tag::Api) && is_it(callee.name().text());
    is_other |= !is_one || (found != nullptr && found != one.maker());
    found = is_one ? one.maker() : found;
  });
  return is_other || value.open ? nullptr : found;
}

bool adds_adapters(std::string_view api) { return api == "peft.get_peft_model"; }
bool loads_model(std::string_view api) { return api.starts_with("transformers.") && api.ends_with(".from_pretrained"); }
bool loads_or_adapts(std::string_view api) { return loads_model(api) || api.starts_with("peft."); }

// The call that loaded what the adapters were added to. The name may stand for the adapted model afterwards.
const Call *base_of(const Site &site, const Call &adapted) {
  const Expr *const base = argument(adapted, 0, "model");
  const Site there = site_of(site, adapted);
  const Call *found = nullptr;
  bool is_other = base == nullptr;
  if (base != nullptr) {
    for_each_alternative(value_of(there, base), [&](const Value &one) {
      const Value callee = one.maker() != nullptr ? site.project.callee_of(one.maker()) : Value();
      const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
      is_other |= !loads_or_adapts(api) || (loads_model(api) && found != nullptr && found != one.maker());
      found = loads_model(api) ? one.maker() : found;
    });
  }
  return is_other ? nullptr : found;
}

// Do both load the same checkpoint?
bool load_same(const Site &site, const Call &first, const Call &second) {
  const auto path = [&](const Call &call) -> std::optional<std::string> {
    const Expr *const given = argument(call, 0, "pretrained_model_name_or_path");
    const auto value = given != nullptr ? setting_of(site_of(site, call), given) : std::nullopt;
    return value.has_value() ? value->as_string() : std::nullopt;
  };
  const auto one = path(first);
  if (one.has_value()) {
    return one == path(second);
  }
  // The same attribute of the settings, in the same function.
  const Expr *const a = argument(first, 0, "pretrained_model_name_or_path");
  const Expr *const b = argument(second, 0, "pretrained_model_name_or_path");
  const Site here = site_of(site, first);
  const Site there = site_of(site, second);
  return &first != &second && a != nullptr && b != nullptr && a->kind == NodeKind::Attribute &&
         here.function == there.function && text_of(here, a) == text_of(there, b);
}

// `if peft_config is None: reference = load(…)`: only where there are no adapters.
bool is_loaded_by_choice(const Site &site, const Call &loaded, const Expr *config) {
  const model::FunctionInfo *const function = site.project.caller_of(&loaded);
  const auto *name = as<Name>(config);
  if (function == nullptr || name == nullptr) {
    return false;
  }
  const auto *branch = as<If>(enclosing(site_at(site, *function, loaded), NodeKind::If));
  return branch != nullptr && mentions(branch->test, name->id);
}

void check(Site &site, const Call &call) {
  const model::Argument reference = argument_of(site, call, 1, "ref_model");
  const Expr *const policy = argument(call, 0, "model");
  if (reference.given.size() != 1 || reference.unknown || reference.may_be_absent || policy == nullptr ||
      site.module->is_test ||
      project_has_word(site, {"force_use_ref_model", "sync_ref_model", "merge_and_unload", "ref_adapter_name"})) {
    return;
  }
  const Expr *const given = reference.given[0].expr;
  const auto nothing = setting_of(site, given);
  if (is_none(given) || (nothing.has_value() && nothing->is_none())) {
    return;
  }
  const Call *const loaded = maker_of(site, given, loads_model);
  const Call *const adapted = maker_of(site, policy, adds_adapters);
  const model::Argument config = argument_of(site, call, ~0U, "peft_config");
  const bool has_config = config.given.size() == 1 && !config.unknown && !is_none(config.given[0].expr) &&
                          config.given[0].expr->kind != NodeKind::IfExp;
  const bool is_configured =
      has_config &&
      std::ranges::any_of(model::written_as(config.given[0].scope, config.given[0].expr),
                          [](const model::Argument::Given &one) { return one.expr->kind == NodeKind::Call; });
  const Call *const base = adapted != nullptr ? base_of(site, *adapted)
                           : is_configured    ? maker_of(site, policy, loads_model)
                                              : nullptr;
  if (loaded == nullptr || base == nullptr || !load_same(site, *base, *loaded) ||
      (has_config && is_loaded_by_choice(site, *loaded, config.given[0].expr))) {
    return;
  }
  const Keyword *const written = keyword_argument(call, "ref_model");
  Finding &finding = report(site, written != nullptr ? static_cast<const Node &>(*written) : *given,
                            "the reference is a second copy of the model that the adapters are added to",
                            "pass `ref_model=None`: the trainer disables the adapters to compute the reference");
  const Site at = site_of(site, *loaded);
  finding.notes.push_back({at.module->file, loaded->span(), "loaded here"});
}

} // namespace

extern constinit const Rule kReferenceModelCopied = {
    .info = {.code = "DP284",
             .name = "reference-model-copied",
             .summary = "a reference model for preference training that is a copy of the base model of the adapters",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`DPOTrainer(model=…, ref_model=…)`, or another preference trainer of TRL, where the model has LoRA adapters (`get_peft_model` or `peft_config`) and the reference model is loaded from
the same checkpoint.

## Why it costs

Only the adapters are trained, so the base model inside the policy stays what the reference is. The trainer computes the reference by disabling the adapters if it receives no `ref_model`. The second
copy takes as much memory as the whole model.

## Bad

```python
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import DPOTrainer

model = get_peft_model(AutoModelForCausalLM.from_pretrained("sft-model"), LoraConfig(task_type="CAUSAL_LM"))
reference = AutoModelForCausalLM.from_pretrained("sft-model")
trainer = DPOTrainer(model=model, ref_model=reference, args=arguments, train_dataset=pairs)
```

## Good

```python
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import DPOTrainer

model = get_peft_model(AutoModelForCausalLM.from_pretrained("sft-model"), LoraConfig(task_type="CAUSAL_LM"))
trainer = DPOTrainer(model=model, ref_model=None, args=arguments, train_dataset=pairs)
```

## When it is wrong

Where the reference is on another device so that both run at the same time.

## References

- TRL: DPO Trainer, reference model considerations with PEFT
)"},
    .calls = "trl.DPOTrainer trl.KTOTrainer trl.PPOTrainer trl.OnlineDPOTrainer",
    .on_call = check};

} // namespace deepperf::rules::reference_model_copied
