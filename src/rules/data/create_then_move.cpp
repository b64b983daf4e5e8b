#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// Functions that fill a tensor by themselves and take device=. Those that are given the values (torch.tensor,
// torch.from_numpy) have to copy them from the CPU in any case.
bool takes_device(std::string_view api) {
  for (const std::string_view name :
       {"torch.zeros", "torch.ones", "torch.full", "torch.empty", "torch.arange", "torch.linspace", "torch.logspace",
        "torch.eye", "torch.rand", "torch.randn", "torch.randint", "torch.randperm"}) {
    if (api == name) {
      return true;
    }
  }
  return false;
}

// `torch.rand` draws other numbers on another device, so a moved one is not the same as one made there.
bool is_random(std::string_view api) { return api.starts_with("torch.rand"); }

// In a loop, in a forward pass, or in a function that is called from a loop: elsewhere it happens once.
bool runs_often(const Site &site) {
  return loop_around(site) != nullptr || (site.function != nullptr && site.function->in_loop) ||
         in_method(site, Kind::TorchModule, "forward");
}

bool is_traced_argument(const Site &site) {
  return std::ranges::any_of(site.ancestors, [&site](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && called_api(site, *call) == "torch.jit.trace";
  });
}

void check(Site &site, const Call &call) {
  const auto *made = as<Call>(receiver_of(call));
  if (made == nullptr) {
    return;
  }
  const std::string_view api = called_api(site, *made);
  if (!takes_device(api) || has_hidden_arguments(*made) || keyword_argument(*made, "device") != nullptr ||
      keyword_argument(*made, "pin_memory") != nullptr || keyword_argument(*made, "out") != nullptr ||
      keyword_argument(*made, "generator") != nullptr) { // which is made for a device itself
    return;
  }
  if (is_traced_argument(site)) {
    return; // wanted for its graph
  }
  const bool is_cuda = called_method(call) == "cuda";
  std::string device;
  if (is_cuda) {
    if (!call.keywords.empty() || call.args.size() > 1) {
      return;
    }
    device = call.args.empty() ? "\"cuda\"" : std::string(text_of(site, call.args[0]));
  } else {
    if (call.args.size() != 1 || !call.keywords.empty()) {
      return;
    }
    const Expr *target = call.args[0];
    const std::optional<std::string> name = string_of(site, target);
    const Kind kind = model::kind_of(target);
    const std::string_view written = text_of(site, target);
    const bool is_device = name.has_value() ? name->starts_with("cuda") || name->starts_with("mps")
                                            : kind == Kind::TorchDevice || written == "device" ||
                                                  written.ends_with(".device") || written.ends_with("_device");
    if (!is_device) {
      return; // perhaps a dtype or another tensor
    }
    device = written;
  }
  Finding &finding = report(site, call, "this tensor is made on the CPU and then copied to the device",
                            fmt::format("make it there: {}(…, device={})", text_of(site, made->func), device));
  if (!runs_often(site)) {
    finding.tier = Tier::Hint;
  }
  if (is_random(api)) {
    finding.advice += "; other random numbers come out";
  }
  if (const std::optional<Edit> edit = add_argument(site, *made, "device=" + device)) {
    set_fix(finding, !is_random(api), {*edit, Edit{made->end, call.end, ""}});
  }
}

} // namespace

extern constinit const Rule kCreateThenMove = {
    .info = {.code = "DP401",
             .name = "create-then-move",
             .summary = "a tensor that is made on the CPU only to be copied to the device",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`torch.zeros(…).cuda()`, `torch.arange(…).to(device)` and the like: a function that could make the tensor on the device makes
it on the CPU, and the result is copied.

## Why it costs

The CPU fills the memory, the driver copies it into pinned memory and then over the bus, and the program waits for that. Made on
the device it is one kernel and no copy.

## Bad

```python
import torch

for step in range(1000):
    mask = torch.ones(64, 512, 512).cuda()
```

## Good

```python
import torch

for step in range(1000):
    mask = torch.ones(64, 512, 512, device="cuda")
```

## When it is wrong

Where it happens once, in setting things up, the copy costs next to nothing: outside of loops, `forward` and functions that loops
call it is only a hint. Random numbers differ between devices; where the same ones are wanted as on a CPU, the copy is the price. The rule's edit
for random functions is therefore only made with `--unsafe-fixes`.

## References

- PyTorch performance tuning guide: create tensors directly on the target device
)"},
    .calls = "*.cuda *.to",
    .on_call = check};

} // namespace deepperf::rules
