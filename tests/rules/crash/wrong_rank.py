import torch
from torch import nn

x = torch.randn(4, 10)
y = x.softmax(dim=2)  # expect: DP604
z = x.softmax(dim=-1)
turned = x.permute(0, 2, 1)  # expect: DP604
longer = x.unsqueeze(2)
too_long = x.unsqueeze(4)  # expect: DP604
nn.Conv2d(3, 8, 3)(torch.randn(10, 3))  # expect: DP604
element = x[0, 0]
none = x[0, 0, 0]  # expect: DP604
number = x.sum().item()
several = x.sum(0).item()  # expect: DP604
