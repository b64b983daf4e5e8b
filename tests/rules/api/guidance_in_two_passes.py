import torch
from diffusers import DDIMScheduler, UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("sd", subfolder="unet", torch_dtype=torch.float16).eval()
scheduler = DDIMScheduler.from_pretrained("sd", subfolder="scheduler")


@torch.no_grad()
def twice(x, text, empty, scale):
    scheduler.set_timesteps(50)
    for t in scheduler.timesteps:
        wanted = unet(x, t, encoder_hidden_states=text).sample
        plain = unet(x, t, encoder_hidden_states=empty).sample  # expect: DP198
        x = scheduler.step(plain + scale * (wanted - plain), t, x).prev_sample
    return x


@torch.no_grad()
def once(x, both, scale):
    scheduler.set_timesteps(50)
    for t in scheduler.timesteps:
        plain, wanted = unet(torch.cat([x, x]), t, encoder_hidden_states=both).sample.chunk(2)
        x = scheduler.step(plain + scale * (wanted - plain), t, x).prev_sample
    return x


@torch.no_grad()
def two_pictures(x, y, text):
    scheduler.set_timesteps(50)
    for t in scheduler.timesteps:
        a = unet(x, t, encoder_hidden_states=text).sample
        b = unet(y, t, encoder_hidden_states=text).sample
        x = scheduler.step(a, t, x).prev_sample
        y = scheduler.step(b, t, y).prev_sample
    return x, y
