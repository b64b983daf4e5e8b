# torch 1.13: no error
# wrong without an error: [40, 1] minus [40] is [40, 40]
import torch
from torch import nn


class Regression(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 1)

    def forward(self, x):
        return self.linear(x)


model = Regression()
x = torch.randn(40, 3)
y = x.sum(dim=1)
pred = model(x)
loss = ((pred - y) ** 2).mean()  # expect: DP606  # fixed: loss = ((pred.squeeze(1) - y) ** 2).mean()
loss.backward()
