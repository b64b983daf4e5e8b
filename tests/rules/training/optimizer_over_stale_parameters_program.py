import torch
from torch import nn


class Continual:
    def __init__(self, net):
        self.net = net

    def make_optimizer(self):
        return torch.optim.Adam(self.net.parameters(), lr=1e-3)  # expect: DP814

    def fit(self, loader, epochs):
        for _ in range(epochs):
            for x, y in loader:
                opt = self.make_optimizer()
                loss = nn.functional.mse_loss(self.net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()


def main(loaders):
    c = Continual(nn.Linear(4, 1))
    for loader in loaders:
        c.fit(loader, 10)
