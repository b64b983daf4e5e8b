import torch
from torch import nn

features = {}


def save(name):
    def hook(module, inputs, output):
        features[name] = output.detach()
    return hook


net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten())
net[0].register_forward_hook(save("conv"))
net(torch.rand(1, 3, 6, 6))
nn.Linear(4, 2)(features["conv"].mean((2, 3)))
