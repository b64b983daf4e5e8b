#include "rules/reach.h"
#include "rules/site.h"

namespace deepperf::rules::load_without_map_location {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  constexpr u32 kMapLocation = 1;
  if (argument(call, kMapLocation, "map_location") != nullptr || has_hidden_arguments(call) || site.module->is_test ||
      !file_has_word(site, {"cuda.is_available", "\"cpu\"", "'cpu'"})) {
    return; // who has no CPU in mind wants the GPU
  }
  report(site, call, "without `map_location`, `torch.load` puts tensors on the device they were saved from",
         "pass `map_location=device`, or `map_location=\"cpu\"` if the model is moved afterwards");
}

} // namespace

extern constinit const Rule kLoadWithoutMapLocation = {
    .info = {.code = "DP516",
             .name = "load-without-map-location",
             .summary = "`torch.load` without `map_location` in a program that can run on a CPU",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Program Crash, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`torch.load` without `map_location=`, in a file that checks for a GPU or names the CPU.

## Why it costs

A checkpoint that was saved on a GPU cannot be loaded on a machine without one. With several GPUs, all processes load it
to the GPU that it was saved from, and a second copy of all weights stays there.

## Bad

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.load("model.pt", weights_only=True)
```

## Good

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.load("model.pt", map_location=device, weights_only=True)
```

## When it is wrong

For files without tensors, and for tensors that were saved on a CPU.

## References

- `torch.load`: `map_location`
)"},
    .calls = "torch.load",
    .on_call = check};

} // namespace deepperf::rules::load_without_map_location
