import tensorflow as tf
import torch
import torch.nn as nn
import torch.nn.functional as F


class Distance(nn.Module):
    def __init__(self):
        super().__init__()
        self.mse = nn.MSELoss()

    def forward(self, a, b):
        x = torch.sqrt(torch.sum((a - b) ** 2, dim=1))  # hint: DP703
        y = torch.sqrt(self.mse(a, b))  # hint: DP703
        z = torch.sqrt(self.mse(a, b) + 1e-8)
        v = torch.sqrt(torch.mean(a**2))
        return x + y + z + v


def rmse_loss(a, b):
    return tf.sqrt(tf.reduce_mean(tf.square(a - b)))  # hint: DP703


def loss_of(a, b):
    return torch.sqrt(F.mse_loss(a, b))  # hint: DP703


@torch.no_grad()
def loss_value(a, b):
    return torch.sqrt(F.mse_loss(a, b))


def metric(a, b):
    return torch.sqrt(F.mse_loss(a, b))


def pairwise_distance(a, b):
    return (a - b).pow(2).sum(-1).sqrt()


def loss_with_guard(a, b):
    return torch.sqrt(torch.sum((a - b) ** 2) + 1e-12) + torch.norm(a - b)


class Pairs(nn.Module):
    def forward(self, points, other):
        difference = points.unsqueeze(2) - points.unsqueeze(1)
        a = difference.pow(2).sum(-1).sqrt()  # expect: DP703
        b = torch.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))  # expect: DP703, DP168
        c = (difference.pow(2).sum(-1) + 1e-8).sqrt()
        d = torch.sqrt((points.pow(2)).sum(-1))
        return a, b, c, d
