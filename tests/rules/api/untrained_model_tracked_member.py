# The models are attributes of a plain object.
import torch
from diffusers import AutoencoderKL, UNet2DConditionModel
from transformers import CLIPTextModel


class Parts:
    def __init__(self, name):
        self.text = CLIPTextModel.from_pretrained(name, subfolder="text_encoder")
        self.vae = AutoencoderKL.from_pretrained(name, subfolder="vae")
        self.unet = UNet2DConditionModel.from_pretrained(name, subfolder="unet")
        self.text.requires_grad_(False)
        self.vae.eval()


def loss_of(parts, pixels, ids, t):
    latents = parts.vae.encode(pixels).latent_dist.sample() * parts.vae.config.scaling_factor  # expect: DP159
    context = parts.text(ids)[0]
    return parts.unet(latents, t, context).sample.mean()


def train(loader):
    parts = Parts("a")
    optimizer = torch.optim.AdamW(parts.unet.parameters(), lr=1e-5)
    for pixels, ids, t in loader:
        loss = loss_of(parts, pixels, ids, t)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
