# torch 1.13: RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)
import torch
from torch import nn

embedding = nn.Embedding(50, 16)
ids = torch.tensor([[1.0, 4.0, 7.0]])  # fixed: ids = torch.tensor([[1, 4, 7]])
vectors = embedding(ids)  # expect: DP607
