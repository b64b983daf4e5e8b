import torch
import torch.nn as nn


class Forgotten(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size, size))  # expect: DP271
        self.shift = nn.Parameter(torch.Tensor(size, 1))  # expect: DP271

    def forward(self, x):
        return x @ self.weight + self.shift


class Filled(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.first = nn.Parameter(torch.empty(size, size))
        self.second = nn.Parameter(torch.empty(size, size))
        self.third = nn.Parameter(torch.zeros(size))
        self.fourth = nn.Parameter(torch.Tensor([1.0, 2.0]))  # hint: DP145
        nn.init.xavier_uniform_(self.first)
        self.reset()

    def reset(self):
        self.second.data.uniform_(-0.1, 0.1)

    def forward(self, x):
        return x @ self.first @ self.second + self.third + self.fourth


# Filled in a loop over a list of them.
class Listed(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.up = nn.Parameter(torch.empty(4, size, size))
        self.down = nn.Parameter(torch.empty(4, size, size))
        weights = [self.up, self.down]
        for weight in weights:
            for i in range(4):
                nn.init.xavier_normal_(weight[i])

    def forward(self, x):
        return x @ self.up[0] @ self.down[0]


class Marker(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.marker = torch.nn.Parameter(torch.empty(0), requires_grad=False)

    def forward(self, x):
        return x.to(self.marker.dtype)
