import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.trunk = nn.Linear(10, 20)
        self.heads = nn.ModuleDict({name: nn.Linear(20, n) for name, n in tasks.items()})

    def forward(self, x, task):
        return self.heads[task](torch.relu(self.trunk(x)))


model = MultiTask({"age": 1, "kind": 7})
loss = nn.functional.mse_loss(model(torch.rand(3, 10), "age"), torch.rand(3, 1))
loss = loss + nn.functional.cross_entropy(model(torch.rand(3, 10), "kind"), torch.tensor([1, 0, 6]))
