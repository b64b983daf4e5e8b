import torch
from torch import nn


def mlp(sizes, activation=nn.ReLU, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


net = mlp([6] + [32] * 3 + [2], nn.Tanh)
net(torch.randn(5, 6))
deeper = nn.Sequential(*(nn.Linear(2 ** i, 2 ** (i + 1)) for i in range(6)))
deeper(torch.rand(3, 1))
deeper[2:4](torch.rand(3, 4))
