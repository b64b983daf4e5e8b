#include "rules/options.h"
#include "rules/reach.h"

namespace deepperf::rules::quantized_compute_dtype {

using namespace python;
using model::Value;

namespace {

// `bnb_4bit_compute_dtype=torch.float32`, which is the default
bool is_float32(const Option &type) {
  if (type.is_absent) {
    return true;
  }
  if (type.value == nullptr) {
    return false;
  }
  const Value value = model::value_of(type.scope, type.value);
  return type.as_string() == "float32" || (value.is(Value::Tag::Api) && (value.name().text() == "torch.float32" ||
                                                                         value.name().text() == "torch.float"));
}

void check(Site &site, const Call &call) {
  const Option type = option_of(site, call, "bnb_4bit_compute_dtype");
  if (site.module->is_test || option_of(site, call, "load_in_4bit").as_bool() != true || !is_float32(type) ||
      file_has_word(site, {".bnb_4bit_compute_dtype"})) {
    return;
  }
  Finding &finding = report_option(site, call, type, "this 4-bit model computes in float32, without tensor cores",
                                   "pass `bnb_4bit_compute_dtype=torch.bfloat16`");
  if (!type.is_absent && type.written == nullptr) {
    return;
  }
  add_note(finding, site, call, "every layer converts its weights to float32 before it multiplies");
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

`BitsAndBytesConfig(load_in_4bit=True)` without `bnb_4bit_compute_dtype`, or with `torch.float32`, also where the options come from a
dictionary.

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

On GPUs without fast half-precision arithmetic.

## References

- Transformers: bitsandbytes, compute data type
)"},
    .calls = "transformers.BitsAndBytesConfig",
    .on_call = check};

} // namespace deepperf::rules::quantized_compute_dtype
