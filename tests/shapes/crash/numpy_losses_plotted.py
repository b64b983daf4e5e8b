# torch 1.13: RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
import numpy as np
import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
xs = torch.linspace(0, 1, 50).view(-1, 1)


def curve():
    ys = net(xs)
    return np.concatenate([xs.numpy(), ys.numpy()], axis=1)  # expect: DP609  # fixed: return np.concatenate([xs.numpy(), ys.detach().numpy()], axis=1)


print(curve().shape)
