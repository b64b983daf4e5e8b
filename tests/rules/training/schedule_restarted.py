import torch
from diffusers import DPMSolverMultistepScheduler, UNet2DModel

unet = UNet2DModel.from_pretrained("google/ddpm-cat-256", torch_dtype=torch.float16).eval()
scheduler = DPMSolverMultistepScheduler()


@torch.no_grad()
def in_loop(x, steps):
    for i in range(steps):
        scheduler.set_timesteps(steps)  # expect: DP819
        t = scheduler.timesteps[i]
        x = scheduler.step(unet(x, t).sample, t, x).prev_sample
    return x


class Sampler:
    def __init__(self, solver, steps=30):
        self.solver = solver
        self.steps = steps

    def times(self):
        self.solver.set_timesteps(self.steps, device="cuda")
        return self.solver.timesteps

    @torch.inference_mode()
    def run(self, x):
        for i in range(self.steps):
            t = self.times()[i]  # expect: DP819
            x = self.solver.step(unet(x, t).sample, t, x).prev_sample
        return x

    @torch.inference_mode()
    def right(self, x):
        for t in self.times():
            x = self.solver.step(unet(x, t).sample, t, x).prev_sample
        return x


@torch.no_grad()
def once(x, steps):
    scheduler.set_timesteps(steps)
    for t in scheduler.timesteps:
        x = scheduler.step(unet(x, t).sample, t, x).prev_sample
    return x


@torch.no_grad()
def for_each_picture(pictures, steps):
    done = []
    for x in pictures:
        scheduler.set_timesteps(steps)
        for t in scheduler.timesteps:
            x = scheduler.step(unet(x, t).sample, t, x).prev_sample
        done.append(x)
    return done
