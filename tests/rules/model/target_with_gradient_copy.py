# The target of a copy of the network: backward() runs through it for nothing.
import copy

import torch
import torch.nn.functional as F
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x):
        return self.a(x), self.b(x)


class Agent:
    def __init__(self):
        self.critic = Critic()
        self.target = copy.deepcopy(self.critic)
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def backup(self, reward, following, done):
        a, b = self.target(following)  # expect: DP274
        return reward + 0.99 * (1 - done) * torch.min(a, b)

    @torch.no_grad()
    def constant_backup(self, reward, following, done):
        a, b = self.target(following)
        return reward + 0.99 * (1 - done) * torch.min(a, b)

    def update(self, state, reward, following, done):
        goal = self.backup(reward, following, done)
        a, b = self.critic(state)
        loss = F.mse_loss(a, goal) + F.mse_loss(b, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def update_well(self, state, reward, following, done):
        goal = self.constant_backup(reward, following, done)
        a, b = self.critic(state)
        loss = F.mse_loss(a, goal) + F.mse_loss(b, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
