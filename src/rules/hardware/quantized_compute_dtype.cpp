#include "rules/options.h"
#include "rules/reach.h"

namespace deepperf::rules::quantized_compute_dtype {

using namespace python;
using model::Value;

namespace {

bool is_dtype(const Option &type, std::string_view wanted, std::string_view other = {}) {
  if (type.value == nullptr) {
    return false;
  }
  const Value value = model::value_of(type.scope, type.value);
  const std::string_view api = value.is(Value::Tag::Api) ? value.name().text() : std::string_view{};
  const auto text = type.as_string();
  return text == wanted || (api.starts_with("torch.") && (api.substr(6) == wanted || api.substr(6) == other));
}

// The configuration that the model is loaded with; null if it is not known.
const Call *quantization_of(const Site &site, const Call &call) {
  const Option config = option_of(site, call, "quantization_config");
  const auto written =
      config.value != nullptr ? model::written_as(config.scope, config.value) : std::vector<model::Argument::Given>{};
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  return made != nullptr && called_api(site, *made) == "transformers.BitsAndBytesConfig" ? made : nullptr;
}

void check(Site &site, const Call &call) {
  const Call *const config = site.module->is_test ? nullptr : quantization_of(site, call);
  if (config == nullptr) {
    return;
  }
  Site made = site_of(site, *config);
  const Option type = option_of(made, *config, "bnb_4bit_compute_dtype");
  const bool is_float32 = type.is_absent || is_dtype(type, "float32", "float");
  if (option_of(made, *config, "load_in_4bit").as_bool() != true || !is_float32 ||
      file_has_word(made, {".bnb_4bit_compute_dtype"})) {
    return;
  }
  // Layers that get bfloat16 compute in it, whatever is configured; the default of a quantized model is float16.
  Option dtype = option_of(site, call, "torch_dtype");
  dtype = dtype.is_absent ? option_of(site, call, "dtype") : dtype;
  if (!dtype.is_absent && !is_dtype(dtype, "float16", "half")) {
    return;
  }
  Finding &finding = report_option(
      made, *config, type,
      "this 4-bit model converts its weights to float32 for every product, and computes without tensor cores",
      "pass `bnb_4bit_compute_dtype=torch.bfloat16`");
  finding.notes.push_back({site.module->file, call.span(), "the model is loaded here"});
}

} // namespace

extern constinit const Rule kQuantizedComputeDtype = {
    .info = {.code = "DP540",
             .name = "quantized-compute-dtype",
             .summary = "a model quantized to 4 bits that computes in float32",
             .root_cause = "Hardware: Not Using Mixed Precision",
             .symptoms = "Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A model that is loaded with `BitsAndBytesConfig(load_in_4bit=True)` without `bnb_4bit_compute_dtype`, or with `torch.float32`, in float16
or without a dtype. With `torch_dtype=torch.bfloat16` the layers choose bfloat16 by themselves.

## Why it costs

The weights are stored in 4 bits and converted before each matrix product. The default is to convert them to float32, so that the product
runs without half-precision tensor cores. The library warns that this leads to slow inference or training.

## Bad

```python
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

model = AutoModelForCausalLM.from_pretrained(
    "mistralai/Mistral-7B-v0.1", quantization_config=BitsAndBytesConfig(load_in_4bit=True), device_map="auto"
)
```

## Good

```python
import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

model = AutoModelForCausalLM.from_pretrained(
    "mistralai/Mistral-7B-v0.1",
    quantization_config=BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16),
    device_map="auto",
)
```

## When it is wrong

On GPUs without fast half-precision arithmetic, and since Transformers 5 for checkpoints in bfloat16, which is then the default.

## References

- Transformers: bitsandbytes, compute data type
)"},
    .calls = "*.from_pretrained",
    .on_call = check};

} // namespace deepperf::rules::quantized_compute_dtype
