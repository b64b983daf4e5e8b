# torch 1.13: AttributeError: 'tuple' object has no attribute 'size'
import torch
from torch import nn


class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(20, 4)
        self.dec = nn.Linear(4, 20)

    def forward(self, x):
        code = self.enc(x)
        return self.dec(code), code


model = AE()
x = torch.rand(3, 20)
loss = nn.MSELoss()(model(x), x)  # expect: DP610  # fixed: loss = nn.MSELoss()(model(x)[0], x)
