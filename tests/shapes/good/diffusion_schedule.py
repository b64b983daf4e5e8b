import torch
import torch.nn.functional as F


def extract(a, t, x_shape):
    out = a.gather(-1, t)
    return out.reshape(t.shape[0], *((1,) * (len(x_shape) - 1)))


betas = torch.linspace(1e-4, 0.02, 100)
alphas_bar = torch.cumprod(1.0 - betas, dim=0)
alphas_prev = F.pad(alphas_bar[:-1], (1, 0), value=1.0)
x = torch.randn(4, 3, 8, 8)
t = torch.randint(0, 100, (4,))
noisy = extract(alphas_bar.sqrt(), t, x.shape) * x + extract((1 - alphas_bar).sqrt(), t, x.shape) * torch.randn_like(x)
loss = F.mse_loss(noisy, x)
