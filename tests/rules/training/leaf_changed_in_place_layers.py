import torch
import torch.nn as nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)
        self.lin.bias.fill_(0.1)  # expect: DP922
        nn.init.zeros_(self.lin.weight)
        self.lin.weight.data.fill_(1.0)  # expect: DP810

    def forward(self, x):
        return self.lin(x)


def soft_update(target: nn.Module, source: nn.Module):
    for p, q in zip(target.parameters(), source.parameters()):
        p.mul_(0.99)  # expect: DP922
        p.data.add_(0.01 * q.data)


@torch.no_grad()
def right(target: nn.Module, source: nn.Module):
    for p, q in zip(target.parameters(), source.parameters()):
        p.mul_(0.99)


soft_update(Gate(), Gate())
right(Gate(), Gate())
