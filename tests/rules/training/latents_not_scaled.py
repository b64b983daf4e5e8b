import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, DDIMScheduler, DDPMScheduler, UNet2DConditionModel

vae = AutoencoderKL.from_pretrained("sd", subfolder="vae").requires_grad_(False).eval()
unet = UNet2DConditionModel.from_pretrained("sd", subfolder="unet")
schedule = DDPMScheduler.from_pretrained("sd", subfolder="scheduler")


def step(pixels, states, optimizer):
    with torch.no_grad():
        latents = vae.encode(pixels).latent_dist.sample()  # expect: DP883
    noise = torch.randn_like(latents)
    t = torch.randint(0, 1000, (latents.shape[0],), device=latents.device)
    loss = F.mse_loss(unet(schedule.add_noise(latents, noise, t), t, states).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


class Sampler:
    def __init__(self):
        self.vae = AutoencoderKL.from_pretrained("sd", subfolder="vae")
        self.schedule = DDIMScheduler.from_pretrained("sd", subfolder="scheduler")

    @torch.no_grad()
    def __call__(self, latents, states):
        self.schedule.set_timesteps(50)
        for t in self.schedule.timesteps:
            latents = self.schedule.step(unet(latents, t, states).sample, t, latents).prev_sample
        return self.vae.decode(latents).sample  # expect: DP883


def text(data):
    return data.encode("utf8").decode("latin1")
