import torch
from torch import nn


class Coupling(nn.Module):
    """Half of the channels decide what happens to the other half."""

    def __init__(self, channels):
        super().__init__()
        self.half = channels // 2
        self.net = nn.Linear(self.half, 2 * (channels - self.half))

    def forward(self, x):
        a, b = x[:, :self.half], x[:, self.half:]
        shift, log_scale = self.net(a).chunk(2, dim=1)
        return torch.cat([a, b * log_scale.exp() + shift], dim=1)


for n in (4, 7, 10):
    assert Coupling(n)(torch.randn(3, n)).shape == (3, n)
