import torch

SAMPLES = 40000

torch.manual_seed(0)
clean = torch.randn(SAMPLES)
noise = torch.randn(SAMPLES)
levels = torch.linspace(0.001, 0.999, SAMPLES)


def corrupt(clean, noise, levels):
    return torch.sqrt(1 - levels) * clean + torch.sqrt(levels) * noise


noisy = corrupt(clean, noise, levels)
result = [noisy.mean().item(), noisy.std().item()]
