import torch
from torch import nn

assert nn.Conv2d(3, 4, 3)(torch.rand(3, 8, 8)).shape == (4, 6, 6)
assert nn.Conv1d(3, 4, 3)(torch.rand(3, 8)).shape == (4, 6)
assert nn.MaxPool2d(2)(torch.rand(3, 8, 8)).shape == (3, 4, 4)
assert nn.Linear(4, 2)(torch.rand(4)).shape == (2,)
assert nn.MultiheadAttention(8, 2)(*[torch.rand(5, 8)] * 3)[0].shape == (5, 8)
assert nn.Embedding(4, 2)(torch.tensor(1)).shape == (2,)
assert nn.BatchNorm1d(4)(torch.rand(3, 4, 7)).shape == (3, 4, 7)
assert nn.LayerNorm([4, 7])(torch.rand(3, 4, 7)).shape == (3, 4, 7)
