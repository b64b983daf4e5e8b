#include "rules/encoding.h"
#include "rules/reach.h"

namespace deepperf::rules::checkpointing_frozen_base {

using namespace python;

namespace {

// Does the argument choose one of the two implementations? `{"use_reentrant": False}`.
std::optional<bool> chosen_reentrant(const Site &site, const Call &call) {
  const Expr *options = argument(call, 0, "gradient_checkpointing_kwargs");
  const auto *dictionary = as<Dict>(options);
  for (u32 i = 0; dictionary != nullptr && i < dictionary->items.size(); ++i) {
    const DictItem &item = dictionary->items[i];
    if (item.key != nullptr && string_of(site, item.key) == "use_reentrant") {
      return bool_of(site, item.value);
    }
  }
  return std::nullopt;
}

void check(Site &site, const Call &call) {
  const auto *name = as<Name>(receiver_of(call));
  const auto *made = name != nullptr && site.function != nullptr ? as<Call>(last_assigned(site, *name)) : nullptr;
  if (made == nullptr || called_api(site, *made) != "peft.get_peft_model" || site.module->is_test) {
    return;
  }
  const auto reentrant = chosen_reentrant(site, call);
  const bool is_unknown = !reentrant.has_value() && (!call.args.empty() || !call.keywords.empty());
  if (is_unknown || reentrant == false ||
      file_has_word(site, {"enable_input_require_grads", "prepare_model_for", "use_reentrant\": False",
                           "use_reentrant': False", "use_reentrant=False", "make_inputs_require_grad",
                           "register_forward_hook", "get_input_embeddings", "FastLanguageModel"})) {
    return;
  }
  Finding &finding = report(
      site, call,
      "`backward()` fails: the base model is frozen, so the inputs of the checkpointed layers require no gradient",
      "also call `enable_input_require_grads()` on the model, or pass "
      "`gradient_checkpointing_kwargs={\"use_reentrant\": False}`");
  add_note(finding, site, *made, "all weights except the adapters are frozen here");
  if (reentrant != true) {
    finding.tier = Tier::Hint; // later versions choose the other implementation
  }
}

} // namespace

extern constinit const Rule kCheckpointingFrozenBase = {
    .info = {.code = "DP844",
             .name = "checkpointing-frozen-base",
             .summary = "gradient checkpointing over a frozen base model whose inputs require no gradient",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`gradient_checkpointing_enable()` of a model that `get_peft_model` wrapped before, without `enable_input_require_grads()`,
`prepare_model_for_kbit_training` or `use_reentrant=False` in the file. It is a hint where the implementation is not chosen, since newer
versions of Transformers choose the non-reentrant one.

## Why it is wrong

The reentrant implementation computes gradients for a block only if one of its inputs requires a gradient. The embeddings are frozen, so
none does, and no layer after them receives a gradient: `backward()` fails with "element 0 of tensors does not require grad". If checkpointing
is enabled before `get_peft_model`, PEFT handles it.

## Bad

```python
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")
model = get_peft_model(model, LoraConfig(r=8))
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": True})
```

## Good

```python
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")
model = get_peft_model(model, LoraConfig(r=8))
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": True})
model.enable_input_require_grads()
```

## When it is wrong

Where the adapters also train the embeddings.

## References

- PyTorch: torch.utils.checkpoint, use_reentrant
- Transformers: PreTrainedModel.enable_input_require_grads
)"},
    .calls = "*.gradient_checkpointing_enable",
    .on_call = check};

} // namespace deepperf::rules::checkpointing_frozen_base
