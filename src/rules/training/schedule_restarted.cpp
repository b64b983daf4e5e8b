#include "rules/processes.h"
#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::schedule_restarted {

using namespace python;

namespace {

// `scheduler.step(noise, t, x)` right in the loop, and not in a loop inside, which would be one picture after the
// other.
const Call *step_in(const model::Loop &loop) {
  const Block body = loop.node->kind == NodeKind::For     ? static_cast<const For *>(loop.node)->body
                     : loop.node->kind == NodeKind::While ? static_cast<const While *>(loop.node)->body
                                                          : Block{};
  const Call *found = nullptr;
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (node->kind == NodeKind::For || node->kind == NodeKind::While || node->kind == NodeKind::FunctionDef) {
      return;
    }
    const auto *call = as<Call>(node);
    if (call != nullptr && called_method(*call) == "step" && call->args.size() + call->keywords.size() >= 3) {
      found = call;
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  for (const Stmt *statement : body) {
    visit(visit, statement);
  }
  return found;
}

void add_finding(Site &site, const Call &place, const Call &step) {
  Finding &finding = report(
      site, place,
      "`set_timesteps()` in every denoising step resets the scheduler's history, so a multistep solver never gets "
      "beyond its first order",
      "call `set_timesteps()` once, before the loop");
  add_note(finding, site, step, "the scheduler takes a step here");
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || site.function == nullptr) {
    return;
  }
  if (const model::Loop *loop = loop_around(site)) {
    if (const Call *step = step_in(*loop); step != nullptr && runs_every_iteration(site, *loop)) {
      add_finding(site, call, *step);
    }
    return;
  }
  // In a helper that the loop calls.
  for (const model::CallSite *caller : site.function->called_by) {
    const Call *step = caller->loop != nullptr && !caller->once ? step_in(*caller->loop) : nullptr;
    if (step != nullptr) {
      Site there = site_at(site, *caller);
      add_finding(there, *caller->call, *step);
      there.findings.back().notes.push_back({site.module->file, call.span(), "which calls it here"});
    }
  }
}

} // namespace

extern constinit const Rule kScheduleRestarted = {
    .info = {.code = "DP819",
             .name = "schedule-restarted",
             .summary = "`set_timesteps()` of a diffusion scheduler in every denoising step",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result, Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`scheduler.set_timesteps(…)` of Diffusers in the loop that also calls `scheduler.step(…)`, directly or through a function.

## Why it is wrong

`set_timesteps` computes the whole schedule, copies it to the device, and clears what the scheduler remembers of earlier steps. Multistep
solvers such as DPM-Solver++, PNDM or UniPC need that history: without it every step is a first-order step, and images get worse.

## Bad

```python
import torch
from diffusers import DPMSolverMultistepScheduler, UNet2DModel

unet = UNet2DModel.from_pretrained("google/ddpm-cat-256")
scheduler = DPMSolverMultistepScheduler()


@torch.no_grad()
def sample(x, steps):
    for i in range(steps):
        scheduler.set_timesteps(steps)
        t = scheduler.timesteps[i]
        x = scheduler.step(unet(x, t).sample, t, x).prev_sample
    return x
```

## Good

```python
import torch
from diffusers import DPMSolverMultistepScheduler, UNet2DModel

unet = UNet2DModel.from_pretrained("google/ddpm-cat-256")
scheduler = DPMSolverMultistepScheduler()


@torch.no_grad()
def sample(x, steps):
    scheduler.set_timesteps(steps)
    for t in scheduler.timesteps:
        x = scheduler.step(unet(x, t).sample, t, x).prev_sample
    return x
```

## When it is wrong

For schedulers without memory the images stay the same, and only time is lost.

## References

- Diffusers: understanding pipelines, models and schedulers
)"},
    .calls = "*.set_timesteps",
    .on_call = check};

} // namespace deepperf::rules::schedule_restarted
