#include "rules/api_history.h"
#include "rules/options.h"

#include <fmt/format.h>

namespace deepperf::rules::quantized_twice {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const Option config = option_of(site, call, "quantization_config");
  if (config.value == nullptr || is_none(config.value)) {
    return;
  }
  for (const std::string_view name : {"load_in_4bit", "load_in_8bit"}) {
    const Option given = option_of(site, call, name);
    if (given.value != nullptr && given.as_bool() != false) {
      Finding &finding = report_option(
          site, call, given,
          fmt::format("`{}=` together with `quantization_config=` raises a ValueError since Transformers 4.38", name),
          fmt::format("set `{}` only in the configuration: `BitsAndBytesConfig({}=…)`", name, name));
      if (status_in(site, "transformers", "4.38") == Status::Fine) {
        report_for_upgrade(finding, site, "transformers");
      }
      return;
    }
  }
}

} // namespace

extern constinit const Rule kQuantizedTwice = {.info = {.code = "DP888",
                                                        .name = "quantized-twice",
                                                        .summary = "a model whose quantization is configured twice",
                                                        .root_cause = "Library: Mismatched Library Version",
                                                        .symptoms = "Program Crash",
                                                        .stage = "Model Building",
                                                        .frameworks = "PyTorch",
                                                        .severity = Severity::Error,
                                                        .tier = Tier::On,
                                                        .documentation = R"(## What it finds

`from_pretrained` with `quantization_config=` and `load_in_4bit=` or `load_in_8bit=`.

## Why it is wrong

Transformers raises a ValueError, because the settings belong in one place.

## Bad

```python
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype="bfloat16")
model = AutoModelForCausalLM.from_pretrained("gpt2", load_in_4bit=True, quantization_config=config)
```

## Good

```python
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype="bfloat16")
model = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=config)
```

## When it is wrong

Transformers before 4.38 accepts it; if the project's requirements are older, it is a note.

## References

- Transformers: quantization with bitsandbytes
)"},
                                               .calls = "*.from_pretrained",
                                               .on_call = check};

} // namespace deepperf::rules::quantized_twice
