import torch
from torch import nn


class Continual:
    def __init__(self, net):
        self.net = net

    def make_optimizer(self):
        return torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def fit(self, loader, epochs):
        opt = self.make_optimizer()
        for _ in range(epochs):
            for x, y in loader:
                loss = nn.functional.mse_loss(self.net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()


def main(loaders):
    c = Continual(nn.Linear(4, 1))
    for loader in loaders:
        c.fit(loader, 10)
