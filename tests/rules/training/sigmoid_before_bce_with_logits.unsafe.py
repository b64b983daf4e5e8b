import torch
import torch.nn as nn
import torch.nn.functional as F


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(10, 20), nn.LeakyReLU(0.2), nn.Linear(20, 1), nn.Sigmoid())

    def forward(self, x):
        return self.model(x).view(-1, 1)


class Trainer:
    def __init__(self):
        self.net = Discriminator()
        self.criterion = nn.BCEWithLogitsLoss()

    def step(self, x, y):
        return self.criterion(self.net(x), y)  # expect: DP802


def fires(x, y):
    a = F.binary_cross_entropy_with_logits(x, y)  # expect: DP802
    loss = torch.nn.BCEWithLogitsLoss(reduction="sum")
    p = x.sigmoid().squeeze(1)
    b = loss(p, y)  # expect: DP802
    return a, b


def silent(x, y):
    a = F.binary_cross_entropy_with_logits(x, y)
    b = F.binary_cross_entropy(torch.sigmoid(x), y)
    c = nn.BCELoss()(Discriminator()(x), y)
    d = nn.BCEWithLogitsLoss()(nn.Linear(10, 1)(x), torch.sigmoid(y))
    return a, b, c, d
