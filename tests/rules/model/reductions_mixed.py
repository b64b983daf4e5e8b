import torch
import torch.nn as nn
import torch.nn.functional as F


def function(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x)
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld  # expect: DP272


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.mse = nn.MSELoss()

    def forward(self, recon, x, mu, logvar):
        rec = self.mse(recon, x)
        kl = -0.5 * (1 + logvar - mu**2 - torch.exp(logvar)).sum()
        return rec + kl  # expect: DP272


def right(recon, x, mu, logvar):
    summed = F.binary_cross_entropy(recon, x, reduction="sum")
    mean = F.mse_loss(recon, x)
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    averaged = -0.5 * torch.mean(1 + logvar - mu.pow(2) - logvar.exp())
    each = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()
    return summed + kld, mean + averaged, mean + each, mean + kld / x.numel()
