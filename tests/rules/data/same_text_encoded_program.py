import argparse
import torch
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from transformers import CLIPTextModel, CLIPTokenizer
import torch.nn.functional as F


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="runwayml/stable-diffusion-v1-5")
    p.add_argument("--instance_prompt", default="a photo of sks dog")
    p.add_argument("--lr", type=float, default=5e-6)
    return p.parse_args()


def encode(tok, enc, prompt, n, device):
    ids = tok([prompt] * n, padding="max_length", max_length=tok.model_max_length, truncation=True, return_tensors="pt").input_ids
    with torch.no_grad():
        return enc(ids.to(device))[0]


def main(args, loader):
    device = torch.device("cuda")
    tok = CLIPTokenizer.from_pretrained(args.model, subfolder="tokenizer")
    enc = CLIPTextModel.from_pretrained(args.model, subfolder="text_encoder").to(device)
    vae = AutoencoderKL.from_pretrained(args.model, subfolder="vae").to(device)
    unet = UNet2DConditionModel.from_pretrained(args.model, subfolder="unet").to(device)
    sched = DDPMScheduler.from_pretrained(args.model, subfolder="scheduler")
    enc.requires_grad_(False)
    vae.requires_grad_(False)
    opt = torch.optim.AdamW(unet.parameters(), lr=args.lr)
    for epoch in range(100):
        for pixels in loader:
            pixels = pixels.to(device, non_blocking=True)
            with torch.no_grad():
                latents = vae.encode(pixels).latent_dist.sample() * 0.18215
            noise = torch.randn_like(latents)
            t = torch.randint(0, 1000, (latents.shape[0],), device=device)
            noisy = sched.add_noise(latents, noise, t)
            hidden = encode(tok, enc, args.instance_prompt, latents.shape[0], device)  # expect: DP412
            with torch.autocast("cuda", dtype=torch.bfloat16):
                pred = unet(noisy, t, hidden).sample
                loss = F.mse_loss(pred.float(), noise.float())
            loss.backward()
            opt.step()
            opt.zero_grad(set_to_none=True)


if __name__ == "__main__":
    from data import make_loader
    a = parse()
    main(a, make_loader(a))
