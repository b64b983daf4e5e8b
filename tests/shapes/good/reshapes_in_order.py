# Views that keep the order of dimensions, or read the same numbers on purpose.
import torch
from torch import nn

x = torch.randn(8, 12, 28, 30)
a = x.view(8, 3, 2, 2, 28, 30).permute(0, 1, 4, 2, 5, 3).reshape(8, 3, 56, 60)
b = x.flatten(2).transpose(1, 2).reshape(8, 28, 30, 12)
c = x.reshape(96, 28, 30).reshape(8, 12, 840).reshape(8, -1)
d = x.permute(0, 2, 3, 1).reshape(8, 840, 12)
e = torch.randn(1, 8, 64).reshape(8, 64)
f = torch.randn(8, 1, 28, 30).view(8, 28, 30)
hidden = nn.GRU(16, 32, batch_first=True)(torch.randn(8, 5, 16))[1]
g = hidden.view(8, -1)
print(a.shape, b.shape, c.shape, d.shape, e.shape, f.shape, g.shape)
