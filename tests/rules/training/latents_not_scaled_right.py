import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel

vae = AutoencoderKL.from_pretrained("sd", subfolder="vae").requires_grad_(False).eval()
unet = UNet2DConditionModel.from_pretrained("sd", subfolder="unet")
schedule = DDPMScheduler.from_pretrained("sd", subfolder="scheduler")


def step(pixels, states, optimizer):
    with torch.no_grad():
        latents = vae.encode(pixels).latent_dist.sample() * vae.config.scaling_factor
    noise = torch.randn_like(latents)
    t = torch.randint(0, 1000, (latents.shape[0],), device=latents.device)
    loss = F.mse_loss(unet(schedule.add_noise(latents, noise, t), t, states).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
