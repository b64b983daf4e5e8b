# An object that each update makes anew may keep graphs: the loss is computed from them.
import torch
from torch import nn


class Rollout:
    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(value)


def collect(model, obs, steps):
    rollout = Rollout()
    for _ in range(steps):
        rollout.add(model(obs))
        obs = torch.rand(8, 3)
    return rollout


def train(model, obs, steps):
    optimizer = torch.optim.Adam(model.parameters())
    losses = Rollout()
    for _ in range(steps):
        rollout = collect(model, obs, 16)
        loss = torch.stack(rollout.values).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.add(loss)  # expect: DP230
    return losses


train(nn.Linear(3, 1), torch.rand(8, 3), 1000)
