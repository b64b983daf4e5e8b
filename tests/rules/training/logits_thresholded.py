import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        return self.out(self.body(x))


net = Net()
criterion = nn.BCEWithLogitsLoss()


@torch.no_grad()
def accuracy(x, y):
    net.eval()
    return ((net(x) > 0.5) == y).float().mean()  # expect: DP909


@torch.no_grad()
def rounded(x, y):
    net.eval()
    logits = net(x).squeeze(1)
    return (torch.round(logits) == y).float().mean()  # expect: DP909


@torch.no_grad()
def right(x, y):
    net.eval()
    logits = net(x)
    a = torch.sigmoid(logits) > 0.5
    b = logits > 0
    c = logits.sigmoid().round()
    return a, b, c, logits > 1.5


def train(loader, optimizer: torch.optim.Optimizer):
    net.train()
    for x, y in loader:
        optimizer.zero_grad()
        criterion(net(x), y).backward()
        optimizer.step()
