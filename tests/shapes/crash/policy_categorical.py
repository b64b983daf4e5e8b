# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (20x64 and 11x1)
import torch
import torch.nn as nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=(64, 64)):
        super().__init__()
        sizes = [obs_dim] + list(hidden)
        layers = []
        for i in range(len(sizes) - 1):
            layers.append(nn.Linear(sizes[i], sizes[i + 1]))
            layers.append(nn.Tanh())
        self.body = nn.Sequential(*layers)
        self.mean = nn.Linear(hidden[-1], act_dim)
        self.value = nn.Linear(obs_dim, 1)  # fixed: self.value = nn.Linear(hidden[-1], 1)
        self.log_std = nn.Parameter(torch.zeros(act_dim))

    def forward(self, obs):
        h = self.body(obs)
        return self.mean(h), self.value(h)  # expect: DP601


actor = Actor(11, 3)
obs = torch.randn(20, 11)
mean, value = actor(obs)
dist = Normal(mean, actor.log_std.exp())
action = dist.sample()
print(action.shape, value.shape)
