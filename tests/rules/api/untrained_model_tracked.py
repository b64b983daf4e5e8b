import torch
from diffusers import AutoencoderKL, UNet2DModel
from torch import nn
from transformers import CLIPTextModel


def train(loader):
    vae = AutoencoderKL.from_pretrained("vae")
    text_encoder = CLIPTextModel.from_pretrained("clip")
    unet = UNet2DModel.from_pretrained("unet")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    vae.eval()
    for batch in loader:
        pixels = batch["pixels"].float()
        latents = vae.encode(pixels).latent_dist.sample() * vae.config.scaling_factor  # expect: DP159
        context = text_encoder(batch["ids"].float())[0]  # expect: DP159
        optimizer.zero_grad()
        unet(latents, context).sample.mean().backward()
        optimizer.step()


def off(loader):
    vae = AutoencoderKL.from_pretrained("vae")
    unet = UNet2DModel.from_pretrained("unet")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    for batch in loader:
        with torch.no_grad():
            latents = vae.encode(batch["pixels"].float()).latent_dist.sample()
        optimizer.zero_grad()
        unet(latents).sample.mean().backward()
        optimizer.step()


def frozen(loader):
    vae = AutoencoderKL.from_pretrained("vae")
    vae.requires_grad_(False)
    unet = UNet2DModel.from_pretrained("unet")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    for batch in loader:
        latents = vae.encode(batch["pixels"].float()).latent_dist.sample()
        optimizer.zero_grad()
        unet(latents).sample.mean().backward()
        optimizer.step()


def both(loader, make_optimizer):
    vae = AutoencoderKL.from_pretrained("vae")
    unet = UNet2DModel.from_pretrained("unet")
    optimizer = make_optimizer(unet, vae)
    for batch in loader:
        latents = vae.encode(batch["pixels"].float()).latent_dist.sample()
        optimizer.zero_grad()
        unet(latents).sample.mean().backward()
        optimizer.step()


def perceptual(loader):
    judge = CLIPTextModel.from_pretrained("clip")
    unet = UNet2DModel.from_pretrained("unet")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    for batch in loader:
        made = unet(batch["pixels"].float()).sample
        optimizer.zero_grad()
        judge(made)[0].mean().backward()
        optimizer.step()


def frozen(batches):
    backbone = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    head = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    backbone.eval()
    for x, y in batches:
        features = backbone(x)  # expect: DP159
        loss = nn.functional.cross_entropy(head(features), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def trained(batches):
    backbone = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    head = nn.Linear(3, 2)
    optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.1)
    backbone.eval()
    for x, y in batches:
        loss = nn.functional.cross_entropy(head(backbone(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
