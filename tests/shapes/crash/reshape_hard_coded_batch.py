# torch 1.13: RuntimeError: shape '[64, 784]' is invalid for input of size 37632
import torch
import torch.nn as nn

BATCH = 64


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(784, 10)

    def forward(self, x):
        return self.fc(x.view(BATCH, 784))  # expect: DP603


net = Net()
last_batch = torch.randn(48, 1, 28, 28)  # fixed: last_batch = torch.randn(64, 1, 28, 28)
net(last_batch)
