import torch
import torch.nn.functional as F
from torch import nn

layer = nn.Linear(4, 2)
x = torch.randn(8, 4, dtype=torch.float64)
layer(x)  # expect: DP607
layer(x.float())
layer.double()(x)
counts = torch.arange(10)
counts.mean()  # expect: DP607
counts.float().mean()
labels = torch.zeros(8)
F.cross_entropy(torch.randn(8, 10), labels.long())  # expect: DP607
nn.Embedding(10, 4)(torch.rand(3))  # expect: DP607
torch.randn(2, 3) @ torch.ones(3, 4, dtype=torch.long)  # expect: DP607
