import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x, mask, scale):
        return self.fc(x) * mask * scale


net = nn.DataParallel(Net())
assert net(torch.rand(2, 8), mask=torch.ones(2, 4), scale=2.0).shape == (2, 4)
net = nn.parallel.DataParallel(Net())
assert net(torch.rand(2, 8), torch.ones(2, 4), scale=2.0).shape == (2, 4)
