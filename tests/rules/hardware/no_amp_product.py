"""Parameters that are multiplied are what tensor cores are for."""
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width, width))

    def forward(self, x):
        return torch.relu(x @ self.weight)


def fit(batches):
    mixer = Mixer(8192).to("cuda")
    optimizer = torch.optim.Adam(mixer.parameters())
    for x, y in batches:
        loss = (mixer(x) - y).square().mean()  # expect: DP513
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return mixer
