import torch
from torch import nn


class Ranking(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets):
        errors = torch.zeros(logits.shape).cuda()  # expect: DP401
        ctx.save_for_backward(errors)
        return (errors * targets).sum()

    @staticmethod
    def backward(ctx, grad):
        (errors,) = ctx.saved_tensors
        scale = torch.ones(len(errors)).cuda()  # expect: DP401
        return errors * grad * scale, None


class Plain:
    # Nobody says when this runs.
    @staticmethod
    def forward(n):
        return torch.zeros(n).cuda()  # hint: DP401


def denoise(latents: torch.Tensor, sigmas, device="cuda"):
    noise = torch.randn(latents.shape[0]).to("cuda")  # expect: DP401
    return latents + noise * sigmas


def setup(size):
    return torch.ones(size).to("cuda")  # hint: DP401


class Mixer(nn.Module):
    def __init__(self, weights: torch.Tensor):
        super().__init__()
        self.scale = torch.ones(weights.shape[0]).cuda()  # hint: DP401
