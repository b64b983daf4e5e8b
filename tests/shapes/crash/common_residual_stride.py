# torch 1.13: RuntimeError: The size of tensor a (14) must match the size of tensor b (7) at non-singleton dimension 3
import torch
from torch import nn
class Res(nn.Module):
    def __init__(self, c, stride):
        super().__init__()
        self.a = nn.Conv2d(c, c, 3, stride=stride, padding=1)
        self.b = nn.Conv2d(c, c, 3, padding=1)
    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))  # expect: DP602
net = nn.Sequential(Res(8, 1), Res(8, 2))  # fixed: net = nn.Sequential(Res(8, 1), Res(8, 1))
print(net(torch.randn(1, 8, 14, 14)).shape)
