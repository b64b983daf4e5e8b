import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(2, 3, 32, 32)
patches = x.unfold(2, 8, 8).unfold(3, 8, 8)
assert patches.shape == (2, 3, 4, 4, 8, 8)
tokens = patches.permute(0, 2, 3, 1, 4, 5).reshape(2, 16, 3 * 64)
nn.Linear(192, 10)(tokens)
columns = F.unfold(x, 3, padding=1)
assert columns.shape == (2, 27, 1024)
assert F.fold(columns, (32, 32), 3, padding=1).shape == x.shape
