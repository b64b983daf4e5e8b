#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Value;

namespace {

// Is anything said about the numbers' format where the model is loaded?
bool chooses_format(const Call &call) {
  return has_hidden_arguments(call) || std::ranges::any_of(call.keywords, [](const Keyword *keyword) {
           const std::string_view name = keyword->name.text();
           return name == "torch_dtype" || name == "dtype" || name == "load_in_8bit" || name == "load_in_4bit" ||
                  name == "quantization_config" || name == "variant" || name == "revision";
         });
}

// A file that trains, or that changes the format later, or never uses a GPU.
bool is_other_case(const Site &site) {
  const std::string_view text = site.module->parsed->source.text();
  return has_word(text, {"backward(", "Trainer", "optim", ".train(", ".half(", "bfloat16", "float16", "autocast",
                         "peft", "quantiz", "torch_dtype", "bitsandbytes"}) ||
         !has_word(text, {"cuda", "device_map"});
}

void check(Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  const Value model = callee.is(Value::Tag::ApiMethod) ? callee.receiver() : callee;
  const bool is_known = (model.is_kind(Kind::HfModel) || model.is_kind(Kind::HfPipeline)) && model.call != nullptr &&
                        model.name() && model.name().text().ends_with(".from_pretrained");
  // A pipeline of Diffusers is the only one that from_pretrained makes.
  if (!is_known || chooses_format(*model.call)) {
    return;
  }
  Site made = site_of(site, *model.call);
  if (made.module == nullptr || is_other_case(made) || (made.module != site.module && is_other_case(site)) ||
      made.module->is_test) {
    return;
  }
  Finding &finding =
      report(made, *model.call, "the model is loaded in float32 and only used to generate on a GPU",
             "pass torch_dtype=torch.bfloat16 (dtype= since Transformers 4.56): half the memory, and tensor cores");
  finding.notes.push_back({site.module->file, call.span(), "used here"});
}

} // namespace

extern constinit const Rule kFloat32Generation = {
    .info = {.code = "DP515",
             .name = "float32-generation",
             .summary = "a model that generates text or pictures on a GPU in float32",
             .root_cause = "Hardware: Not Using Mixed Precision",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`from_pretrained` of a Hugging Face model or Diffusers pipeline that is used for `generate()` or called, without `torch_dtype`, `dtype` or quantization, in a program for a GPU
that does not train.

## Why it costs

Generating a token reads all weights. In float32 these are twice as many bytes as in bfloat16 or float16, so that each token takes about twice as long, and the tensor cores
stay idle.

## Bad

```python
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2").to("cuda")


def answer(ids):
    return model.generate(ids, max_new_tokens=50)
```

## Good

```python
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16).to("cuda")


def answer(ids):
    return model.generate(ids, max_new_tokens=50)
```

## When it is wrong

Since Transformers 5 the format of the checkpoint is the default. GPUs before Volta have no fast float16, and a few models (T5 in float16) overflow: use bfloat16.

## References

- Transformers: loading models, torch_dtype
)"},
    .calls = "HfModel.generate HfPipeline.__call__",
    .on_call = check};

} // namespace deepperf::rules
