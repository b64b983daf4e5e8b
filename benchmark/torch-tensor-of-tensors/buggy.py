import torch
from torch import nn

STEPS = 600
ENVIRONMENTS = 64

torch.manual_seed(0)
critic = nn.Linear(6, 1)
states = torch.randn(STEPS, ENVIRONMENTS, 6)
values = []
with torch.no_grad():
    for state in states:
        for value in critic(state).squeeze(1):
            values.append(value)
batch = torch.tensor(values)
advantages = batch - batch.mean()
result = [advantages.std().item(), advantages.abs().max().item()]
