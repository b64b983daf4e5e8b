import torch
from torch import nn

items = nn.Embedding(500000, 64)  # expect: DP253
sparse = nn.Embedding(500000, 64, sparse=True)
small = nn.Embedding(5000, 64)
optimizer = torch.optim.SGD([*items.parameters(), *sparse.parameters(), *small.parameters()], lr=0.1)


def train(x):
    loss = items(x).mean() + sparse(x).mean() + small(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
