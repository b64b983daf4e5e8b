import torch

SAMPLES = 40000

torch.manual_seed(0)
clean = torch.randn(SAMPLES)
noise = torch.randn(SAMPLES)
levels = torch.linspace(0.001, 0.999, SAMPLES)


def corrupt(clean, noise, levels):
    noisy = torch.zeros(clean.shape[0])
    for i in range(clean.shape[0]):
        noisy[i] = torch.sqrt(1 - levels[i]) * clean[i] + torch.sqrt(levels[i]) * noise[i]
    return noisy


noisy = corrupt(clean, noise, levels)
result = [noisy.mean().item(), noisy.std().item()]
