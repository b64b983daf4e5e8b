#include "rules/per_step.h"

#include <fmt/format.h>

namespace deepperf::rules::adapter_per_request {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  // `PeftModel.from_pretrained(…).merge_and_unload()` is one finding.
  const auto *owner = as<Call>(receiver_of(call));
  const bool is_outer = owner != nullptr && called_method(*owner) == "from_pretrained";
  if (site.module->is_test || site.function == nullptr || is_outer || !in_request_handler(site)) {
    return;
  }
  if (enclosing(site, NodeKind::If) != nullptr) {
    return; // loaded when it is first asked for
  }
  const bool merges = called_method(call) == "merge_and_unload" || called_method(call) == "fuse_lora";
  report(site, call,
         merges ? "each request merges an adapter into the weights, which stay changed for the next request"
                : "each request loads an adapter into the shared model",
         "load all adapters once with `load_adapter(…, adapter_name=…)`, and select one with `set_adapter()`");
}

} // namespace

extern constinit const Rule kAdapterPerRequest = {
    .info = {.code = "DP270",
             .name = "adapter-per-request",
             .summary = "a request handler that loads or merges an adapter",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Wrong Result",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`PeftModel.from_pretrained`, `load_adapter`, `merge_and_unload`, `load_lora_weights` or `fuse_lora` in a function that answers requests, or in
one that only such functions call.

## Why it costs

Loading reads the adapter from disk and inserts its layers, and merging rewrites all weights of the base model: seconds for each request.
Both change the base model that all requests share, so what an earlier request merged stays there.

## Bad

```python
from fastapi import FastAPI
from peft import PeftModel
from transformers import AutoModelForCausalLM

app = FastAPI()
base = AutoModelForCausalLM.from_pretrained("gpt2")


@app.post("/{tenant}")
def answer(tenant: str, ids: list[int]):
    model = PeftModel.from_pretrained(base, f"adapters/{tenant}").merge_and_unload()
    return model.config.name_or_path
```

## Good

```python
from fastapi import FastAPI
from peft import PeftModel
from transformers import AutoModelForCausalLM

app = FastAPI()
base = AutoModelForCausalLM.from_pretrained("gpt2")
model = PeftModel.from_pretrained(base, "adapters/first", adapter_name="first")
model.load_adapter("adapters/second", adapter_name="second")


@app.post("/{tenant}")
def answer(tenant: str, ids: list[int]):
    model.set_adapter(tenant)
    return model.config.name_or_path
```

## When it is wrong

Where a request asks for an adapter to be installed.

## References

- PEFT: load and switch adapters, `set_adapter`
)"},
    .calls = "peft.PeftModel.from_pretrained peft.PeftModelForCausalLM.from_pretrained *.merge_and_unload "
             "*.load_lora_weights *.fuse_lora HfModel.load_adapter",
    .on_call = check};

} // namespace deepperf::rules::adapter_per_request
