import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)


def make_optimizer(net):
    return torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)


def loss_of(output, target):
    return nn.functional.mse_loss(output, target)


def make_loader(items):
    return torch.utils.data.DataLoader(items, batch_size=8, num_workers=4)  # expect: DP132
