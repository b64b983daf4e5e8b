import torch
from torch import nn


class Annealed(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0
        self.evaluated = 0

    def forward(self, x):
        if self.training:
            self.seen += 1  # expect: DP261
        return x * min(1.0, self.seen / 1000)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.scale = Annealed()

    def step(self, x):
        return self.scale(self.fc(x))


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        self.seen += 1
        return x


def main(x):
    net = Net()
    step = torch.compile(net.step)
    return step(x), Plain()(x)
