#include "rules/reach.h"
#include "rules/site.h"

namespace deepperf::rules::latents_not_scaled {

using namespace python;

namespace {

bool is_autoencoder(const Site &site, const Expr *owner) {
  const model::Value value = value_of(site, owner);
  return value.is(model::Value::Tag::Instance) && value.name() &&
         value.name().text().starts_with("diffusers.AutoencoderKL");
}

void check(Site &site, const Call &call) {
  const Expr *owner = receiver_of(call);
  if (site.module->is_test || owner == nullptr || !is_autoencoder(site, owner) ||
      file_has_word(site, {"scaling_factor", "0.18215", "0.13025", "scale_factor", "vae_scale", "1.15258426", "0.3611",
                           "latents_mean"})) {
    return;
  }
  const bool encodes = called_method(call) == "encode";
  // Only who trains a diffusion model on the latents, or decodes what one made, has to scale them.
  if (encodes ? !file_has_word(site, {".add_noise(", "get_velocity("}) || !file_has_word(site, {".backward("})
              : !file_has_word(site, {"set_timesteps("})) {
    return;
  }
  report(site, call,
         encodes ? "the latents are not multiplied by the scaling factor that the diffusion model was trained with"
                 : "the latents are not divided by the scaling factor before they are decoded",
         encodes ? "multiply them by `vae.config.scaling_factor`" : "decode `latents / vae.config.scaling_factor`");
}

} // namespace

extern constinit const Rule kLatentsNotScaled = {
    .info = {.code = "DP883",
             .name = "latents-not-scaled",
             .summary = "latents of a diffusion model without the autoencoder's scaling factor",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`vae.encode(…)` of a Diffusers `AutoencoderKL` in a file that trains a diffusion model on the latents, and `vae.decode(…)` of latents that a
sampling loop produced, in a file without `scaling_factor`.

## Why it is wrong

The autoencoder of Stable Diffusion produces latents with a standard deviation of about 5. The diffusion model was trained on latents times
`vae.config.scaling_factor` (0.18215), which have unit variance. Without it the noise schedule does not match, and pretrained weights see
inputs that they were never trained on.

## Bad

```python
import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DModel


def step(pixels, optimizer):
    vae = AutoencoderKL.from_pretrained("sd", subfolder="vae")
    unet = UNet2DModel.from_pretrained("sd", subfolder="unet")
    schedule = DDPMScheduler.from_pretrained("sd", subfolder="scheduler")
    with torch.no_grad():
        latents = vae.encode(pixels).latent_dist.sample()
    noise = torch.randn_like(latents)
    t = torch.randint(0, 1000, (latents.shape[0],), device=latents.device)
    loss = F.mse_loss(unet(schedule.add_noise(latents, noise, t), t).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good

```python
import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DModel


def step(pixels, optimizer):
    vae = AutoencoderKL.from_pretrained("sd", subfolder="vae")
    unet = UNet2DModel.from_pretrained("sd", subfolder="unet")
    schedule = DDPMScheduler.from_pretrained("sd", subfolder="scheduler")
    with torch.no_grad():
        latents = vae.encode(pixels).latent_dist.sample() * vae.config.scaling_factor
    noise = torch.randn_like(latents)
    t = torch.randint(0, 1000, (latents.shape[0],), device=latents.device)
    loss = F.mse_loss(unet(schedule.add_noise(latents, noise, t), t).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it is wrong

Where the diffusion model is trained from scratch on latents that are normalized in another way.

## References

- Diffusers: `AutoencoderKL`, `scaling_factor`
)"},
    .calls = "*.encode *.decode",
    .on_call = check};

} // namespace deepperf::rules::latents_not_scaled
