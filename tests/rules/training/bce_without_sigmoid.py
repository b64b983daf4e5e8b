import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(10, 20)
        self.out = nn.Linear(20, 1)

    def forward(self, x):
        return self.out(torch.relu(self.body(x))).squeeze(-1)


class Probability(Net):
    def forward(self, x):
        return torch.sigmoid(self.out(torch.relu(self.body(x))))


def fires(x, y):
    criterion = nn.BCELoss()
    model = Net()
    a = criterion(model(x), y)  # expect: DP803
    b = F.binary_cross_entropy(F.relu(x), y)  # expect: DP803
    return a, b


def silent(x, y, other):
    criterion = nn.BCELoss()
    a = criterion(Probability()(x), y)
    b = criterion(torch.sigmoid(Net()(x)), y)
    c = criterion(other(x), y)
    d = F.binary_cross_entropy(F.softmax(x, 1), y)
    e = nn.BCEWithLogitsLoss()(Net()(x), y)
    return a, b, c, d, e
