#include "model/bind.h"
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

// ---- Networks of the project ----------------------------------------------------------------------------------------

const Name *name_of_result(const Assign *assignment) {
  return assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
}

// Do the calls get the same, but for one argument that both have?
bool differ_in_one(const Site &site, const Call &one, const Call &other) {
  if (one.args.size() != other.args.size() || one.keywords.size() != other.keywords.size() || one.args.empty() ||
      text_of(site, one.args[0]) != text_of(site, other.args[0])) {
    return false;
  }
  u32 different = 0;
  for (u32 i = 0; i < one.args.size(); ++i) {
    different += text_of(site, one.args[i]) != text_of(site, other.args[i]) ? 1 : 0;
  }
  for (u32 i = 0; i < one.keywords.size(); ++i) {
    if (one.keywords[i]->name != other.keywords[i]->name) {
      return false;
    }
    different += text_of(site, one.keywords[i]->value) != text_of(site, other.keywords[i]->value) ? 1 : 0;
  }
  return different == 1;
}

// `out = self.forward(x, t, drop=0.0)`, `null = self.forward(x, t, drop=1.0)` and then `out - null`.
void check_method(Site &site, const Call &call) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Name *const second = site.ancestors.empty() ? nullptr : name_of_result(as<Assign>(site.ancestors.back()));
  const bool runs_own = definition != nullptr && model::is_own_object(*site.function, receiver_of(call)) &&
                        site.type != nullptr && site.type->kind == Kind::TorchModule;
  if (definition == nullptr || second == nullptr || !runs_own || site.module->is_test || !under_no_grad(site) ||
      !context_of(site).repeated || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const Call *first = nullptr;
  const Name *first_name = nullptr;
  for (const Stmt *statement : definition->body) {
    const auto *assignment = as<Assign>(statement);
    const Name *const name = name_of_result(assignment);
    const auto *other = name != nullptr ? as<Call>(assignment->value) : nullptr;
    if (other != nullptr && other->start < call.start && text_of(site, other->func) == text_of(site, call.func) &&
        differ_in_one(site, *other, call)) {
      first = other;
      first_name = name;
    }
  }
  const auto is_difference = [&](const Node *node) {
    const auto *operation = as<BinOp>(node);
    const auto *left = operation != nullptr ? as<Name>(operation->left) : nullptr;
    const auto *right = operation != nullptr ? as<Name>(operation->right) : nullptr;
    return left != nullptr && right != nullptr && operation->op() == Operator::Sub &&
           ((left->id == first_name->id && right->id == second->id) ||
            (left->id == second->id && right->id == first_name->id));
  };
  if (first == nullptr || !any_node(definition->body, is_difference)) {
    return;
  }
  Finding &finding = report(site, call, "the network runs twice for the same input in every denoising step",
                            "run it once on `torch.cat([x, x])` with both conditions, and split the result");
  add_note(finding, site, *first, "the first pass is here");
}

void check(Site &site, const Call &call) {
  if (called_method(call) == "forward") {
    check_method(site, call);
    return;
  }
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
Also a method of a network that runs its own `forward` twice, with one argument that differs, and subtracts the results.

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
    .calls = "TorchModule.__call__ *.forward",
    .on_call = check};

} // namespace deepperf::rules::guidance_in_two_passes
