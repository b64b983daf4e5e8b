# Numbers of a loop, slices and unpacking, as they are meant.
import torch
from torch import nn


class Pyramid(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList()
        width = 8
        for i in range(depth):
            self.layers.append(nn.Linear(width, 8 * (i + 2)))
            width = 8 * (i + 2)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def pieces(x, size):
    out = []
    for i in range(0, len(x), size):
        out.append(x[i:i + size].sum(0))
    return torch.stack(out)


print(Pyramid(3)(torch.rand(2, 8)).shape)
print(pieces(torch.rand(1000, 4), 300))
series = torch.arange(500.0)
windows = torch.stack([series[i:i + 24] for i in range(0, 400)])
print(nn.Linear(24, 1)(windows).shape)
before = torch.stack([series[i - 24:i] for i in range(24, 400)])
print(nn.Linear(24, 1)(before).shape)

batch, *rest = torch.rand(2, 3, 4).shape
height, width = torch.rand(2, 3, 4).shape[-2:]
first, second = torch.rand(2, 3)
low, high = torch.rand(6).chunk(2)
values, places = torch.rand(4, 5).max(dim=1)
board = torch.zeros(8, 8)
board[2:5, :] = torch.ones(3, 8)
board[0] = torch.ones(1, 8)
board[:, 0] = torch.ones(8)
board[board > 0] = 3.0
board[1:3, 1:3] = 5
counts = torch.ones(4)
counts /= 2
whole = torch.arange(4)
whole *= 2
whole //= 2
