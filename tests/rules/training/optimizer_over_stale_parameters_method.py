import torch
import torch.nn as nn
import torch.nn.functional as F


class Agent:
    def __init__(self, net: nn.Module, lr):
        self.net, self.lr = net, lr

    def update(self, x, y):
        optimizer = torch.optim.Adam(self.net.parameters(), self.lr)  # expect: DP814
        optimizer.zero_grad()
        F.mse_loss(self.net(x), y).backward()
        optimizer.step()

    def fit(self, loader):
        optimizer = torch.optim.Adam(self.net.parameters(), self.lr)
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(self.net(x), y).backward()
            optimizer.step()

    def plain(self, x, y):
        optimizer = torch.optim.SGD(self.net.parameters(), self.lr)  # hint: DP814
        optimizer.zero_grad()
        F.mse_loss(self.net(x), y).backward()
        optimizer.step()

    def given(self, x, y, run):
        optimizer = torch.optim.Adam(self.net.parameters(), self.lr)
        optimizer.zero_grad()
        F.mse_loss(self.net(x), y).backward()
        optimizer.step()
        run(optimizer)
