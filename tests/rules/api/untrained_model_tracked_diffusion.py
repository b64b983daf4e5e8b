import torch
import torch.nn.functional as F
from accelerate import Accelerator
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from transformers import CLIPTextModel


def load_parts(base):
    text_encoder = CLIPTextModel.from_pretrained(base, subfolder="text_encoder")
    vae = AutoencoderKL.from_pretrained(base, subfolder="vae")
    unet = UNet2DConditionModel.from_pretrained(base, subfolder="unet")
    return text_encoder, vae, unet, DDPMScheduler.from_pretrained(base, subfolder="scheduler")


def diffusion_loss(batch, text_encoder, vae, unet, scheduler):
    latents = vae.encode(batch["pixel_values"]).latent_dist.sample()  # expect: DP159
    latents = latents * vae.config.scaling_factor
    noise = torch.randn_like(latents)
    steps = torch.randint(0, 1000, (latents.shape[0],), device=latents.device)
    context = text_encoder(batch["input_ids"]).last_hidden_state  # expect: DP159
    prediction = unet(scheduler.add_noise(latents, noise, steps), steps, encoder_hidden_states=context).sample
    return F.mse_loss(prediction.float(), noise.float())


def main(base, loader):
    accelerator = Accelerator(mixed_precision="bf16")
    text_encoder, vae, unet, scheduler = load_parts(base)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    vae.to(accelerator.device).eval()
    text_encoder.to(accelerator.device).eval()
    for batch in loader:
        with accelerator.autocast():
            loss = diffusion_loss(batch, text_encoder, vae, unet, scheduler)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
