import copy

import torch
from torch import nn

LAYERS = 40
SIZE = 32
STEPS = 120


@torch.no_grad()
def update(average: nn.Module, model: nn.Module, decay: float):
    means = list(average.parameters())
    torch._foreach_mul_(means, decay)
    torch._foreach_add_(means, list(model.parameters()), alpha=1 - decay)


torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(SIZE, SIZE) for _ in range(LAYERS)))
average = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, foreach=True)
x = torch.randn(STEPS, 4, SIZE)
for step in range(STEPS):
    optimizer.zero_grad(set_to_none=True)
    model(x[step]).pow(2).mean().backward()
    optimizer.step()
    update(average, model, 0.99)

result = [parameter.sum().item() for parameter in average.parameters()]
