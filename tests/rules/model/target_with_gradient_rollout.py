# What a policy gradient needs is collected in lists of an object.
import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Linear(4, 2)
        self.value = nn.Linear(4, 1)

    def forward(self, obs):
        return Categorical(logits=self.policy(obs)), self.value(obs).squeeze(-1)


class Rollout:
    def __init__(self):
        self.log_probs, self.values, self.rewards = [], [], []

    def add(self, log_prob, value, reward):
        self.log_probs.append(log_prob)
        self.values.append(value)
        self.rewards.append(reward)


def loss_of(rollout):
    values = torch.stack(rollout.values)
    advantage = torch.stack(rollout.rewards) - values
    policy = -(torch.stack(rollout.log_probs) * advantage).mean()  # expect: DP274
    right = -(torch.stack(rollout.log_probs) * advantage.detach()).mean()
    return policy + right + advantage.pow(2).mean()


def collect(model, obs):
    rollout = Rollout()
    for _ in range(16):
        dist, value = model(obs)
        action = dist.sample()
        rollout.add(dist.log_prob(action), value, torch.rand(8))
        obs = torch.rand(8, 4)
    return rollout


model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(1000):
    loss = loss_of(collect(model, torch.rand(8, 4)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
