"""The values of a maximum over actions."""
import torch
from torch import nn


class Learner:
    def __init__(self, network: nn.Module, gamma=0.99):
        self.network = network
        self.gamma = gamma
        self.optimizer = torch.optim.Adam(network.parameters())

    def target(self, reward, following, done):
        best = self.network(following).max(1).values
        return reward + self.gamma * best * (1 - done)  # expect: DP274

    def target_without_gradient(self, reward, following, done):
        with torch.no_grad():
            best = self.network(following).max(1).values
        return reward + self.gamma * best * (1 - done)

    def learn(self, state, action, reward, following, done):
        value = self.network(state).gather(1, action[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(value, self.target(reward, following, done))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def learn_right(self, state, action, reward, following, done):
        value = self.network(state).gather(1, action[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(value, self.target_without_gradient(reward, following, done))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
