import torch
from diffusers import DiffusionPipeline, StableDiffusionXLPipeline

NAME = "stabilityai/stable-diffusion-xl-base-1.0"


def both(prompt):
    pipe = StableDiffusionXLPipeline.from_pretrained(NAME, torch_dtype=torch.float16)
    pipe.enable_sequential_cpu_offload()  # expect: DP542
    pipe = pipe.to("cuda")
    return pipe(prompt).images[0]


class Painter:
    def __init__(self):
        self.pipe = DiffusionPipeline.from_pretrained(NAME, torch_dtype=torch.float16).to("cuda")
        self.pipe.enable_model_cpu_offload()  # expect: DP542


def one_of_them(low_memory):
    pipe = StableDiffusionXLPipeline.from_pretrained(NAME, torch_dtype=torch.float16)
    if low_memory:
        pipe.enable_model_cpu_offload()
    else:
        pipe.to("cuda")
    return pipe


def offloaded():
    pipe = StableDiffusionXLPipeline.from_pretrained(NAME, torch_dtype=torch.float16)
    pipe.enable_model_cpu_offload()
    pipe.vae.to("cuda")
    return pipe


def moved():
    return StableDiffusionXLPipeline.from_pretrained(NAME, torch_dtype=torch.float16).to("cuda")
