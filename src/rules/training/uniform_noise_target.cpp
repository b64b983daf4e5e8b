#include "rules/origins.h"
#include "rules/tree.h"

namespace deepperf::rules::uniform_noise_target {

using namespace python;

namespace {

bool draws_uniform(std::string_view api) {
  return api == "torch.rand_like" || api == "torch.rand" || api == "tensorflow.random.uniform" ||
         api == "jax.random.uniform";
}

// The call that draws the target from a uniform distribution between 0 and 1, if nothing else is done to it.
const Call *uniform_source(const Site &site, const Expr *target) {
  const auto *name = as<Name>(target);
  const Call *found = nullptr;
  bool is_other = name == nullptr || site.function == nullptr;
  if (!is_other) {
    visit_origins(site, *site.function, target, [&](const Origin &origin) {
      const auto *call = as<Call>(origin.expr);
      const Site there = site_of_origin(site, *origin.function);
      const bool is_uniform = call != nullptr && origin.path.empty() && draws_uniform(called_api(there, *call)) &&
                              keyword_argument(*call, "minval") == nullptr &&
                              keyword_argument(*call, "maxval") == nullptr;
      found = is_uniform ? call : found;
      const bool goes_on = origin.parameter_of != nullptr;
      is_other = is_other || (!is_uniform && !goes_on);
      return goes_on ? Onward::Through : Onward::Stop;
    });
  }
  return is_other ? nullptr : found;
}

// Is the noise a part of the sum that a model gets: `model(a.sqrt() * x + (1 - a).sqrt() * noise, t)`?
bool is_mixed_into_input(const Site &site, const Name &noise, const Call &loss) {
  const FunctionDef *const definition = site.function->definition();
  return definition != nullptr && any_node(definition->body, [&](const Node *node) {
           const auto *sum = as<BinOp>(node);
           const auto *mix = as<Call>(node); // scheduler.add_noise(x, noise, t), q_sample(x, t, noise)
           const bool is_sum = sum != nullptr && sum->op() == Operator::Add && mentions(sum, noise.id);
           const bool is_mixer = mix != nullptr && mix != &loss && mix->args.size() + mix->keywords.size() >= 2 &&
                                 mentions(mix, noise.id) && !contains(mix, &loss) &&
                                 (called_method(*mix) == "add_noise" || called_function(site, *mix) != nullptr);
           return is_sum || is_mixer;
         });
}

// The same in the function that draws it: `return a.sqrt() * x + (1 - a).sqrt() * noise, noise`.
bool is_mixed_where_drawn(const Site &there, const Call &drawn) {
  const FunctionDef *const definition = there.function != nullptr ? there.function->definition() : nullptr;
  if (definition == nullptr) {
    return false;
  }
  Symbol noise;
  any_node(definition->body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *target =
        assignment != nullptr && assignment->value == &drawn ? as<Name>(assignment->targets[0]) : nullptr;
    noise = target != nullptr ? target->id : noise;
    return false;
  });
  return noise && any_node(definition->body, [&](const Node *node) {
           const auto *sum = as<BinOp>(node);
           return sum != nullptr && sum->op() == Operator::Add && mentions(sum, noise);
         });
}

void check(Site &site, const Call &call) {
  for (const Expr *side : {argument(call, 0, "input"), argument(call, 1, "target")}) {
    const auto *name = as<Name>(side);
    const Call *const drawn = name != nullptr ? uniform_source(site, name) : nullptr;
    if (drawn == nullptr) {
      continue;
    }
    const Site there = site_of(site, *drawn);
    if (!is_mixed_into_input(site, *name, call) &&
        (there.function == site.function || !is_mixed_where_drawn(there, *drawn))) {
      continue;
    }
    Finding &finding = report(site, call,
                              "the model learns to predict noise that is uniform between 0 and 1, where diffusion and "
                              "its samplers assume a normal distribution",
                              "draw the noise with `torch.randn_like`");
    finding.notes.push_back({there.module->file, drawn->span(), "the noise is drawn here"});
    return;
  }
}

} // namespace

extern constinit const Rule kUniformNoiseTarget = {
    .info = {.code = "DP969",
             .name = "uniform-noise-target",
             .summary = "a denoising model that is trained on uniform instead of Gaussian noise",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Low Accuracy",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A squared or absolute error between what a model predicts and noise that was drawn with `torch.rand` or `torch.rand_like`, where the same
noise is added to the model's input.

## Why it is wrong

`torch.rand_like` draws from a uniform distribution between 0 and 1: its mean is not 0, and its variance is a twelfth. The schedules of
diffusion models, and the samplers that start from `torch.randn`, assume a normal distribution with mean 0 and variance 1. The loss falls nevertheless, and the
samples are wrong.

## Bad

```python
import torch
import torch.nn.functional as F


def loss_of(model, x, t, alpha):
    noise = torch.rand_like(x)
    noisy = alpha.sqrt() * x + (1 - alpha).sqrt() * noise
    return F.mse_loss(model(noisy, t), noise)
```

## Good

```python
import torch
import torch.nn.functional as F


def loss_of(model, x, t, alpha):
    noise = torch.randn_like(x)
    noisy = alpha.sqrt() * x + (1 - alpha).sqrt() * noise
    return F.mse_loss(model(noisy, t), noise)
```

## When it is wrong

Where the whole method is built on another distribution, as in cold diffusion.

## References

- Ho et al., Denoising Diffusion Probabilistic Models, 2020
)"},
    .calls = "torch.nn.functional.mse_loss torch.nn.functional.l1_loss torch.nn.functional.smooth_l1_loss "
             "torch.nn.functional.huber_loss TorchLoss.__call__",
    .on_call = check};

} // namespace deepperf::rules::uniform_noise_target
