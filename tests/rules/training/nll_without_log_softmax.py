import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(20, 5)
        self.logsoftmax = nn.LogSoftmax(dim=1)

    def forward(self, x):
        return self.out(x)


class Good(Net):
    def forward(self, x):
        return self.logsoftmax(self.out(x))


def fires(x, y):
    criterion = nn.NLLLoss()
    a = criterion(Net()(x), y)  # expect: DP804
    b = F.nll_loss(F.softmax(x, dim=1), y)  # expect: DP804
    return a, b


def silent(x, y, other):
    criterion = nn.NLLLoss()
    a = criterion(Good()(x), y)
    b = F.nll_loss(torch.log(F.softmax(x, dim=1)), y)  # expect: DP701
    c = criterion(other(x), y)
    d = F.nll_loss(F.log_softmax(x, dim=1), y)
    e = F.cross_entropy(Net()(x), y)
    return a, b, c, d, e


def ctc(loader):
    encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 30))
    loss = nn.CTCLoss(blank=0)
    for x, y, x_length, y_length in loader:
        loss(encoder(x).transpose(0, 1), y, x_length, y_length)  # expect: DP804
        loss(encoder(x).log_softmax(-1).transpose(0, 1), y, x_length, y_length)
        F.ctc_loss(torch.softmax(encoder(x), -1), y, x_length, y_length)  # expect: DP804
