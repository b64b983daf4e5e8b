#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::guidance_in_two_passes {

using namespace python;

namespace {

// Two calls of the same network for the same picture and time, right in the loop.
const Call *other_pass(const Site &site, const Node &loop, const Call &call) {
  const Call *found = nullptr;
  any_node(&loop, [&](const Node *node) {
    const auto *other = as<Call>(node);
    if (other == nullptr || other->start >= call.start || text_of(site, other->func) != text_of(site, call.func) ||
        other->args.size() != call.args.size() || other->keywords.size() != call.keywords.size() ||
        call.args.size() < 2) {
      return false;
    }
    const bool is_same_input = text_of(site, other->args[0]) == text_of(site, call.args[0]) &&
                               text_of(site, other->args[1]) == text_of(site, call.args[1]);
    found = is_same_input ? other : found;
    return found != nullptr;
  });
  return found;
}

void check(Site &site, const Call &call) {
  const model::Loop *const loop = long_loop_around(site);
  std::string_view api;
  if (site.module->is_test || loop == nullptr || loop->trains || maker_of_callee(site, call, &api) == nullptr ||
      !api.starts_with("diffusers.") || !runs_every_iteration(site, *loop)) {
    return;
  }
  const Call *const other = other_pass(site, *loop->node, call);
  if (other == nullptr) {
    return;
  }
  Finding &finding = report(site, call, "the network runs twice for the same latents in every denoising step",
                            "run it once on `torch.cat([latents] * 2)` with both conditions, and split the result");
  add_note(finding, site, *other, "the first pass is here");
}

} // namespace

extern constinit const Rule kGuidanceInTwoPasses = {
    .info = {.code = "DP198",
             .name = "guidance-in-two-passes",
             .summary = "classifier-free guidance that runs the network twice in each denoising step",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A sampling loop that calls a network of Diffusers twice with the same latents and the same time, once with and once without the condition.

## Why it costs

A small batch does not fill a GPU. One pass over a batch of both takes less time than two passes.

## Bad

```python
import torch
from diffusers import DDIMScheduler, UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("sd", subfolder="unet")
scheduler = DDIMScheduler.from_pretrained("sd", subfolder="scheduler")


@torch.no_grad()
def sample(x, text, empty, scale):
    scheduler.set_timesteps(50)
    for t in scheduler.timesteps:
        wanted = unet(x, t, encoder_hidden_states=text).sample
        plain = unet(x, t, encoder_hidden_states=empty).sample
        x = scheduler.step(plain + scale * (wanted - plain), t, x).prev_sample
    return x
```

## Good

```python
import torch
from diffusers import DDIMScheduler, UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("sd", subfolder="unet")
scheduler = DDIMScheduler.from_pretrained("sd", subfolder="scheduler")


@torch.no_grad()
def sample(x, text, empty, scale):
    scheduler.set_timesteps(50)
    both = torch.cat([empty, text])
    for t in scheduler.timesteps:
        plain, wanted = unet(torch.cat([x, x]), t, encoder_hidden_states=both).sample.chunk(2)
        x = scheduler.step(plain + scale * (wanted - plain), t, x).prev_sample
    return x
```

## When it is wrong

Where the memory does not suffice for a batch of twice the size.

## References

- Diffusers: understanding pipelines, models and schedulers
)"},
    .calls = "TorchModule.__call__",
    .on_call = check};

} // namespace deepperf::rules::guidance_in_two_passes
