import torch
from torch import nn

x = torch.randn(4, 3, 10, 12)
assert x.view(4, -1).shape == (4, 360)
assert x.view(-1, 12).shape == (120, 12)
assert x.reshape(2, -1, 6).shape == (2, 120, 6)
assert x.flatten(1, 2).shape == (4, 30, 12)
assert x.view(-1).unflatten(0, (40, 36)).shape == (40, 36)
nn.Linear(360, 5)(x.view(x.size(0), -1))
nn.Linear(120, 5)(x.view(x.size(0), x.size(1), -1))
empty = torch.zeros(0, 5)
assert empty.view(5, 0).shape == (5, 0)
assert torch.zeros(()).view(1, 1).shape == (1, 1)
