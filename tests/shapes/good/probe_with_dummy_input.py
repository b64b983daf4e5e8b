import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, shape=(3, 40, 30)):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(shape[0], 6, 5, 2), nn.ReLU(), nn.Conv2d(6, 9, 3), nn.ReLU())
        with torch.no_grad():
            flat = self.conv(torch.zeros(1, *shape)).numel()
        self.fc = nn.Linear(flat, 2)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


Net()(torch.rand(4, 3, 40, 30))
Net((1, 28, 28))(torch.rand(2, 1, 28, 28))
