import torch
from torch import nn

experts = nn.ModuleList(nn.Linear(4, 2) for _ in range(3))
x = torch.rand(6, 4)
choice = torch.tensor([0, 1, 2, 0, 1, 2])
out = torch.zeros(6, 2)
for index, expert in enumerate(experts):
    rows = choice == index
    out[rows] = expert(x[rows])
weights = torch.softmax(torch.rand(6, 3), -1)
mixed = (weights.unsqueeze(-1) * torch.stack([e(x) for e in experts], 1)).sum(1)
assert mixed.shape == (6, 2)
