import torch
from torch import nn


class Tree(nn.Module):
    def __init__(self, levels, cin, cout):
        super().__init__()
        if levels == 0:
            self.a, self.b = nn.Linear(cin, cout), None
        else:
            self.a, self.b = Tree(levels - 1, cin, cout), Tree(levels - 1, cout, cout)

    def forward(self, x):
        x = self.a(x)
        return x if self.b is None else self.b(x)


Tree(3, 5, 7)(torch.rand(2, 5))
