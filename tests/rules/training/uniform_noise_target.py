import torch
import torch.nn.functional as F
from torch import nn


class Schedule:
    def __init__(self, alphas):
        self.alphas = alphas

    def noisy(self, x, t, noise):
        a = self.alphas[t].view(-1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise


def by_formula(model, x, t, alpha):
    noise = torch.rand_like(x)
    noisy = alpha.sqrt() * x + (1 - alpha).sqrt() * noise
    return F.mse_loss(model(noisy, t), noise)  # expect: DP969


def by_method(model, schedule: Schedule, x, t):
    noise = torch.rand(x.shape, device=x.device)
    return F.mse_loss(model(schedule.noisy(x, t, noise), t), noise)  # expect: DP969


def by_module(model, scheduler, x, t):
    criterion = nn.MSELoss()
    noise = torch.rand_like(x)
    return criterion(model(scheduler.add_noise(x, noise, t), t), noise)  # expect: DP969


def corrupted(x, alpha):
    noise = torch.rand_like(x)
    return alpha.sqrt() * x + (1 - alpha).sqrt() * noise, noise


def by_function(model, x, t, alpha):
    noisy, noise = corrupted(x, alpha)
    return F.mse_loss(model(noisy, t), noise)  # expect: DP969


def normal(model, x, t, alpha):
    noise = torch.randn_like(x)
    noisy = alpha.sqrt() * x + (1 - alpha).sqrt() * noise
    return F.mse_loss(model(noisy, t), noise)


def made_symmetric(model, x, t, alpha):
    noise = torch.rand_like(x) * 2 - 1
    noisy = alpha.sqrt() * x + (1 - alpha).sqrt() * noise
    return F.mse_loss(model(noisy, t), noise)


def denoising(model, x):
    noise = torch.rand_like(x)
    return F.mse_loss(model(x + noise), x)


def made_up_data(model, optimizer):
    x, y = torch.rand(8, 4), torch.rand(8, 2)
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()


def mixing(model, x, y, gate):
    weight = torch.rand_like(y)
    mixed = gate * x + (1 - gate) * y
    return F.mse_loss(model(mixed), weight * y)
