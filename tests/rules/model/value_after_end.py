import torch
import torch.nn.functional as F
from torch import nn


class Q(nn.Module):
    def __init__(self, size, actions):
        super().__init__()
        self.head = nn.Linear(size, actions)

    def forward(self, x):
        return self.head(x)


class Agent:
    def __init__(self, size, actions, gamma=0.99):
        self.q = Q(size, actions)
        self.target = Q(size, actions)
        self.gamma = gamma

    @torch.no_grad()
    def goal(self, reward, next_state, done):
        best = self.q(next_state).argmax(1, keepdim=True)
        future = self.target(next_state).gather(1, best).squeeze(1)
        return reward + self.gamma * future  # expect: DP297

    @torch.no_grad()
    def goal_until_end(self, reward, next_state, done):
        future = self.target(next_state).max(1).values
        return reward + self.gamma * (1 - done) * future

    @torch.no_grad()
    def goal_masked(self, reward, next_state, done):
        future = self.target(next_state).max(1).values
        future[done] = 0.0
        return reward + self.gamma * future

    @torch.no_grad()
    def goal_multiplied(self, reward, next_state, done):
        future = self.target(next_state).max(1).values * (1 - done)
        return reward + self.gamma * future

    def learn(self, sample):
        state, action, reward, next_state, done = sample
        with torch.no_grad():
            goal = reward + self.gamma * self.target(next_state).max(1).values  # expect: DP297
        return F.mse_loss(self.q(state).gather(1, action[:, None]).squeeze(1), goal)

    def learn_until_end(self, sample):
        state, action, reward, next_state, done = sample
        with torch.no_grad():
            goal = reward + self.gamma * torch.where(done, 0.0, self.target(next_state).max(1).values)
        return F.mse_loss(self.q(state).gather(1, action[:, None]).squeeze(1), goal)

    def learn_endless(self, sample):
        state, action, reward, next_state, _ = sample
        with torch.no_grad():
            goal = reward + self.gamma * self.target(next_state).max(1).values
        return F.mse_loss(self.q(state).gather(1, action[:, None]).squeeze(1), goal)

    def learn_weighted(self, sample):
        state, action, reward, next_state, done, weights, index = sample
        with torch.no_grad():
            goal = reward + self.gamma * (1 - done) * self.target(next_state).max(1).values
        return F.mse_loss(self.q(state).gather(1, action[:, None]).squeeze(1), goal)


def residual(model: Q, x, scale, unused):
    return x + scale * model(x)


class Residual(nn.Module):
    def __init__(self, size, multiplier):
        super().__init__()
        self.layer = nn.Linear(size, size)
        self.multiplier = multiplier

    def forward(self, hidden, residual, positions):
        return residual + self.multiplier * self.layer(hidden)
