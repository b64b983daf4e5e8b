import copy

import torch
from torch import nn

STEPS = 6
DEPTH = 30
DECAY = 0.99

torch.manual_seed(0)
model = nn.Sequential(*[nn.Linear(16, 16) for _ in range(DEPTH)])
average = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(8, 16)


def update_average(average, model):
    with torch.no_grad():
        for name in model.state_dict():
            average.state_dict()[name].mul_(DECAY).add_(model.state_dict()[name], alpha=1 - DECAY)


for step in range(STEPS):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update_average(average, model)

result = [p.sum().item() for p in average.parameters()]
