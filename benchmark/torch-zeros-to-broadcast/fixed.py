import torch

BATCH = 32
SIZE = 128
STEPS = 30


def coefficients(table: torch.Tensor, t: torch.Tensor, shape):
    return table[t][:, None, None, None].expand(shape)


torch.manual_seed(0)
alphas = torch.linspace(0.99, 0.01, 1000)
image = torch.randn(BATCH, 3, SIZE, SIZE)
for step in range(STEPS):
    t = torch.full((BATCH,), 999 - step)
    image = coefficients(alphas, t, image.shape) * image

result = [image.mean().item(), image.std().item()]
